/* Imputed times that do not fit together, by themselves or beside measured ones: what becomes of them. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/sampling_twin.h"

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

static int set_up(void **state)
{
  (void)state;
  callsig_stats_set_message(ignore, NULL);
  return 0;
}

/* The clock stands still between what is told, so that sums are known. */
static double sum_of_own(struct callsig_stats *stats)
{
  double sum = 0;
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    assert_true(row.tottime >= 0);
    sum += row.tottime;
  }
  return sum * HZ;
}

/* The own times of all rows sum to what the outermost call took, by function and by signature. */
static void expect_whole(struct callsig_stats *stats, double ticks)
{
  static const unsigned groups[] = {CALLSIG_BY_SIGNATURE, CALLSIG_BY_FUNCTION, CALLSIG_BY_THREAD};
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
    assert_int_equal(callsig_stats_group(stats, groups[i]), 0);
    if (fabs(sum_of_own(stats) - ticks) > 1e-3)
      fail_msg("%.3f ticks are the sum of tottime, not %.3f", sum_of_own(stats), ticks);
  }
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_SIGNATURE), 0);
}

/* The first 32 calls of leaf(), which are timed, take 100 ticks, and the others 10: these count with 100 until one of
 * them is timed, and main(), which is timed, has no room for that. */
static void measured_callers_bound(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 1, 20);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 100; i++)
    twin_call(&twin, LEAF, 0, i < 32 ? 100 : 10);
  twin_leave(&twin);
  twin_end(&twin, stats);
  struct callsig_stats_row leaf = twin_row(stats[SAMPLED], "leaf(n=0)"), whole = twin_row(stats[SAMPLED], "main(n=0)");
  const double main_ticks = 32 * 100 + 68 * 10;
  assert_true(fabs(whole.cumtime * HZ - main_ticks) < 1e-3 && fabs(whole.tottime) < 1e-12);
  assert_true(fabs(leaf.tottime * HZ - main_ticks) < 1e-3);
  /* It was off by 68 * 90, and the interval holds both what was imputed and what it became. */
  assert_true(leaf.tottime_error * HZ >= 68 * 90);
  expect_whole(stats[SAMPLED], main_ticks);
  twin_free(stats);
}

/* What is more uncertain gives more: inner()'s calls are all alike, leaf()'s are not. */
static void uncertain_estimates_give_more(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 2, 20);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 1000; i++) {
    twin_call(&twin, INNER, 0, 100);
    twin_call(&twin, LEAF, 0, i < 32 ? (i % 2 ? 50 : 150) : 20);
  }
  twin_leave(&twin);
  twin_end(&twin, stats);
  struct callsig_stats_row leaf = twin_row(stats[SAMPLED], "leaf(n=0)"), inner = twin_row(stats[SAMPLED], "inner(n=0)");
  assert_true(fabs(inner.tottime * HZ - 1000 * 100) < 50);
  assert_true(fabs(leaf.tottime * HZ - (32 * 100 + 968 * 20)) < 50);
  expect_whole(stats[SAMPLED], 1000 * 100 + 32 * 100 + 968 * 20);
  twin_free(stats);
}

/* outer() is mostly not timed and was short while it was; once in 100 calls it calls leaf(), of which the first 32
 * calls are timed: there are no more. So outer() took no less than they did, and main() has the time. */
static void callers_take_no_less(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 3, 20);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 3200; i++) {
    twin_enter(&twin, OUTER, 0);
    twin.now += 10;
    if (i % 100 == 99)
      twin_call(&twin, LEAF, 0, 5000);
    twin_leave(&twin);
  }
  twin_leave(&twin);
  twin_end(&twin, stats);
  struct callsig_stats_row leaf = twin_row(stats[SAMPLED], "leaf(n=0)"), outer = twin_row(stats[SAMPLED], "outer(n=0)");
  assert_true(fabs(leaf.tottime * HZ - 32 * 5000) < 1e-3 && leaf.tottime_error == 0);
  assert_true(outer.cumtime >= leaf.cumtime && outer.tottime >= 0);
  assert_true(outer.cumtime_error * HZ >= 32 * 5000 - 3200 * 10);
  expect_whole(stats[SAMPLED], 3200 * 10 + 32 * 5000);
  twin_free(stats);
}

/* The same of outer(n=1), which is called by recursion alone: from inside of outer(n=0), the only call of main(). */
static void calls_back_take_no_less(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 3, 20);
  twin_enter(&twin, MAIN, 0);
  twin_enter(&twin, OUTER, 0);
  for (unsigned i = 0; i < 3200; i++) {
    twin_enter(&twin, INNER, 0);
    twin_enter(&twin, OUTER, 1);
    twin.now += 10;
    if (i % 100 == 99)
      twin_call(&twin, LEAF, 0, 5000);
    twin_leave(&twin);
    twin_leave(&twin);
  }
  twin_leave(&twin);
  twin_leave(&twin);
  twin_end(&twin, stats);
  struct callsig_stats_row leaf = twin_row(stats[SAMPLED], "leaf(n=0)"), inner = twin_row(stats[SAMPLED], "inner(n=0)");
  assert_true(fabs(leaf.tottime * HZ - 32 * 5000) < 1e-3);
  assert_true(inner.cumtime >= leaf.cumtime);
  expect_whole(stats[SAMPLED], 3200 * 10 + 32 * 5000);
  twin_free(stats);
}

static void recurse(struct twin *twin, unsigned depth)
{
  const bool is_first = roll(&twin->dice, 3) == 0;
  twin_enter(twin, depth % 2 ? OUTER : INNER, roll(&twin->dice, 3));
  twin->now += twin_ticks(&twin->dice, TWO_LENGTHS, 0);
  if (depth > 0)
    recurse(twin, depth - 1);
  if (is_first && depth > 1)
    recurse(twin, depth - 2);
  twin_call(twin, LEAF, roll(&twin->dice, 2), twin_ticks(&twin->dice, EXPONENTIAL, 0));
  twin_leave(twin);
}

/* Mutual recursion by several signatures, folded into the outer calls; of two threads, and open at the end. */
static void recursion_fits(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 20; seed++) {
    struct twin twin;
    struct callsig_stats *stats[2], *merged;
    double ticks = 0;
    twin_begin(&twin, 40 + seed, 5);
    for (int thread = 0; thread < 2; thread++) {
      const uint64_t start = twin.now;
      twin_enter(&twin, MAIN, 0);
      for (unsigned i = 0; i < 150; i++)
        recurse(&twin, 6);
      if (thread == 0 || seed % 2)
        twin_leave(&twin);
      ticks += (double)(twin.now - start);
      for (int i = 0; i < 2 && thread == 0; i++)
        twin.threads[i] = recording_writer_thread(twin.writers[i], 2, "other");
    }
    recording_writer_header(twin.writers[SAMPLED])->flags |= FMT_REC_FINISHED;
    twin_end(&twin, stats);
    assert_true(twin_row(stats[SAMPLED], "leaf(n=0)").timed_calls < twin_row(stats[SAMPLED], "leaf(n=0)").ncalls);
    expect_whole(stats[SAMPLED], ticks);
    expect_whole(stats[EXACT], ticks);
    /* Written again and read, nothing is done twice. */
    assert_int_equal(callsig_stats_dump(stats[SAMPLED], scratch_path("reconciled")), 0);
    assert_int_equal(callsig_stats_load(scratch_path("reconciled"), &merged), 0);
    unlink(scratch_path("reconciled"));
    char *one = printed(stats[SAMPLED], callsig_stats_print_csv, NULL),
         *other = printed(merged, callsig_stats_print_csv, NULL);
    assert_string_equal(one, other);
    free(one);
    free(other);
    callsig_stats_free(merged);
    twin_free(stats);
  }
}

/* Hooks that are said to cost more than all there is: what is left is not below nothing, and sums to what the outermost
 * call is left with. By default, of a sampled recording alone, and as the clock read it when that is asked for. */
static void compensated_sums_are_kept(void **state)
{
  (void)state;
  for (uint64_t price = 5; price < 400; price *= 3) {
    struct twin twin;
    struct callsig_stats *stats[2];
    twin_begin(&twin, 9, 5);
    for (int i = 0; i < 2; i++) {
      struct fmt_rec_header *header = recording_writer_header(twin.writers[i]);
      header->hook_inner = price * 1024;
      header->hook_outer = price * 512;
      header->sample_price = i == SAMPLED ? price * 1024 : 0;
    }
    const uint64_t start = twin.now;
    twin_enter(&twin, MAIN, 0);
    for (unsigned i = 0; i < 150; i++)
      recurse(&twin, 6);
    twin_leave(&twin);
    const double ticks = (double)(twin.now - start);
    twin_end(&twin, stats);
    const double left = twin_row(stats[SAMPLED], "main(n=0)").cumtime * HZ, sum = sum_of_own(stats[SAMPLED]);
    if (fabs(left - sum) > 10 || !(sum < ticks - 10))
      fail_msg("of %.0f ticks main() has %.1f, all rows %.1f", ticks, left, sum);
    expect_whole(stats[EXACT], ticks);
    twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"tottime_compensation\"", 1);
    twin_expect(stats[SAMPLED], callsig_stats_print, "hooks filename", 0);
    twin_expect(stats[EXACT], callsig_stats_print_json, "\"tottime_compensation\"", 0);
    assert_int_equal(callsig_stats_compensate(stats[SAMPLED], 0), 0);
    expect_whole(stats[SAMPLED], ticks);
    twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"tottime_compensation\"", 0);
    assert_int_equal(callsig_stats_compensate(stats[EXACT], 1), 0);
    const double exact_left = twin_row(stats[EXACT], "main(n=0)").cumtime * HZ;
    assert_true(fabs(exact_left - sum_of_own(stats[EXACT])) < 10 && exact_left < ticks - 10);
    twin_expect(stats[EXACT], callsig_stats_print, "hooks filename", 1);
    twin_free(stats);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measured_callers_bound), cmocka_unit_test(uncertain_estimates_give_more),
      cmocka_unit_test(callers_take_no_less),   cmocka_unit_test(calls_back_take_no_less),
      cmocka_unit_test(recursion_fits),         cmocka_unit_test(compensated_sums_are_kept),
  };
  return cmocka_run_group_tests_name("reconcile", tests, set_up, NULL);
}
