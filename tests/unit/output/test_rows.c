/* How calls become rows: threads, modules, recursion, widening, open calls, several recordings, compensation. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/output_sample.h"

#define LOST UINT64_C(1)
#define LOG2 UINT64_C(3)

/* The row whose printed name or signature contains `text`; fails when there is none. */
static struct callsig_stats_row row_of(struct callsig_stats *stats, const char *text)
{
  struct callsig_stats_row row = {.size = sizeof row};
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    const char *parts[] = {row.signature, row.function, row.thread, row.module};
    for (size_t k = 0; k < 4; k++) {
      if (parts[k] && strstr(parts[k], text))
        return row;
    }
  }
  fail_msg("no row %s", text);
  return row;
}

static void expect_row(struct callsig_stats *stats, const char *text, uint64_t calls, uint64_t primitive, double own,
                       double cumulative)
{
  struct callsig_stats_row row = row_of(stats, text);
  if (row.ncalls != calls || row.pcalls != primitive || row.tottime - own > 1e-12 || own - row.tottime > 1e-12 ||
      row.cumtime - cumulative > 1e-12 || cumulative - row.cumtime > 1e-12)
    fail_msg("%s: %llu/%llu %.6f %.6f", text, (unsigned long long)row.ncalls, (unsigned long long)row.pcalls,
             row.tottime, row.cumtime);
}

static uint64_t one(struct sample *sample, const char *file, uint32_t line, const char *name)
{
  uint32_t number = index_writer_function(sample->index, file, line, name, 0);
  index_writer_arg(sample->index, FMT_ARG_VALUE, "n", sample->int_type);
  return number;
}

static void enter(struct recording_thread *thread, uint64_t module, uint32_t function, uint64_t n, uint64_t now)
{
  recording_enter(thread, module, function, (const uint64_t[]){0, n}, 2, now);
}

static void threads(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  struct recording_thread *worker = recording_writer_thread(sample.recording, 22, "worker");
  struct recording_thread *folded = recording_writer_thread(sample.recording, 0, "");
  recording_thread_record(folded)->state = FMT_THREAD_FOLDED;
  recording_thread_record(folded)->threads = 1000;
  enter(sample.thread, sample.module, 0, 1, 0);
  recording_exit(sample.thread, 10);
  enter(worker, sample.module, 0, 1, 5);
  enter(worker, sample.module, 0, 2, 6);
  recording_exit(worker, 8);
  recording_exit(worker, 20);
  enter(folded, sample.module, 0, 1, 0);
  recording_exit(folded, 100);
  struct callsig_stats *stats = sample_load(&sample, 100);
  expect_row(stats, "f(n=1)", 3, 3, .123, .125);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD);
  expect_row(stats, "worker (22)", 2, 1, .015, .015);
  expect_row(stats, "main (1)", 1, 1, .010, .010);
  expect_row(stats, "ended threads (1000)", 1, 1, .100, .100);
  callsig_stats_group(stats, CALLSIG_BY_THREAD);
  assert_int_equal(callsig_stats_row_count(stats), 3);
  expect_row(stats, "worker (22)", 2, 1, .015, .015);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "      2/1    0.015    0.007    0.015    0.015 [thread worker (22)]\n"));
  assert_non_null(strstr(table, "\n1000 ended threads shown as one\n"));
  free(table);
  callsig_stats_group(stats, CALLSIG_BY_SIGNATURE);
  const char *globs[] = {"work*", "22", "worker (22)"};
  for (int i = 0; i < 3; i++) {
    callsig_stats_filter(
        stats, &(struct callsig_stats_filter){.size = sizeof(struct callsig_stats_filter), .thread = globs[i]});
    assert_int_equal(callsig_stats_row_count(stats), 2);
    expect_row(stats, "f(n=1)", 1, 1, .013, .015);
  }
  callsig_stats_free(stats);
}

/* By module, a call inside another call of the module is not primitive, recursion or not. */
static void modules(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  one(&sample, "a.c", 2, "g");
  size_t size;
  void *index = index_writer_finish(sample.index, &size);
  uint64_t other = recording_writer_module(sample.recording, "/opt/other.so", 0x90000, 0x1000, index, size);
  free(index);
  sample_calls(&sample);
  enter(sample.thread, sample.module, 0, 1, 0);
  enter(sample.thread, sample.module, 1, 1, 10);
  enter(sample.thread, other, 0, 1, 20);
  enter(sample.thread, sample.module, 0, 1, 30);
  recording_exit(sample.thread, 35);
  recording_exit(sample.thread, 40);
  recording_exit(sample.thread, 60);
  recording_exit(sample.thread, 100);
  struct callsig_stats *stats = sample_load(&sample, 100);
  callsig_stats_group(stats, CALLSIG_BY_MODULE);
  expect_row(stats, "libsample.so", 3, 1, .085, .100);
  expect_row(stats, "other.so", 1, 1, .015, .020);
  /* One function in two modules is one row, unless rows are by module. */
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION);
  assert_int_equal(callsig_stats_row_count(stats), 2);
  expect_row(stats, "f", 3, 1, .070, .100);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_MODULE);
  assert_int_equal(callsig_stats_row_count(stats), 3);
  expect_row(stats, "other.so", 1, 1, .015, .020);
  callsig_stats_filter(stats,
                       &(struct callsig_stats_filter){.size = sizeof(struct callsig_stats_filter), .module = "oth*"});
  assert_int_equal(callsig_stats_row_count(stats), 1);
  callsig_stats_free(stats);
}

/* Three signatures that widening makes one: counted as recursion where they were nested. */
static void widening(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  enter(sample.thread, sample.module, 0, 5, 0);
  enter(sample.thread, sample.module, 0, 4, 10);
  recording_exit(sample.thread, 30);
  recording_exit(sample.thread, 40);
  recording_widen(sample.thread, sample.module, 0, 0, FMT_WIDEN_LOG2, 1);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){LOG2, 3}, 2, 50);
  recording_exit(sample.thread, 60);
  enter(sample.thread, sample.module, 0, 9, 60);
  recording_exit(sample.thread, 61);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){LOST}, 1, 61);
  recording_exit(sample.thread, 62);
  struct callsig_stats *stats = sample_load(&sample, 62);
  char *found = signatures(stats);
  assert_string_equal(found, "f(n=2^2..2^3)\nf(n=2^3..2^4)\nf(n=?)");
  free(found);
  expect_row(stats, "2^2..2^3", 3, 2, .050, .050);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "\nwidened: a.c:1(f): n to log2 buckets\n"));
  assert_non_null(strstr(table, "1 row joined by widening under recursion"));
  free(table);
  char *callers = printed(stats, callsig_stats_print_callers, NULL);
  struct callsig_stats_filter filter = {.size = sizeof filter, .signature = "n >= 8"};
  assert_int_equal(callsig_stats_filter(stats, &filter), 0);
  assert_int_equal(callsig_stats_row_count(stats), 1);
  expect_row(stats, "2^3..2^4", 1, 1, .001, .001);
  assert_non_null(strstr(callers, "a.c:1(f(n=2^2..2^3))  <-       1    0.020    0.020  a.c:1(f(n=2^2..2^3))\n"));
  free(callers);
  callsig_stats_free(stats);
}

/* A widening of one thread is a widening of all. */
static void widening_of_threads(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  struct recording_thread *worker = recording_writer_thread(sample.recording, 2, "worker");
  enter(worker, sample.module, 0, 5, 0);
  recording_exit(worker, 7);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){UINT64_C(4)}, 1, 0);
  recording_exit(sample.thread, 10);
  recording_widen(sample.thread, sample.module, 0, 0, FMT_WIDEN_TYPE, 1);
  struct callsig_stats *stats = sample_load(&sample, 10);
  assert_int_equal(callsig_stats_row_count(stats), 1);
  expect_row(stats, "f(n:int)", 2, 2, .017, .017);
  callsig_stats_free(stats);
}

/* Calls that are open when the recording ends have lasted until then. */
static void open_calls(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "main");
  one(&sample, "a.c", 2, "fact");
  sample_calls(&sample);
  enter(sample.thread, sample.module, 0, 0, 0);
  for (uint64_t i = 0; i < 200; i++)
    enter(sample.thread, sample.module, 1, i % 2, 10 + i);
  struct callsig_stats *stats = sample_load(&sample, 1000);
  expect_row(stats, "main(n=0)", 1, 1, .010, 1.0);
  expect_row(stats, "fact(n=0)", 100, 1, .100, .990);
  expect_row(stats, "fact(n=1)", 100, 1, .890, .989);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "201 calls still open when the recording ended; the innermost: a.c:2(fact(n=1))\n"));
  assert_non_null(strstr(table, "201 function calls (3 primitive calls) in 1.000 seconds"));
  free(table);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION);
  expect_row(stats, "fact", 200, 1, .990, .990);
  callsig_stats_free(stats);
}

/* Without a later reading of the clock, open calls end when the newest of them began. */
static void open_calls_without_clock(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "main");
  one(&sample, "a.c", 2, "f");
  sample_calls(&sample);
  enter(sample.thread, sample.module, 0, 0, 100);
  enter(sample.thread, sample.module, 1, 0, 110);
  recording_exit(sample.thread, 150);
  enter(sample.thread, sample.module, 1, 0, 160);
  struct callsig_stats *stats = sample_load(&sample, 0);
  expect_row(stats, "f(n=0)", 2, 2, .040, .040);
  expect_row(stats, "main", 1, 1, .020, .060);
  callsig_stats_free(stats);
}

static void recordings(void **state)
{
  (void)state;
  char first[300];
  struct sample sample;
  for (int i = 0; i < 2; i++) {
    sample_begin(&sample);
    uint32_t callback = index_writer_type(sample.index, FMT_TYPE_FUNCTION_POINTER, "int (*)(int)", 8, FMT_NONE);
    index_writer_symbol(sample.index, 0x100, 0x20, "on_read");
    if (i)
      index_writer_function(sample.index, "z.c", 3, "other", 0);
    uint32_t number = index_writer_function(sample.index, "a.c", 1, "f", 0);
    index_writer_arg(sample.index, FMT_ARG_VALUE, "cb", callback);
    /* The second process is mapped elsewhere and counts a finer clock. */
    size_t size;
    void *index = index_writer_finish(sample.index, &size);
    uint64_t base = i ? 0x500000 : 0x10000;
    recording_writer_header(sample.recording)->injected_hz = 1000;
    recording_writer_header(sample.recording)->clock = i ? FMT_CLOCK_MONOTONIC : FMT_CLOCK_INJECTED;
    sample.module = recording_writer_module(sample.recording, "/usr/lib/libsample.so", base, 0x10000, index, size);
    free(index);
    sample.thread = recording_writer_thread(sample.recording, 1, "main");
    sample_call(&sample, number, (const uint64_t[]){0, base + 0x100}, 2, 0, i ? 1500000 : 10);
    snprintf(first, sizeof first, "%s", scratch_path("first"));
    sample_end(&sample, 2000, i ? scratch_path("second") : first);
  }
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(first, &stats), 0);
  assert_int_equal(callsig_stats_row_count(stats), 1);
  assert_int_equal(callsig_stats_add(stats, scratch_path("second")), 0);
  unlink(first);
  unlink(scratch_path("second"));
  assert_int_equal(callsig_stats_row_count(stats), 1);
  expect_row(stats, "f(cb=on_read)", 2, 2, .0115, .0115);
  struct callsig_stats_row row = row_of(stats, "on_read");
  assert_true(row.min == .0015 && row.max == .010);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "\nthe recordings' clocks are of different kinds"));
  free(table);
  callsig_stats_free(stats);
}

/* The same function in two units whose parameters were compiled differently prints once where it prints alike. */
static void layouts(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "inline.h", 1, "f");
  index_writer_function(sample.index, "inline.h", 1, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  index_writer_arg(sample.index, FMT_ARG_IGNORED, "cookie", sample.int_type);
  sample_calls(&sample);
  enter(sample.thread, sample.module, 0, 5, 0);
  enter(sample.thread, sample.module, 1, 5, 2);
  recording_exit(sample.thread, 4);
  recording_exit(sample.thread, 10);
  struct callsig_stats *stats = sample_load(&sample, 10);
  assert_int_equal(callsig_stats_row_count(stats), 1);
  callsig_stats_group(stats, CALLSIG_BY_FUNCTION);
  expect_row(stats, "f", 2, 1, .010, .010);
  callsig_stats_free(stats);
}

static void strip_dirs(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "/x/a.c", 1, "f");
  one(&sample, "/y/a.c", 1, "f");
  sample_calls(&sample);
  enter(sample.thread, sample.module, 0, 5, 0);
  enter(sample.thread, sample.module, 1, 5, 2);
  recording_exit(sample.thread, 4);
  recording_exit(sample.thread, 10);
  struct callsig_stats *stats = sample_load(&sample, 10);
  assert_int_equal(callsig_stats_row_count(stats), 2);
  struct callsig_stats_filter filter = {.size = sizeof filter, .function = "^/y"};
  assert_int_equal(callsig_stats_filter(stats, &filter), 0);
  assert_int_equal(callsig_stats_row_count(stats), 1);
  filter.function = NULL;
  assert_int_equal(callsig_stats_filter(stats, &filter), 0);
  assert_int_equal(callsig_stats_strip_dirs(stats), 0);
  assert_int_equal(callsig_stats_row_count(stats), 1);
  assert_string_equal(row_of(stats, "f(n=5)").file, "a.c");
  /* As pstats does, which adds what has the same name. */
  expect_row(stats, "f(n=5)", 2, 2, .010, .012);
  callsig_stats_free(stats);
}

/* main calls f ten times. A call's hooks cost 2 ticks inside and 1 in the caller. */
static void compensation(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "main");
  one(&sample, "a.c", 2, "f");
  one(&sample, "a.c", 3, "nothing");
  sample_calls(&sample);
  struct fmt_rec_header *header = recording_writer_header(sample.recording);
  header->hook_inner = 2 * 1024;
  header->hook_outer = 1024;
  enter(sample.thread, sample.module, 0, 0, 0);
  for (uint64_t i = 0; i < 10; i++) {
    enter(sample.thread, sample.module, 1, i % 2, 10 + 5 * i);
    recording_exit(sample.thread, 14 + 5 * i);
  }
  enter(sample.thread, sample.module, 2, 0, 62);
  recording_exit(sample.thread, 63);
  recording_exit(sample.thread, 100);
  struct callsig_stats *stats = sample_load(&sample, 100);
  expect_row(stats, "main", 1, 1, .059, .100);
  assert_int_equal(callsig_stats_compensate(stats, 1), 0);
  expect_row(stats, "f(n=0)", 5, 5, .010, .010);
  expect_row(stats, "f(n=1)", 5, 5, .010, .010);
  /* Never negative: 1 tick, of which 2 were the hooks'. */
  expect_row(stats, "nothing", 1, 1, 0, 0);
  /* 59 own ticks, less 2 for its own hooks and 11 for its callees'; below it 20 ticks and 1 were the hooks'. */
  expect_row(stats, "main", 1, 1, .046, .066);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, "   ncalls  tottime  percall  cumtime  percall    hooks filename:lineno(function)\n"));
  assert_non_null(strstr(table, "        1    0.046    0.046    0.066    0.066    0.013 a.c:1(main(n=0))\n"));
  assert_non_null(strstr(table, "compensated: 0.034 seconds"));
  assert_non_null(strstr(table, "its sum may be off by 0.066 seconds\n"));
  free(table);
  callsig_stats_compensate(stats, 0);
  expect_row(stats, "main", 1, 1, .059, .100);
  callsig_stats_free(stats);
}

/* Losses are told, each in one line. */
static void losses(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  struct fmt_rec_header *header = recording_writer_header(sample.recording);
  for (uint64_t i = 0; i < FMT_LOSS_HISTOGRAM + 1; i++)
    header->loss[i] = i + 1;
  header->loss[FMT_LOSS_NO_SLED] = 12;
  header->exit_status = 9;
  struct callsig_stats *stats = sample_load(&sample, 0);
  char *table = printed(stats, callsig_stats_print, NULL);
  const char *lines[] = {"\n1 call not recorded: the recording could not grow",
                         "\n2 calls not recorded: made inside",
                         "\n3 exits without an entry",
                         "\n4 calls ended without their exit hook",
                         "\n5 calls counted without the caller's signature",
                         "\n6 calls counted in merged contexts",
                         "\n7 calls not recorded: made after",
                         "\n8 calls of modules without",
                         "\n9 signatures merged into wider ones",
                         "\n10 spans not in the timeline",
                         "\n11 calls not in the percentiles",
                         "\n12 calls not recorded: their module's signature index",
                         "\nthe program was ended by signal 9 (Killed)"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    if (!strstr(table, lines[i]))
      fail_msg("%s is not in %s", lines[i], table);
  assert_true(strstr(table, lines[0]) < strstr(table, lines[12])); /* what is missing is told first */
  assert_ptr_equal(strstr(table, "         0 function calls in 0.000 seconds\n\n"), table);
  free(table);
  callsig_stats_free(stats);
}

static void losses_of_one(void **state)
{
  (void)state;
  static const char *const lines[FMT_LOSS_COUNT] = {
      [FMT_LOSS_UNWOUND] = "\n1 call ended without its exit hook",
      [FMT_LOSS_LATE] = "\n1 call not recorded: made after its thread had ended",
      [FMT_LOSS_TIMELINE] = "\n1 span not in the timeline: its thread found",
      [FMT_LOSS_NO_SLED] = "\n1 call not recorded: its module's signature index",
  };
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  for (size_t i = 0; i < FMT_LOSS_COUNT; i++)
    recording_writer_header(sample.recording)->loss[i] = lines[i] != NULL;
  struct callsig_stats *stats = sample_load(&sample, 0);
  char *table = printed(stats, callsig_stats_print, NULL);
  for (size_t i = 0; i < FMT_LOSS_COUNT; i++)
    if (lines[i] && !strstr(table, lines[i]))
      fail_msg("%s is not in %s", lines[i], table);
  free(table);
  callsig_stats_free(stats);
}

static void without_signatures(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  recording_writer_header(sample.recording)->flags = 0;
  sample_call(&sample, 0, NULL, 0, 0, 1);
  struct callsig_stats *stats = sample_load(&sample, 1);
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_non_null(strstr(table, " a.c:1(f)\n"));
  assert_non_null(strstr(table, "\nsignatures were not recorded: rows are by function\n"));
  free(table);
  callsig_stats_free(stats);
}

static void refusals(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  one(&sample, "a.c", 1, "f");
  sample_calls(&sample);
  sample_call(&sample, 0, NULL, 0, 0, 1);
  struct callsig_stats *stats = sample_load(&sample, 1);
  struct callsig_stats_filter filter = {.size = sizeof filter, .function = "("};
  assert_int_equal(callsig_stats_filter(stats, &filter), -22);
  assert_string_equal(last_message(), "--function '(': missing closing parenthesis at column 2");
  assert_int_equal(callsig_stats_group(stats, 0), -22);
  assert_int_equal(callsig_stats_sort(stats, "c"), -22);
  assert_string_equal(last_message(),
                      "sort key 'c' is ambiguous: the keys are calls, ncalls, cumtime, cumulative, filename, line, "
                      "module, name, nfl, pcalls, stdname, time, tottime, allocs, allocbytes, unfreed, cpu, wait");
  assert_int_equal(callsig_stats_sort(stats, "speed"), -22);
  assert_int_equal(callsig_stats_sort(stats, ""), -22);
  const char *restriction = "1.5";
  assert_int_equal(callsig_stats_print(stats, stderr, &restriction, 1), -22);
  assert_string_equal(last_message(), "restriction 1.5: a fraction must lie in [0, 1]");
  struct callsig_stats_row row = {.size = sizeof row};
  assert_int_equal(callsig_stats_row(stats, 1, &row), -22);
  callsig_stats_group(stats, CALLSIG_BY_MODULE);
  assert_int_equal(callsig_stats_print_callers(stats, stderr, NULL, 0), -22);
  FILE *full = fopen("/dev/full", "w");
  setvbuf(full, NULL, _IONBF, 0);
  assert_int_equal(callsig_stats_print(stats, full, NULL, 0), -5);
  assert_int_equal(callsig_stats_print_json(stats, full, NULL, 0), -5);
  assert_int_equal(callsig_stats_print_csv(stats, full, NULL, 0), -5);
  fclose(full);
  callsig_stats_free(stats);
  callsig_stats_free(NULL);
  assert_int_equal(callsig_stats_snapshot(&stats), -2);
  assert_string_equal(last_message(),
                      "this process is not being recorded: link libcallsig, or start it by callsig run");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads),
      cmocka_unit_test(modules),
      cmocka_unit_test(widening),
      cmocka_unit_test(widening_of_threads),
      cmocka_unit_test(open_calls),
      cmocka_unit_test(open_calls_without_clock),
      cmocka_unit_test(recordings),
      cmocka_unit_test(layouts),
      cmocka_unit_test(strip_dirs),
      cmocka_unit_test(compensation),
      cmocka_unit_test(losses),
      cmocka_unit_test(losses_of_one),
      cmocka_unit_test(without_signatures),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
