/* Times of a run beside: how samples become the times of rows, what is said of them, and what is refused. */
/* ctest: wrap malloc calloc realloc */
/* ctest: source tests/support/failing_memory.c */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/index.h"
#include "tests/support/failing_memory.h"
#include "tests/support/sampled_run.h"

static void expect(struct callsig_stats *stats, const char *signature, uint64_t calls, uint64_t primitive, double own,
                   double cumulative)
{
  struct callsig_stats_row row = {.size = sizeof row};
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    if (strcmp(row.signature ? row.signature : row.function, signature) != 0)
      continue;
    if (row.ncalls != calls || row.pcalls != primitive || row.tottime - own > 5e-4 || own - row.tottime > 5e-4 ||
        row.cumtime - cumulative > 5e-4 || cumulative - row.cumtime > 5e-4)
      fail_msg("%s: %llu/%llu %.6f %.6f", signature, (unsigned long long)row.ncalls, (unsigned long long)row.pcalls,
               row.tottime, row.cumtime);
    return;
  }
  fail_msg("no row %s", signature);
}

static void expect_note(struct callsig_stats *stats, const char *words, bool is_there)
{
  char *table = printed(stats, callsig_stats_print, NULL);
  if ((strstr(table, words) != NULL) != is_there)
    fail_msg("%s: %s", words, table);
  free(table);
}

static const struct sampled_place some_places[] = {
    {"/bin/x", NULL, 0, FMT_NONE, 0},
    {"main", "/src/a.c", 1, 0, 10},
    {"f", "/src/a.c", 5, 0, 30},
    {"g", "/src/a.c", 9, 2, 8},
    {"f", "/src/a.c", 5, 1, 10},
    {"h", "/src/b.c", 3, 0, 2},
    {"/lib/libc.so", NULL, 0, FMT_NONE, 5},
};
enum { SOME_PLACES = sizeof some_places / sizeof *some_places };

static void replaced(void **state)
{
  (void)state;
  struct sample sample;
  sampled_run_begin(&sample);
  sampled_run_add(&sample, some_places, SOME_PLACES);
  sampled_run_record(&sample)->samples += 3;
  sampled_run_record(&sample)->unmapped = 3;
  sampled_run_record(&sample)->others = 4;
  sampled_run_record(&sample)->lost = 7;
  sampled_run_record(&sample)->used_ns = 100000000;
  sampled_run_record(&sample)->flags = FMT_SAMPLES_OTHER_BUILD | FMT_SAMPLES_OTHER_OUTPUT | FMT_SAMPLES_OTHER_STATUS;
  sampled_run_record(&sample)->exit_status = 3 << 8;
  recording_writer_header(sample.recording)->exit_status = 0;
  struct callsig_stats *stats = sample_load(&sample, 100);
  /* f: its own samples, those of g inlined into it, and those where it is inlined into main. */
  expect(stats, "f(n=1)", 1, 1, .012, .012);
  expect(stats, "f(n=2)", 1, 1, .036, .036);
  expect(stats, "main()", 1, 1, .010, .058);
  struct callsig_stats_row row = {.size = sizeof row};
  assert_int_equal(callsig_stats_sort(stats, "tottime"), 0);
  assert_int_equal(callsig_stats_row(stats, 0, &row), 0);
  assert_string_equal(row.signature, "f(n=2)");
  /* 36 samples of a millisecond. */
  assert_true(row.tottime_error > .0117 && row.tottime_error < .0118);
  struct callsig_stats_total total = {.size = sizeof total};
  assert_int_equal(callsig_stats_total(stats, &total), 0);
  assert_true(total.time > .0575 && total.time < .0585);
  static const char *const notes[] = {
      "times are those of /bin/plain run beside without hooks: 68 samples by the kernel's timer, 0.072 of 0.100",
      "the samples stand for 72.0 % of that run's user CPU time",
      "elsewhere: 0.002 seconds (2.8 %) in code without rows of /bin/x\n",
      "elsewhere: 0.005 seconds (6.9 %) in code without rows of /lib/libc.so\n",
      "elsewhere: 0.003 seconds (4.2 %) in code that is of no file\n",
      "elsewhere: 0.004 seconds (5.6 %) in processes that it started\n",
      "the run beside ended with status 3, this one with 0",
      "wrote something else to standard output",
      "was of another build",
      "7 samples of the run beside were lost",
  };
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    expect_note(stats, notes[i], true);
  callsig_stats_free(stats);
}

/* The hooks' own cost is no reason for a row to get more of its function's samples. */
static void split_without_hooks(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 5, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  recording_writer_header(sample.recording)->hook_inner = 4 * 1024;
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 0, 10);
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 10, 20);
  sample_call(&sample, 0, (const uint64_t[]){0, 2}, 2, 20, 60);
  sampled_run_add(&sample,
                  (const struct sampled_place[]){{"/bin/x", NULL, 0, FMT_NONE, 0}, {"f", "/src/a.c", 5, 0, 48}}, 2);
  struct callsig_stats *stats = sample_load(&sample, 60);
  expect(stats, "f(n=1)", 2, 2, .012, .012);
  expect(stats, "f(n=2)", 1, 1, .036, .036);
  callsig_stats_free(stats);
}

/* What a call's own work hides of its hooks is the call's, and one that is too short to be read has a part of what it
 * reads: the calls take 6, 36 and 1 ticks without hooks; they read 8, 38 and 3, of which an empty call reads 3. */
static void split_beside_hooks(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 5, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  struct fmt_rec_header *header = recording_writer_header(sample.recording);
  header->hook_inner = 4 * 1024;
  header->hook_hidden = 2 * 1024;
  header->hook_floor = 3 * 1024;
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 0, 10);
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 10, 20);
  sample_call(&sample, 0, (const uint64_t[]){0, 2}, 2, 20, 60);
  sample_call(&sample, 0, (const uint64_t[]){0, 3}, 2, 60, 65);
  sampled_run_add(&sample,
                  (const struct sampled_place[]){{"/bin/x", NULL, 0, FMT_NONE, 0}, {"f", "/src/a.c", 5, 0, 48}}, 2);
  struct callsig_stats *stats = sample_load(&sample, 65);
  const double short_ones = 2 * sqrt(8. * 8 - 3 * 3), long_one = sqrt(38. * 38 - 3 * 3), shortest = 3 / 4.;
  const double tick = .048 / (short_ones + long_one + shortest);
  expect(stats, "f(n=1)", 2, 2, short_ones * tick, short_ones * tick);
  expect(stats, "f(n=2)", 1, 1, long_one * tick, long_one * tick);
  expect(stats, "f(n=3)", 1, 1, shortest * tick, shortest * tick);
  callsig_stats_free(stats);
}

/* Where calls count by what they returned, what was called from there is of none of them: the hooks of f's 20 calls of
 * g take 20 ms, half of it in f(n=1), which has no more than that. */
static void split_of_returned(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 5, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  index_writer_function(sample.index, "/src/a.c", 9, "g", 0);
  sample_calls(&sample);
  recording_writer_header(sample.recording)->hook_outer = 1024;
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 0, 10);
  sampled_run_call(&sample, 0, 2, 10);
  for (uint32_t i = 0; i < 20; i++)
    sample_call(&sample, 1, (const uint64_t[]){0}, 0, 10, 10);
  recording_exit(sample.thread, 50);
  struct fmt_rec_edge *edge;
  for (uint64_t at = recording_thread_record(sample.thread)->first_edge; at; at = edge->next) {
    edge = recording_writer_at(sample.recording, at);
    if (edge->from == recording_thread_record(sample.thread)->root)
      edge->flags |= FMT_EDGE_RETURNED;
  }
  sampled_run_add(&sample,
                  (const struct sampled_place[]){{"/bin/x", NULL, 0, FMT_NONE, 0}, {"f", "/src/a.c", 5, 0, 48}}, 2);
  struct callsig_stats *stats = sample_load(&sample, 60);
  expect(stats, "f(n=1)", 1, 1, 0, 0);
  expect(stats, "f(n=2)", 1, 1, .048, .048);
  callsig_stats_free(stats);
}

/* What an action did is in samples of the functions whose code ran in it: those of f are split between itself and the
 * actions in it. */
static void split_over_actions(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 5, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  index_writer_function(sample.index, "/src/a.c", 9, "g", 0);
  sample_calls(&sample);
  sampled_run_call(&sample, 0, 1, 0);
  recording_enter_action(sample.thread, "load", 10);
  recording_enter_action(sample.thread, "inner", 20);
  sample_call(&sample, 1, (const uint64_t[]){0}, 0, 20, 25);
  recording_exit(sample.thread, 35);
  recording_exit(sample.thread, 40);
  recording_exit(sample.thread, 50);
  sample_call(&sample, 1, (const uint64_t[]){0}, 0, 50, 60);
  sampled_run_add(&sample,
                  (const struct sampled_place[]){
                      {"/bin/x", NULL, 0, FMT_NONE, 0}, {"f", "/src/a.c", 5, 0, 90}, {"g", "/src/a.c", 9, 0, 30}},
                  3);
  struct callsig_stats *stats = sample_load(&sample, 60);
  expect(stats, "{load}", 1, 1, .030, .060);
  expect(stats, "{inner}", 1, 1, .020, .030);
  expect(stats, "f(n=1)", 1, 1, .040, .100);
  callsig_stats_free(stats);
}

/* Functions that took no time when they were recorded share by their calls. */
static void split_by_calls(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 5, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  for (uint64_t i = 0; i < 4; i++)
    sample_call(&sample, 0, (const uint64_t[]){0, i > 0}, 2, i, i);
  sampled_run_add(&sample,
                  (const struct sampled_place[]){{"/bin/x", NULL, 0, FMT_NONE, 0}, {"f", "/src/a.c", 5, 0, 40}}, 2);
  struct callsig_stats *stats = sample_load(&sample, 60);
  expect(stats, "f(n=0)", 1, 1, .010, .010);
  expect(stats, "f(n=1)", 3, 3, .030, .030);
  callsig_stats_free(stats);
}

static void recursion(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 1, "odd", 0);
  index_writer_function(sample.index, "/src/a.c", 5, "even", 0);
  index_writer_function(sample.index, "/src/a.c", 9, "self", 0);
  sample_calls(&sample);
  for (uint32_t i = 0; i < 40; i++)
    recording_enter(sample.thread, sample.module, i % 2, (const uint64_t[]){0}, 0, 5 * (uint64_t)i);
  for (uint32_t i = 0; i < 40; i++)
    recording_exit(sample.thread, 200 + 5 * (uint64_t)i);
  for (uint32_t i = 0; i < 40; i++)
    recording_enter(sample.thread, sample.module, 2, (const uint64_t[]){0}, 0, 400 + 5 * (uint64_t)i);
  for (uint32_t i = 0; i < 40; i++)
    recording_exit(sample.thread, 600 + 5 * (uint64_t)i);
  sampled_run_add(&sample,
                  (const struct sampled_place[]){{"/bin/x", NULL, 0, FMT_NONE, 0},
                                                 {"odd", "/src/a.c", 1, 0, 1000},
                                                 {"even", "/src/a.c", 5, 0, 3000},
                                                 {"self", "/src/a.c", 9, 0, 2000}},
                  4);
  struct callsig_stats *stats = sample_load(&sample, 800);
  struct callsig_stats_row row = {.size = sizeof row};
  expect(stats, "self()", 40, 1, 2.0, 2.0);
  /* The outermost is odd, so that all of both is below it. */
  expect(stats, "odd()", 20, 1, 1.0, 4.0);
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    if (strcmp(row.function, "even") == 0)
      assert_true(row.tottime > 2.9995 && row.tottime < 3.0005 && row.cumtime > 3.8 && row.cumtime < 4.0);
  }
  callsig_stats_free(stats);
}

/* Functions of two builds meet by the name of their file where the rest of the path, or the line, has changed; and not
 * where two could be meant. */
static void other_build(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  static const char *const functions[][2] = {
      {"/src/a.c", "moved"}, {"/src/one/b.c", "twin"}, {"/src/two/b.c", "twin"}, {"/src/a.c", "symbol"}};
  for (uint32_t i = 0; i < 4; i++)
    index_writer_function(sample.index, functions[i][0], 10 + i, functions[i][1], 0);
  sample_calls(&sample);
  for (uint32_t i = 0; i < 4; i++)
    sample_call(&sample, i, (const uint64_t[]){0}, 0, 10 * i, 10 * i + 10);
  sampled_run_add(&sample,
                  (const struct sampled_place[]){{"/bin/x", NULL, 0, FMT_NONE, 0},
                                                 {"moved", "/other/a.c", 77, 0, 10},
                                                 {"moved", "/other/c.c", 10, 0, 20},
                                                 {"twin", "/other/b.c", 11, 0, 40},
                                                 {"twin", "/src/two/b.c", 99, 0, 80},
                                                 {"symbol", NULL, 0, 0, 160}},
                  6);
  struct callsig_stats *stats = sample_load(&sample, 60);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION);
  expect(stats, "moved", 1, 1, .010, .010);
  expect(stats, "symbol", 1, 1, .160, .160);
  expect_note(stats, "elsewhere: 0.060 seconds (19.4 %) in code without rows of /bin/x\n", true);
  char *table = printed(stats, callsig_stats_print, "two/b.c");
  assert_non_null(strstr(table, "        1    0.080    0.080    0.080    0.080 /src/two/b.c:12(twin)\n"));
  free(table);
  callsig_stats_free(stats);
}

/* What a record that makes no sense says is not used, and counted. */
static void refused(void **state)
{
  (void)state;
  for (int kind = 0; kind < 8; kind++) {
    struct sample sample;
    sampled_run_begin(&sample);
    uint64_t address = sampled_run_add(&sample, some_places, SOME_PLACES);
    struct fmt_rec_samples *record = sampled_run_record(&sample);
    struct fmt_rec_header *header = recording_writer_header(sample.recording);
    if (kind == 0)
      record->samples++;
    else if (kind == 1)
      sampled_run_places(record)[1].parent = 1;
    else if (kind == 2)
      record->count = UINT32_MAX;
    else if (kind == 3)
      sampled_run_places(record)[2].samples = UINT64_MAX;
    else if (kind == 4)
      record->period = UINT64_MAX;
    else if (kind == 5)
      record->unmapped = UINT64_MAX;
    else if (kind == 6)
      header->samples = address + 4;
    else
      record->tag.tag = FMT_TAG_EDGE;
    struct callsig_stats *stats = sample_load(&sample, 100);
    expect(stats, "f(n=1)", 1, 1, .020, .020);
    expect(stats, "main()", 1, 1, .020, .100);
    expect_note(stats, "1 record could not be read", true);
    expect_note(stats, "beside", false);
    callsig_stats_free(stats);
  }
}

static void no_sample(void **state)
{
  (void)state;
  struct sample sample;
  sampled_run_begin(&sample);
  sampled_run_add(&sample, NULL, 0);
  struct callsig_stats *stats = sample_load(&sample, 100);
  expect(stats, "main()", 1, 1, .020, .100);
  expect_note(stats, "no sample was taken of /bin/plain run beside", true);
  callsig_stats_free(stats);
}

/* Loads the recording while allocation `at` fails (0: none), and prints it. */
static char *load_failing(const char *path, size_t at, bool *failed)
{
  struct callsig_stats *stats = NULL;
  allocations = 0;
  failing_at = at;
  int result = callsig_stats_load(path, &stats);
  *failed = at > 0 && allocations >= at;
  failing_at = 0;
  assert_int_equal(result, *failed ? -ENOMEM : 0);
  char *table = result == 0 ? printed(stats, callsig_stats_print, NULL) : NULL;
  callsig_stats_free(stats);
  return table;
}

/* Whichever allocation fails, loading is an error or gives what it always does; so it is when it was merged, twice. */
static void memory_and_merging(void **state)
{
  (void)state;
  const char *path = scratch_path("one");
  struct sample sample;
  sampled_run_begin(&sample);
  sampled_run_add(&sample, some_places, SOME_PLACES);
  sample_end(&sample, 100, path);
  bool failed;
  char *expected = load_failing(path, 0, &failed);
  assert_non_null(strstr(expected, "elsewhere"));
  for (size_t at = 1;; at++) {
    char *table = load_failing(path, at, &failed);
    if (!failed) {
      assert_string_equal(table, expected);
      free(table);
      break;
    }
  }
  for (int i = 0; i < 2; i++) {
    struct callsig_stats *stats;
    assert_int_equal(callsig_stats_load(path, &stats), 0);
    unlink(path);
    path = scratch_path(i ? "twice" : "merged");
    assert_int_equal(callsig_stats_dump(stats, path), 0);
    callsig_stats_free(stats);
    char *table = load_failing(path, 0, &failed);
    assert_string_equal(table, expected);
    free(table);
  }
  unlink(path);
  free(expected);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replaced),       cmocka_unit_test(split_without_hooks), cmocka_unit_test(split_beside_hooks),
      cmocka_unit_test(split_by_calls), cmocka_unit_test(split_over_actions),  cmocka_unit_test(split_of_returned),
      cmocka_unit_test(recursion),      cmocka_unit_test(other_build),         cmocka_unit_test(refused),
      cmocka_unit_test(no_sample),      cmocka_unit_test(memory_and_merging),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
