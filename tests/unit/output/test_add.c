/* Recordings of different processes, builds and ranks, added up: in any order and any grouping they are the same. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/output_sample.h"
#include "tests/support/pipeline_writer.h"

enum { RECORDINGS = 6, STEPS = 120, DEPTH_MAX = 8 };

static const char *path_of(unsigned number)
{
  char name[32];
  snprintf(name, sizeof name, "part-%u", number);
  return scratch_path(name);
}

static unsigned roll(uint64_t *state, unsigned sides)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(*state >> 33) % sides;
}

static void describe_functions(struct sample *sample, unsigned number)
{
  /* Every other build has a function more before the others, and one of the functions takes another argument. */
  if (number % 2)
    index_writer_function(sample->index, "/src/new.c", 1, "added", 0);
  for (uint32_t i = 0; i < 3; i++) {
    char name[8] = {'f', (char)('0' + i), 0};
    index_writer_function(sample->index, i ? "/src/a.c" : "/lib/a.c", i, name, 0);
    index_writer_arg(sample->index, FMT_ARG_VALUE, "n", sample->int_type);
    if (number % 2 && i == 2)
      index_writer_arg(sample->index, FMT_ARG_VALUE, "m", sample->unsigned_type);
  }
}

static void set_rank(struct recording_writer *writer, int64_t rank)
{
  uint64_t source = recording_writer_name(writer, "PMI_RANK");
  recording_writer_header(writer)->rank_source = source;
  recording_writer_header(writer)->rank = rank;
}

static void one_call(struct sample *sample, unsigned number, uint64_t *state, uint64_t now)
{
  uint32_t function = roll(state, 3), first = number % 2;
  uint64_t words[3] = {0, roll(state, 3), roll(state, 2)};
  recording_enter(sample->thread, sample->module, first + function, words, first && function == 2 ? 3 : 2, now);
}

static void write_recording(unsigned number, uint64_t seed)
{
  struct sample sample;
  uint64_t state = seed * 31 + number, now = 0;
  sample_begin(&sample);
  describe_functions(&sample, number);
  sample_calls(&sample);
  struct recording_writer *writer = sample.recording;
  struct fmt_rec_header *header = recording_writer_header(writer);
  header->pid = 100 + number;
  header->start_realtime_ns = 1000 * (number / 2);
  header->injected_hz = number % 3 ? 1000 : 1000003;
  header->hook_inner = 300 * number;
  header->hook_outer = 500;
  header->loss[FMT_LOSS_UNWOUND] = number;
  if (number != 4)
    set_rank(writer, number % 4);
  struct fmt_rec_module *module = recording_writer_at(writer, sample.module);
  module->build_id_size = 20;
  memset(module->build_id, 0xA0 + (int)number % 2, 20);
  uint64_t stage = pipeline_writer_stage(writer, 0, number % 2, number % 2 ? "read" : "write", 2, 0);
  size_t depth = 0;
  for (unsigned i = 0; i < STEPS; i++) {
    now += roll(&state, 7);
    if (depth && (depth == DEPTH_MAX || roll(&state, 5) < 2)) {
      recording_exit(sample.thread, now);
      depth--;
      continue;
    }
    if (roll(&state, 6) == 0)
      recording_enter_task(sample.thread, stage, roll(&state, 2) ? "k=1" : NULL, now);
    else
      one_call(&sample, number, &state, now);
    depth++;
  }
  if (number == 3)
    recording_widen(sample.thread, sample.module, 1, 0, FMT_WIDEN_LOG2, 1);
  sample_end(&sample, now + 5, path_of(number));
}

/* Everything that is printed of the object, as one text. */
static char *everything(struct callsig_stats *stats)
{
  static const unsigned groupings[] = {CALLSIG_BY_SIGNATURE, CALLSIG_BY_FUNCTION | CALLSIG_BY_PROCESS, CALLSIG_BY_RANK,
                                       CALLSIG_BY_STAGE | CALLSIG_BY_FUNCTION | CALLSIG_BY_RANK,
                                       CALLSIG_BY_THREAD | CALLSIG_BY_MODULE};
  static const print_fn prints[] = {callsig_stats_print, callsig_stats_print_callers, callsig_stats_print_callees,
                                    callsig_stats_print_json, callsig_stats_print_csv};
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  for (size_t i = 0; i < sizeof groupings / sizeof groupings[0]; i++) {
    assert_int_equal(callsig_stats_group(stats, groupings[i]), 0);
    for (size_t k = 0; k < sizeof prints / sizeof prints[0]; k++) {
      int links = k == 1 || k == 2;
      if (links && !(groupings[i] & (CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE)))
        continue;
      assert_int_equal(callsig_stats_compensate(stats, k == 0 && i == 0), 0);
      assert_int_equal(prints[k](stats, out, NULL, 0), 0);
    }
  }
  assert_int_equal(fclose(out), 0);
  return text;
}

static struct callsig_stats *add_in_order(const unsigned *order)
{
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(path_of(order[0]), &stats), 0);
  for (unsigned i = 1; i < RECORDINGS; i++)
    assert_int_equal(callsig_stats_add(stats, path_of(order[i])), 0);
  return stats;
}

static void any_order(void **state)
{
  (void)state;
  uint64_t random = 5;
  for (uint64_t seed = 0; seed < 4; seed++) {
    char *wanted = NULL;
    for (unsigned i = 0; i < RECORDINGS; i++)
      write_recording(i, seed);
    for (unsigned round = 0; round < 12; round++) {
      unsigned order[RECORDINGS] = {0};
      for (unsigned i = 0; i < RECORDINGS; i++) {
        unsigned k = roll(&random, i + 1);
        order[i] = order[k];
        order[k] = i;
      }
      struct callsig_stats *stats = add_in_order(order);
      char *found = everything(stats);
      callsig_stats_free(stats);
      if (!wanted)
        wanted = found;
      else
        assert_string_equal(found, wanted);
      if (wanted != found)
        free(found);
    }
    free(wanted);
  }
  for (unsigned i = 0; i < RECORDINGS; i++)
    unlink(path_of(i));
}

/* One recording a process: by process and by rank with what lies between them. */
static void processes(void **state)
{
  (void)state;
  static const uint64_t times[3] = {100, 300, 200};
  struct callsig_stats *stats = NULL;
  for (unsigned i = 0; i < 3; i++) {
    struct sample sample;
    sample_begin(&sample);
    index_writer_function(sample.index, "a.c", 1, "work", 0);
    index_writer_function(sample.index, "a.c", 2, "seldom", 0);
    sample_calls(&sample);
    recording_writer_header(sample.recording)->pid = 10 + i;
    recording_writer_header(sample.recording)->start_realtime_ns = i;
    set_rank(sample.recording, 7 + i);
    sample_call(&sample, 0, (const uint64_t[]){0}, 0, 0, times[i]);
    if (i == 2)
      sample_call(&sample, 1, (const uint64_t[]){0}, 0, 200, 230);
    sample_end(&sample, 300, path_of(i));
    assert_int_equal(stats ? callsig_stats_add(stats, path_of(i)) : callsig_stats_load(path_of(i), &stats), 0);
    unlink(path_of(i));
  }
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_RANK), 0);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "        1    0.300    0.300    0.300    0.300 [rank 8]\n"));
  assert_non_null(strstr(table, "   Cumulative time across 3 ranks\n\n"
                                "     min     mean      max imbalance filename:lineno(function)\n"
                                "   0.100    0.210    0.300     1.429 all calls [max: rank 8]\n"));
  free(table);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_PROCESS), 0);
  table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, " a.c:2(seldom) [process test (12)]\n"));
  assert_non_null(strstr(table, "   0.000    0.010    0.030     3.000 a.c:2(seldom) [max: process test (12)]\n"));
  assert_non_null(strstr(table, "   0.100    0.200    0.300     1.500 a.c:1(work) [max: process test (11)]\n"));
  free(table);
  /* Also the processes whose rows a restriction leaves out have their times, and rows that are not shown tell nothing.
   */
  table = printed(stats, callsig_stats_print, "1");
  assert_non_null(strstr(table, "   0.100    0.200    0.300     1.500 a.c:1(work) [max: process test (11)]\n"));
  assert_null(strstr(table, "seldom"));
  free(table);
  struct callsig_stats_row row = {.size = sizeof row};
  assert_int_equal(callsig_stats_row(stats, 0, &row), 0);
  assert_string_equal(row.process, "test (11)");
  assert_null(row.rank);
  char *json = printed(stats, callsig_stats_print_json, NULL);
  assert_non_null(strstr(json, "\"spread\""));
  assert_non_null(strstr(json, "\"imbalance\""));
  free(json);
  callsig_stats_free(stats);
}

/* Code without a name is known by its address, in its build alone; and different builds are told. */
static void builds(void **state)
{
  (void)state;
  struct callsig_stats *stats = NULL;
  for (unsigned i = 0; i < 3; i++) {
    struct sample sample;
    sample_begin(&sample);
    /* The same build twice, mapped elsewhere, and another one. */
    uint64_t base = 0x10000 * (1 + i);
    sample.module = recording_writer_module(sample.recording, "/lib/x.so", base, 0x10000, NULL, 0);
    struct fmt_rec_module *module = recording_writer_at(sample.recording, sample.module);
    module->build_id_size = 20;
    memset(module->build_id, i == 2 ? 0xB2 : 0xA1, 20);
    module->bias = 0;
    sample.thread = recording_writer_thread(sample.recording, 1, "main");
    sample_call(&sample, 4, NULL, 0, 0, 10);
    sample_end(&sample, 20, path_of(i));
    assert_int_equal(stats ? callsig_stats_add(stats, path_of(i)) : callsig_stats_load(path_of(i), &stats), 0);
    unlink(path_of(i));
    char *table = printed(stats, callsig_stats_print, NULL);
    if (i < 2)
      assert_non_null(strstr(table, " x.so:0(0x100"));
    if (i == 1)
      assert_non_null(strstr(table, "        2    0.020    0.010    0.020    0.010 x.so:0(0x100"));
    if (i == 2) {
      assert_non_null(strstr(table, "        2    0.020    0.010    0.020    0.010 x.so:0(0x100@a1a1a1a1a1a1"));
      assert_non_null(strstr(table, "        1    0.010    0.010    0.010    0.010 x.so:0(0x100@b2b2b2b2b2b2"));
      assert_non_null(strstr(table, "\n/lib/x.so: recordings of different builds were added (build-ids a1a1a1a1a1a1, "
                                    "b2b2b2b2b2b2): functions meet by file, line and name\n"));
    } else {
      assert_null(strstr(table, "different builds"));
    }
    free(table);
  }
  callsig_stats_free(stats);
}

/* What two recordings have lost is told of each, and what more have, of all at once. */
static void losses(void **state)
{
  (void)state;
  static const uint64_t lost[] = {1, 0, 3, 3};
  struct callsig_stats *stats = NULL;
  for (unsigned i = 0; i < 4; i++) {
    struct sample sample;
    sample_begin(&sample);
    recording_writer_header(sample.recording)->loss[FMT_LOSS_NESTED] = lost[i];
    recording_writer_header(sample.recording)->start_realtime_ns = i;
    sample_end(&sample, 20, path_of(i));
    assert_int_equal(stats ? callsig_stats_add(stats, path_of(i)) : callsig_stats_load(path_of(i), &stats), 0);
    unlink(path_of(i));
    if (i < 2)
      continue;
    char *table = printed(stats, callsig_stats_print, NULL), each[128], all[256];
    snprintf(each, sizeof each, "\n%s: 3 calls not recorded: made inside of", path_of(2));
    snprintf(all, sizeof all,
             "\n7 calls of 3 recordings not recorded: made inside of the profiler's own slow path; 3 of them in %s\n",
             path_of(2));
    assert_int_equal(strstr(table, each) != NULL, i == 2);
    assert_int_equal(strstr(table, all) != NULL, i == 3);
    assert_int_equal(strstr(table, ": 1 call not recorded: made inside of") != NULL, i == 2);
    free(table);
  }
  callsig_stats_free(stats);
}

/* One call each. What process 1 and 2 waited is in no row, and of 2 alone some is not known. */
static void write_waits(unsigned number)
{
  struct sample sample;
  sample_begin(&sample);
  describe_functions(&sample, 0);
  sample_calls(&sample);
  struct fmt_rec_header *header = recording_writer_header(sample.recording);
  header->pid = 100 + number;
  header->injected_hz = 1000;
  header->flags |= FMT_REC_WAITS_TAKEN | (number == 2 ? FMT_REC_WAITS_UNKNOWN : 0u);
  header->loss[FMT_LOSS_WAITED] = number > 0 ? 10 * number + 20 : 0;
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){0, 1}, 2, 0);
  recording_exit(sample.thread, 20);
  sample_end(&sample, 20, path_of(number));
}

static void waits(void **state)
{
  (void)state;
  struct callsig_stats *stats = NULL;
  for (unsigned i = 0; i < 3; i++) {
    write_waits(i);
    assert_int_equal(stats ? callsig_stats_add(stats, path_of(i)) : callsig_stats_load(path_of(i), &stats), 0);
    char *table = printed(stats, callsig_stats_print, NULL);
    char *first = strstr(table, " seconds of waiting for a processor are in no row");
    assert_int_equal(first != NULL, i > 0);
    assert_null(first ? strstr(first + 2, " seconds of waiting for a processor") : NULL);
    if (i == 1) {
      char *line = strstr(table, path_of(1));
      assert_non_null(line);
      assert_non_null(strstr(line, "part-1: 0.030 seconds of waiting for a processor are in no row\n"));
    }
    if (i == 2) {
      assert_non_null(strstr(table, "\n2 processes: 0.070 seconds of waiting for a processor are in no row\n"));
      assert_non_null(strstr(table, "part-2: waits for a processor could not be told from the rest"));
    }
    free(table);
  }
  for (unsigned i = 0; i < 3; i++)
    unlink(path_of(i));
  callsig_stats_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order), cmocka_unit_test(processes), cmocka_unit_test(builds),
      cmocka_unit_test(losses),    cmocka_unit_test(waits),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
