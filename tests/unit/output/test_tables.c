/* How tables look: columns, units, percentiles, call stacks, averages, lines for a terminal, and notes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/output_sample.h"

enum { SUB_BITS = 3, TIMES = 2000 };

static void expect_line(struct callsig_stats *stats, print_fn print, const char *line)
{
  char *table = printed(stats, print, NULL);
  if (!strstr(table, line))
    fail_msg("no line '%s' in\n%s", line, table);
  free(table);
}

static void style(struct callsig_stats *stats, const char *columns, unsigned unit, unsigned width, int color)
{
  struct callsig_stats_style wanted = {
      .size = sizeof wanted, .columns = columns, .unit = unit, .width = width, .color = color};
  assert_int_equal(callsig_stats_set_style(stats, &wanted), 0);
}

/* main() calls f(n=1) and f(n=2); f(n=2) calls g, main() does, too. Milliseconds. */
static struct callsig_stats *tree(void)
{
  struct sample sample;
  sample_begin(&sample);
  const char *const names[] = {"main", "f", "g"};
  for (uint32_t i = 0; i < 3; i++) {
    index_writer_function(sample.index, "a.c", i + 1, names[i], 0);
    index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  }
  sample_calls(&sample);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){0, 0}, 2, 0);
  sample_call(&sample, 1, (const uint64_t[]){0, 1}, 2, 10, 20);
  recording_enter(sample.thread, sample.module, 1, (const uint64_t[]){0, 2}, 2, 100);
  sample_call(&sample, 2, (const uint64_t[]){0, 7}, 2, 200, 1200);
  recording_exit(sample.thread, 1300);
  sample_call(&sample, 2, (const uint64_t[]){0, 7}, 2, 1500, 1510);
  recording_exit(sample.thread, 2000);
  return sample_load(&sample, 2000);
}

static void columns_and_units(void **state)
{
  (void)state;
  struct callsig_stats *stats = tree();
  expect_line(stats, callsig_stats_print,
              "\n   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
              "        1    0.780    0.780    2.000    2.000 a.c:1(main(n=0))\n");
  style(stats, "+tottime%,min,max,cumtime%", CALLSIG_UNIT_SECONDS, 0, 0);
  expect_line(stats, callsig_stats_print,
              "\n   ncalls  tottime  percall  cumtime  percall    tot%      min      max    cum% filename");
  expect_line(stats, callsig_stats_print,
              "\n        2    1.010    0.505    1.010    0.505  50.50%    0.010    1.000  50.50% a.c:3(g(n=7))\n");
  style(stats, "+ncalls,tottime%,+tottime%,cumtime", CALLSIG_UNIT_SECONDS, 0, 0);
  expect_line(stats, callsig_stats_print,
              "\n   ncalls  tottime  percall  cumtime  percall    tot% filename:lineno(function)\n");
  style(stats, "pcalls,cumtime", CALLSIG_UNIT_MILLISECONDS, 0, 0);
  expect_line(stats, callsig_stats_print, "\n   Times in milliseconds\n");
  expect_line(stats, callsig_stats_print, "\n        1    2000.000 a.c:1(main(n=0))\n");
  style(stats, "tottime,tottime/call", CALLSIG_UNIT_AUTO, 0, 0);
  expect_line(stats, callsig_stats_print, "\n   1.010s 505.000ms a.c:3(g(n=7))\n");
  style(stats, "tottime", CALLSIG_UNIT_NANOSECONDS, 0, 0);
  expect_line(stats, callsig_stats_print, "\n   1010000000.000 a.c:3(g(n=7))\n");
  style(stats, NULL, CALLSIG_UNIT_MICROSECONDS, 0, 0);
  expect_line(stats, callsig_stats_print_callers, "    ncalls        tottime        cumtime\n");
  expect_line(stats, callsig_stats_print_callers, "         1    1000000.000    1000000.000  a.c:2(f(n=2))\n");
  struct callsig_stats_style wrong = {.size = sizeof wrong, .columns = "ncalls,speed"};
  assert_int_equal(callsig_stats_set_style(stats, &wrong), -22);
  assert_string_equal(last_message(), "column 'speed' is unknown: the columns are ncalls, pcalls, tottime, tottime%, "
                                      "tottime/call, cumtime, cumtime%, cumtime/call, min, max, p50, p90, p99, error, "
                                      "cumerror, timed, cpu, wait, waiterror, cumcpu, cumwait, cumwaiterror, allocs, "
                                      "allocbytes, unfreed, alloc");
  wrong = (struct callsig_stats_style){.size = sizeof wrong, .unit = 9};
  assert_int_equal(callsig_stats_set_style(stats, &wrong), -22);
  style(stats, "p50,ncalls", CALLSIG_UNIT_SECONDS, 0, 0);
  expect_line(stats, callsig_stats_print, "\n       ?         1 a.c:1(main(n=0))\n");
  expect_line(stats, callsig_stats_print, "\npercentiles are unknown: no histograms were recorded");
  callsig_stats_free(stats);
}

static void call_stacks(void **state)
{
  (void)state;
  struct callsig_stats *stats = tree();
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
  assert_int_equal(callsig_stats_stack(stats, 1), 0);
  expect_line(stats, callsig_stats_print,
              "        1    1.000    1.000    1.000    1.000 a.c:3(g) [called by a.c:2(f)]\n");
  expect_line(stats, callsig_stats_print,
              "        1    0.010    0.010    0.010    0.010 a.c:3(g) [called by a.c:1(main)]\n");
  expect_line(stats, callsig_stats_print, " a.c:1(main) [called by -]\n");
  assert_int_equal(callsig_stats_stack(stats, 5), 0);
  expect_line(stats, callsig_stats_print, " a.c:3(g) [called by a.c:2(f) < a.c:1(main)]\n");
  expect_line(stats, callsig_stats_print_csv, ",max,stack");
  expect_line(stats, callsig_stats_print_csv, ",a.c:2(f) < a.c:1(main)");
  char *json = printed(stats, callsig_stats_print_json, NULL);
  assert_non_null(strstr(json, "\"stack\""));
  assert_non_null(strstr(json, "\"a.c:2(f)\""));
  free(json);
  assert_int_equal(callsig_stats_stack(stats, 65), -22);
  assert_int_equal(callsig_stats_stack(stats, 0), 0);
  assert_int_equal(callsig_stats_row_count(stats), 3);
  callsig_stats_free(stats);
}

static void averages(void **state)
{
  (void)state;
  struct callsig_stats *stats = tree();
  char *table = printed(stats, callsig_stats_print_averages, NULL);
  assert_string_equal(table,
                      "--------  ------------  ------------  ------------  ------------  ------------  ------------  "
                      "----------------  -------------------  \n"
                      "    Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  "
                      "    Input Shapes      Source Location  \n"
                      "--------  ------------  ------------  ------------  ------------  ------------  ------------  "
                      "----------------  -------------------  \n"
                      "    main        39.00%     780.000ms       100.00%        2.000s        2.000s             1  "
                      "           (n=0)                a.c:1  \n"
                      "       f        10.00%     200.000ms        60.00%        1.200s        1.200s             1  "
                      "           (n=2)                a.c:2  \n"
                      "       g        50.50%        1.010s        50.50%        1.010s     505.000ms             2  "
                      "           (n=7)                a.c:3  \n"
                      "       f         0.50%      10.000ms         0.50%      10.000ms      10.000ms             1  "
                      "           (n=1)                a.c:2  \n"
                      "--------  ------------  ------------  ------------  ------------  ------------  ------------  "
                      "----------------  -------------------  \n"
                      "Self CPU time total: 2.000s\n\n");
  free(table);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
  assert_int_equal(callsig_stats_stack(stats, 2), 0);
  expect_line(
      stats, callsig_stats_print_averages,
      "      50.00%        1.000s        50.00%        1.000s        1.000s             1             a.c:2(f)  \n"
      "                                                                                            "
      "          a.c:1(main)  \n");
  callsig_stats_free(stats);
}

/* Ten of these wide characters name a function. */
#define WIDE_4  "\xe5\xb9\x85\xe5\xb9\x85\xe5\xb9\x85\xe5\xb9\x85"
#define WIDE_8  WIDE_4 WIDE_4
#define WIDE_9  WIDE_8 "\xe5\xb9\x85"
#define WIDE_10 WIDE_9 "\xe5\xb9\x85"

static struct callsig_stats *wide(struct sample *sample)
{
  sample_begin(sample);
  index_writer_function(sample->index, "a.c", 1, WIDE_10, 0);
  sample_calls(sample);
  sample_call(sample, 0, (const uint64_t[]){0}, 0, 0, 1000);
  return sample_load(sample, 1000);
}

/* Wide characters take two cells; nothing is shortened where no width was given. */
static void terminals(void **state)
{
  (void)state;
  struct sample sample;
  struct callsig_stats *stats = wide(&sample);
  /* 46 cells of numbers, "a.c:1(" and as many of the characters as leave room for three dots: nine, of two cells. */
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 74, 0);
  expect_line(stats, callsig_stats_print, "    1.000    1.000 a.c:1(" WIDE_9 "...\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 75, 0);
  expect_line(stats, callsig_stats_print, " a.c:1(" WIDE_10 "())\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 74, 1);
  expect_line(stats, callsig_stats_print, "\n        1 \033[31m   1.000 \033[0m   1.000 \033[31m   1.000 \033[0m");
  expect_line(stats, callsig_stats_print, " a.c:1(" WIDE_9 "...\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 82, 0);
  expect_line(stats, callsig_stats_print_callers, "\na.c:1(" WIDE_8 "... ");
  callsig_stats_free(stats);
}

/* However narrow the terminal, each column is there, its heading, and enough of a name to know it. */
static void narrow_terminals(void **state)
{
  (void)state;
  struct sample sample;
  struct callsig_stats *stats = wide(&sample);
  const unsigned widths[] = {80, 40, 1};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    style(stats, "+alloc,error", CALLSIG_UNIT_SECONDS, widths[i], 0);
    expect_line(stats, callsig_stats_print, "   allocs   allocbytes      unfreed    error filename:lineno(function)\n");
    expect_line(stats, callsig_stats_print, " a.c:1(" WIDE_8 "...\n");
    style(stats, NULL, CALLSIG_UNIT_SECONDS, widths[i], 0);
    expect_line(stats, callsig_stats_print_callers, "\na.c:1(" WIDE_8 "... <-");
  }
  callsig_stats_free(stats);

  /* Averages have many numbers: names take what these leave, and of a file its end stays. */
  sample_begin(&sample);
  index_writer_function(sample.index, "/home/user/project/sources/huff.c", 1, "code", 0);
  sample_calls(&sample);
  sample_call(&sample, 0, (const uint64_t[]){0}, 0, 0, 1000);
  stats = sample_load(&sample, 1000);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 100, 0);
  expect_line(stats, callsig_stats_print_averages, "    code       100.00%");
  expect_line(stats, callsig_stats_print_averages, "             1        ...sources/huff.c:1  \n");
  callsig_stats_free(stats);
}

/* What does not fit loses leading folders before its function, as few as will do; the sum of the table stays whole. */
static void folders(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  for (uint32_t i = 0; i < 2; i++) {
    index_writer_function(sample.index, "/home/user/codec/huff.c", i + 1, i ? "g" : "f", 0);
    index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  }
  sample_calls(&sample);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){0, 200}, 2, 0);
  sample_call(&sample, 1, (const uint64_t[]){0, 7}, 2, 10, 20);
  recording_exit(sample.thread, 1000);
  struct callsig_stats *stats = sample_load(&sample, 1000);
  const char *whole = " /home/user/codec/huff.c:1(f(n=200))\n";
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 0, 0);
  expect_line(stats, callsig_stats_print, whole);
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 81, 0);
  expect_line(stats, callsig_stats_print, whole);
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 80, 0);
  expect_line(stats, callsig_stats_print, "    1.000    1.000 ...user/codec/huff.c:1(f(n=200))\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 70, 0);
  expect_line(stats, callsig_stats_print, "    1.000    1.000 ...huff.c:1(f(n=200))\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 60, 0);
  expect_line(stats, callsig_stats_print, "    1.000    1.000 ...huff.c:1(f(n=200))\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 20, 0);
  expect_line(stats, callsig_stats_print, "         2 function calls in 1.000 seconds\n");
  /* Both names of a line, each in its part. */
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 90, 0);
  expect_line(stats, callsig_stats_print_callers, " ...codec/huff.c:1(f(n=200))\n");
  style(stats, NULL, CALLSIG_UNIT_SECONDS, 60, 0);
  expect_line(stats, callsig_stats_print_callers, "\n...codec/huff.c:2(g(n=7)) <- ");
  callsig_stats_free(stats);
}

static unsigned bucket_of(uint64_t value)
{
  unsigned halvings = 0;
  for (uint64_t rest = value; rest >> (SUB_BITS + 1); rest /= 2)
    halvings++;
  if (value >> SUB_BITS == 0)
    return (unsigned)value;
  return ((halvings + 1) << SUB_BITS) + (unsigned)((value >> halvings) - (1u << SUB_BITS));
}

/* Gives the newest edge of the thread a histogram of these times. */
static void put_histogram(struct sample *sample, const uint64_t *times, size_t count)
{
  struct recording_writer *writer = sample->recording;
  uint64_t address = recording_writer_make(writer, FMT_TAG_HISTOGRAM, sizeof(struct fmt_rec_histogram));
  ((struct fmt_rec_histogram *)recording_writer_at(writer, address))->sub_bits = SUB_BITS;
  for (size_t i = 0; i < count; i++) {
    unsigned bucket = bucket_of(times[i]), octave = bucket >> SUB_BITS;
    uint64_t counters = ((struct fmt_rec_histogram *)recording_writer_at(writer, address))->octaves[octave];
    if (!counters) {
      counters = recording_writer_make(writer, 0, sizeof(uint64_t) << SUB_BITS);
      memset(recording_writer_at(writer, counters), 0, sizeof(uint64_t) << SUB_BITS);
      ((struct fmt_rec_histogram *)recording_writer_at(writer, address))->octaves[octave] = counters;
    }
    ((uint64_t *)recording_writer_at(writer, counters))[bucket & ((1u << SUB_BITS) - 1)]++;
  }
  uint64_t edge = recording_thread_record(sample->thread)->first_edge;
  ((struct fmt_rec_edge *)recording_writer_at(writer, edge))->histogram = address;
}

static int compare_times(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* The time at this percent of `count` sorted ones, of a clock with 1000 ticks a second. */
static double seconds_at(const uint64_t *sorted, size_t count, size_t percent)
{
  size_t place = count * percent / 100;
  return (double)sorted[place] / 1000;
}

static void expect_near(double found, double wanted)
{
  const double bound = 1.0 / (1 << (SUB_BITS + 1));
  if (!(fabs(found - wanted) <= wanted * bound + 1e-12))
    fail_msg("%.9f, not about %.9f", found, wanted);
}

/* Two signatures of one function, each with its histogram: beside exact percentiles, by signature and by function. */
static void percentiles(void **state)
{
  (void)state;
  static uint64_t all[2 * TIMES];
  struct sample sample;
  uint64_t now = 0, random = 9;
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 1, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  for (uint64_t n = 0; n < 2; n++) {
    for (size_t i = 0; i < TIMES; i++) {
      random = random * UINT64_C(6364136223846793005) + 1;
      uint64_t time = (random >> 40) % (n ? 100000 : 300) + n;
      sample_call(&sample, 0, (const uint64_t[]){0, n}, 2, now, now + time);
      all[n * TIMES + i] = time;
      now += time;
    }
    put_histogram(&sample, all + n * TIMES, TIMES);
  }
  struct callsig_stats *stats = sample_load(&sample, now);
  qsort(all, TIMES, sizeof *all, compare_times);
  struct callsig_stats_row row = {.size = sizeof row};
  assert_int_equal(callsig_stats_sort(stats, "cumulative"), 0);
  assert_int_equal(callsig_stats_row(stats, 1, &row), 0);
  assert_string_equal(row.signature, "f(n=0)");
  expect_near(row.p50, seconds_at(all, TIMES, 50));
  expect_near(row.p90, seconds_at(all, TIMES, 90));
  expect_near(row.p99, seconds_at(all, TIMES, 99));
  qsort(all, 2 * TIMES, sizeof *all, compare_times);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
  assert_int_equal(callsig_stats_row(stats, 0, &row), 0);
  expect_near(row.p50, seconds_at(all, 2 * TIMES, 50));
  expect_near(row.p90, seconds_at(all, 2 * TIMES, 90));
  expect_near(row.p99, seconds_at(all, 2 * TIMES, 99));
  char *json = printed(stats, callsig_stats_print_json, NULL);
  assert_non_null(strstr(json, "\"p99\": 9"));
  free(json);
  callsig_stats_free(stats);
}

/* Where a histogram is missing for some of a row's calls, its percentiles are unknown. */
static void unknown_percentiles(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "a.c", 1, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 0, 5);
  sample_call(&sample, 0, (const uint64_t[]){0, 2}, 2, 5, 12);
  put_histogram(&sample, (const uint64_t[]){7}, 1);
  struct callsig_stats *stats = sample_load(&sample, 20);
  struct callsig_stats_row row = {.size = sizeof row};
  assert_int_equal(callsig_stats_row(stats, 0, &row), 0);
  assert_true(row.p50 == .007 && row.p99 == .007);
  assert_int_equal(callsig_stats_row(stats, 1, &row), 0);
  assert_true(isnan(row.p50));
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
  assert_int_equal(callsig_stats_row(stats, 0, &row), 0);
  assert_true(isnan(row.p99));
  char *csv = printed(stats, callsig_stats_print_csv, NULL);
  assert_non_null(strstr(csv, ",min,max,p50,p90,p99\r\n"));
  assert_non_null(strstr(csv, ",0.005,0.007,,,\r\n"));
  free(csv);
  callsig_stats_free(stats);
}

/* Neither a call that is open in the end, nor calls below another function's recursion, are inside of calls of their
 * own function: what widening makes one of them is counted exactly, and no note says otherwise. */
static void widened_without_recursion(void **state)
{
  (void)state;
  struct sample sample;
  sample_begin(&sample);
  for (uint32_t i = 0; i < 2; i++) {
    index_writer_function(sample.index, "a.c", i + 1, i == 0 ? "f" : "g", 0);
    index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  }
  sample_calls(&sample);
  recording_enter(sample.thread, sample.module, 1, (const uint64_t[]){0, 0}, 2, 0);
  recording_enter(sample.thread, sample.module, 1, (const uint64_t[]){0, 0}, 2, 0);
  sample_call(&sample, 0, (const uint64_t[]){0, 5}, 2, 0, 10);
  recording_exit(sample.thread, 10);
  recording_exit(sample.thread, 10);
  sample_call(&sample, 0, (const uint64_t[]){0, 4}, 2, 10, 30);
  recording_widen(sample.thread, sample.module, 0, 0, FMT_WIDEN_LOG2, 1);
  recording_enter(sample.thread, sample.module, 0, (const uint64_t[]){FMT_STATE_LOG2, 3}, 2, 40);
  struct callsig_stats *stats = sample_load(&sample, 60);
  expect_line(stats, callsig_stats_print, "\n        3    0.050    0.017    0.050    0.017 a.c:1(f(n=2^2..2^3))\n");
  expect_line(stats, callsig_stats_print, "\nwidened: a.c:1(f): n to log2 buckets\n");
  char *table = printed(stats, callsig_stats_print, NULL);
  assert_null(strstr(table, "joined by widening under recursion"));
  free(table);
  callsig_stats_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_and_units),
      cmocka_unit_test(call_stacks),
      cmocka_unit_test(averages),
      cmocka_unit_test(terminals),
      cmocka_unit_test(narrow_terminals),
      cmocka_unit_test(folders),
      cmocka_unit_test(percentiles),
      cmocka_unit_test(unknown_percentiles),
      cmocka_unit_test(widened_without_recursion),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
