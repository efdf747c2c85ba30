/* Times by samples of the profiled run itself: what they are, and how far they may be off. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/index.h"
#include "tests/support/sampled_run.h"

/* Each signature is rounded to whole ticks, which are milliseconds here: sums are a tick off at most. */
static void expect_times(struct callsig_stats *stats, double own, double own_of_f, double of_all)
{
  const double tick = 1e-3 + 1e-9;
  double sum = 0, of_f = 0, longest = 0;
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    sum += row.tottime;
    of_f += strcmp(row.function, "f") == 0 ? row.tottime : 0;
    longest = fmax(longest, row.cumtime);
  }
  if (fabs(sum - own) > tick || fabs(of_f - own_of_f) > tick || fabs(longest - of_all) > tick)
    fail_msg("%g of f %g, all %g", sum, of_f, longest);
}

/* Times are those of samples, whatever the hooks were calibrated to take; the clock's are still there, and a merged
 * recording has both. */
static void own_run(void **state)
{
  (void)state;
  struct sample sample;
  static const struct sampled_place places[] = {
      {"/bin/x", NULL, 0, FMT_NONE, 0},        {"main", "/src/a.c", 1, 0, 1000},   {"f", "/src/a.c", 5, 0, 5000},
      {FMT_OWN_CODE, NULL, 0, FMT_NONE, 4000}, {FMT_KERNEL, NULL, 0, FMT_NONE, 3}, {FMT_WAITING, NULL, 0, FMT_NONE, 0}};
  sampled_run_begin(&sample);
  sampled_run_add(&sample, places, sizeof places / sizeof *places);
  sampled_run_record(&sample)->period = SAMPLED_PERIOD / 100;
  sampled_run_record(&sample)->flags = FMT_SAMPLES_OWN_RUN | FMT_SAMPLES_LOST_WAITS;
  recording_writer_header(sample.recording)->flags |= FMT_REC_SAMPLED;
  struct callsig_stats *stats = sample_load(&sample, 100);
  for (int merged = 0; merged < 2; merged++) {
    expect_times(stats, .060, .050, .060);
    char *table = printed(stats, callsig_stats_print, NULL);
    if (!strstr(table, "of 10000 samples of the run 4000 were in hooks") || strstr(table, "beside") ||
        !strstr(table, "switches of threads were lost"))
      fail_msg("%s", table);
    free(table);
    assert_int_equal(callsig_stats_compensate(stats, 0), 0);
    expect_times(stats, .100, .080, .100);
    const char *path = scratch_path("merged");
    if (!merged) {
      assert_int_equal(callsig_stats_dump(stats, path), 0);
      callsig_stats_free(stats);
      assert_int_equal(callsig_stats_load(path, &stats), 0);
      unlink(path);
    }
  }
  callsig_stats_free(stats);
}

/* Begins a recording by nanoseconds of main() and f(n), and of g(n) where `has_g`. */
static void begin_by_ns(struct sample *sample, bool has_g)
{
  sample_begin(sample);
  recording_writer_header(sample->recording)->injected_hz = 1000000000;
  index_writer_function(sample->index, "/src/a.c", 1, "main", 0);
  for (unsigned i = 0; i < 1u + has_g; i++) {
    index_writer_function(sample->index, "/src/a.c", 5 + 4 * i, i == 0 ? "f" : "g", 0);
    index_writer_arg(sample->index, FMT_ARG_VALUE, "n", sample->int_type);
  }
  sample_calls(sample);
  recording_enter(sample->thread, sample->module, 0, (const uint64_t[]){0}, 0, 0);
}

/* Loads the recording, at whose end it is `now`, with samples of its own run, `period` ns apart: of main(), f() and
 * hooks so many. */
static struct callsig_stats *load_sampled(struct sample *sample, uint64_t now, uint64_t period, uint64_t of_main,
                                          uint64_t of_f, uint64_t of_hooks)
{
  const struct sampled_place places[] = {{"/bin/x", NULL, 0, FMT_NONE, 0},
                                         {"main", "/src/a.c", 1, 0, of_main},
                                         {"f", "/src/a.c", 5, 0, of_f},
                                         {FMT_OWN_CODE, NULL, 0, FMT_NONE, of_hooks}};
  sampled_run_add(sample, places, sizeof places / sizeof *places);
  sampled_run_record(sample)->period = period * 1024;
  sampled_run_record(sample)->flags = FMT_SAMPLES_OWN_RUN;
  recording_writer_header(sample->recording)->flags |= FMT_REC_SAMPLED;
  return sample_load(sample, now);
}

/* main() calls g 64 times, which calls f(n=1) for 2 or for 200 ns: g(n=1), or, with `apart`, one and the other n each
 * time. The result is f's row. Ticks are of a picosecond, so that what is rounded on each edge is nothing beside what
 * is compared. */
static struct callsig_stats_row row_of_f(bool apart)
{
  enum { CALLS = 64, NS = 1000 };
  struct sample sample;
  uint64_t now = 0;
  begin_by_ns(&sample, true);
  recording_writer_header(sample.recording)->injected_hz *= NS;
  for (uint64_t i = 0; i < CALLS; i++) {
    sampled_run_call(&sample, 2, apart ? i : 1, now);
    sampled_run_call(&sample, 1, 1, now);
    recording_exit(sample.thread, now += i % 2 ? 200u * NS : 2u * NS);
    recording_exit(sample.thread, now);
  }
  recording_exit(sample.thread, now += NS);
  struct callsig_stats *stats = load_sampled(&sample, now, 100 * NS, 10, 64, 40);
  struct callsig_stats_row row = {.size = sizeof row}, found = {.size = sizeof row};
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    if (strcmp(row.function, "f") == 0)
      found = row;
  }
  callsig_stats_free(stats);
  assert_int_equal(found.ncalls, CALLS);
  return found;
}

/* Half of 80 us are in f, and half in main, which calls it 10,000 times: hooks hide 5 us of each, and make 4 us of each
 * what they are. The sum is that of the samples, and what was hidden more than that. */
static void longer_beside_hooks(void **state)
{
  (void)state;
  enum { CALLS = 10000 };
  struct sample sample;
  uint64_t now = 0;
  begin_by_ns(&sample, false);
  for (uint64_t i = 0; i < CALLS; i++) {
    sampled_run_call(&sample, 1, 1, now);
    recording_exit(sample.thread, now += 6);
    now += 6;
  }
  recording_exit(sample.thread, now);
  struct callsig_stats *stats = load_sampled(&sample, now, 100, 400, 400, 400);
  struct callsig_stats_total total = {.size = sizeof total};
  assert_int_equal(callsig_stats_total(stats, &total), 0);
  if (fabs(total.time - 82e-6) > 1e-6)
    fail_msg("%g seconds", total.time);
  callsig_stats_free(stats);
}

/* What a row's times may be off by is a matter of all its calls, whatever edges they are on. */
static void errors_of_edges(void **state)
{
  (void)state;
  const struct callsig_stats_row one = row_of_f(false), many = row_of_f(true);
  assert_true(fabs(one.tottime - many.tottime) < 1e-9 && one.tottime > 0);
  if (fabs(one.tottime_error - many.tottime_error) > 1e-9 || fabs(one.cumtime_error - many.cumtime_error) > 1e-9)
    fail_msg("%g, %g on an edge; %g, %g on many", one.tottime_error, one.cumtime_error, many.tottime_error,
             many.cumtime_error);
  assert_true(one.tottime_error > 1e-9);
}

/* The error of the row of this function or signature. */
static double error_of(struct callsig_stats *stats, const char *name)
{
  struct callsig_stats_row row = {.size = sizeof row};
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    if (strcmp(row.signature ? row.signature : row.function, name) == 0)
      return row.tottime_error;
  }
  fail_msg("no row %s", name);
  return 0;
}

/* f(n=1) is called a thousand times for a nanosecond, as the clock has it, and f(n=2) once for 99 us. The clock may
 * have been read 10 ns too early for each of the short calls, which then is in the time of the long one. The function's
 * own time is that of samples. */
static void errors_of_a_split(void **state)
{
  (void)state;
  enum { CALLS = 1000 };
  struct sample sample;
  uint64_t now = 0;
  begin_by_ns(&sample, false);
  for (uint64_t i = 0; i < CALLS; i++) {
    sampled_run_call(&sample, 1, 1, now);
    recording_exit(sample.thread, ++now);
  }
  sampled_run_call(&sample, 1, 2, now);
  recording_exit(sample.thread, now += 99000);
  recording_exit(sample.thread, ++now);
  struct callsig_stats *stats = load_sampled(&sample, now, 1, 100, 100000, 40);
  const double misread = CALLS * 10e-9, of_short = error_of(stats, "f(n=1)"), of_long = error_of(stats, "f(n=2)");
  if (!(of_short > .95 * misread) || !(of_long > .95 * misread))
    fail_msg("%g and %g, %g misread", of_short, of_long, misread);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
  const double of_function = error_of(stats, "f");
  if (!(of_function < 40.5e-6))
    fail_msg("%g of the function", of_function);
  callsig_stats_free(stats);
}

/* f() was called 10,000 times for a nanosecond, as the clock has it, and no sample is in it: there may have been one.
 * Of ten calls there cannot have been one, as the clock tells. */
static void errors_without_samples(void **state)
{
  (void)state;
  enum { PERIOD = 20000 };
  for (uint64_t calls = 10; calls <= 10000; calls *= 1000) {
    struct sample sample;
    uint64_t now = 0;
    begin_by_ns(&sample, false);
    for (uint64_t i = 0; i < calls; i++) {
      sampled_run_call(&sample, 1, 1, now);
      recording_exit(sample.thread, ++now);
      now += 100;
    }
    recording_exit(sample.thread, now);
    struct callsig_stats *stats = load_sampled(&sample, now, PERIOD, 40, 0, 40);
    assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION), 0);
    const double error = error_of(stats, "f"), sample_error = 1.96e-9 * PERIOD;
    if (calls > 10 ? !(error > .9 * sample_error) : !(error < .01 * sample_error))
      fail_msg("%g of %u calls", error, (unsigned)calls);
    callsig_stats_free(stats);
  }
}

/* Another process that called the function, more often and for longer, makes a row's error neither larger nor smaller:
 * each process has samples of its own. */
static void errors_by_process(void **state)
{
  (void)state;
  static const unsigned calls[] = {1000, 20000};
  struct callsig_stats_row row[3][2];
  const char *paths[] = {strdup(scratch_path("first")), strdup(scratch_path("second"))};
  for (unsigned i = 0; i < 2; i++) {
    struct sample sample;
    uint64_t now = 0;
    begin_by_ns(&sample, false);
    for (uint64_t call = 0; call < calls[i]; call++) {
      sampled_run_call(&sample, 1, 1, now);
      recording_exit(sample.thread, now += 20);
    }
    recording_exit(sample.thread, ++now);
    struct callsig_stats *stats = load_sampled(&sample, now, 1000, 10, 20 * calls[i] / 1000, 40);
    assert_int_equal(callsig_stats_dump(stats, paths[i]), 0);
    callsig_stats_free(stats);
  }
  for (unsigned i = 0; i < 3; i++) {
    struct callsig_stats *stats;
    assert_int_equal(callsig_stats_load(paths[i % 2], &stats), 0);
    if (i == 2)
      assert_int_equal(callsig_stats_add(stats, paths[1]), 0);
    assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_PROCESS), 0);
    for (size_t k = 0; k < callsig_stats_row_count(stats); k++) {
      struct callsig_stats_row found = {.size = sizeof found};
      assert_int_equal(callsig_stats_row(stats, k, &found), 0);
      if (strcmp(found.function, "f") == 0)
        row[i][found.ncalls == calls[1]] = found;
    }
    callsig_stats_free(stats);
  }
  for (unsigned i = 0; i < 2; i++) {
    const double alone = row[i][i].tottime_error, together = row[2][i].tottime_error;
    if (!(alone > 0) || fabs(alone - together) > 1e-6 * alone)
      fail_msg("%g alone, %g together", alone, together);
    unlink(paths[i]);
    free((void *)paths[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(own_run),
      cmocka_unit_test(longer_beside_hooks),
      cmocka_unit_test(errors_of_edges),
      cmocka_unit_test(errors_of_a_split),
      cmocka_unit_test(errors_without_samples),
      cmocka_unit_test(errors_by_process),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
