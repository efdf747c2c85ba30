/* Over many runs whose truth is known, the exact time lies within the error that is told, and no time is lost; and no
 * change and no law is claimed that the error explains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/diff.h"
#include "tests/support/sampling_twin.h"

/* How often the truth lay within the error, and how often it was asked. */
struct tally {
  unsigned within, asked;
};

static void judge(double exact, double sampled, double error, struct tally *tally)
{
  assert_true(error >= 0);
  tally->asked++;
  tally->within += fabs(exact - sampled) <= error + 0.5 / HZ;
}

/* What a row's calls are like; SHAPES for main(). */
static unsigned shape_of(const char *signature)
{
  const char *number = strstr(signature, "(n=");
  assert_non_null(number);
  return strncmp(signature, "main", 4) == 0 ? SHAPES : (unsigned)strtoul(number + 3, NULL, 10);
}

static void expect_honest(const struct tally *tallies, const char *what)
{
  static const char *const shapes[] = {[EVEN] = "even",
                                       [TWO_LENGTHS] = "of two lengths",
                                       [EXPONENTIAL] = "exponential",
                                       [LOGNORMAL] = "lognormal",
                                       [DRIFTING] = "drifting",
                                       [COLD] = "cold at first",
                                       [CONSTANT] = "constant",
                                       [UNIFORM] = "uniform",
                                       [PARETO] = "Pareto",
                                       [SHAPES] = "main"};
  const double least = 0.93;
  unsigned bad = 0;
  for (unsigned i = 0; i <= SHAPES; i++) {
    print_message("%s of rows that are %s: %u of %u within their error\n", what, shapes[i], tallies[i].within,
                  tallies[i].asked);
    bad += tallies[i].within < least * tallies[i].asked;
  }
  if (bad)
    fail_msg("%s: %u kinds of rows are not within their errors", what, bad);
}

/* The exact time lies within the interval of at least 93 of 100 rows, whatever their calls are like. */
static void errors_are_honest(void **state)
{
  (void)state;
  enum { RUNS = 100, CALLS = 3000 };
  struct tally own[SHAPES + 1] = {{0}}, cumulative[SHAPES + 1] = {{0}};
  for (unsigned seed = 0; seed < RUNS; seed++) {
    struct twin twin;
    struct callsig_stats *stats[2];
    twin_begin(&twin, seed, 3 + seed % 3);
    twin_run_shapes(&twin, CALLS);
    twin_end(&twin, stats);
    size_t count = callsig_stats_row_count(stats[EXACT]);
    assert_int_equal(count, callsig_stats_row_count(stats[SAMPLED]));
    for (size_t i = 0; i < count; i++) {
      struct callsig_stats_row exact = {.size = sizeof exact};
      assert_int_equal(callsig_stats_row(stats[EXACT], i, &exact), 0);
      struct callsig_stats_row sampled = twin_row(stats[SAMPLED], exact.signature);
      assert_true(exact.tottime_error == 0 && exact.cumtime_error == 0);
      assert_int_equal(exact.timed_calls, exact.ncalls);
      assert_int_equal(sampled.ncalls, exact.ncalls);
      if (exact.ncalls > 1)
        assert_in_range(sampled.timed_calls, 32, sampled.ncalls / 4);
      judge(exact.tottime, sampled.tottime, sampled.tottime_error, &own[shape_of(exact.signature)]);
      judge(exact.cumtime, sampled.cumtime, sampled.cumtime_error, &cumulative[shape_of(exact.signature)]);
    }
    twin_free(stats);
  }
  for (unsigned i = 0; i <= SHAPES; i++)
    assert_int_equal(own[i].asked, i < SHAPES ? RUNS * 3 : RUNS);
  expect_honest(own, "tottime");
  expect_honest(cumulative, "cumtime");
}

/* What is uncertain is few rows of many: an error that is always larger than its time would be within any bounds. */
static void errors_are_small(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 1, 5);
  twin_run_shapes(&twin, 20000);
  twin_end(&twin, stats);
  struct callsig_stats_row even = twin_row(stats[SAMPLED], "inner(n=0)"),
                           drifting = twin_row(stats[SAMPLED], "inner(n=4)");
  assert_true(even.cumtime_error < 0.02 * even.cumtime && even.cumtime_error > 0.001 * even.cumtime);
  assert_true(drifting.cumtime_error < 0.1 * drifting.cumtime);
  assert_int_equal(even.uncertain, 0);
  struct callsig_stats_row whole = twin_row(stats[SAMPLED], "main(n=0)");
  assert_true(whole.cumtime_error == 0 && whole.tottime_error > 0);
  twin_free(stats);
}

/* Times of a call and of its caller are changed by the same amount: their sum is the program's time. */
static void time_is_conserved(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 5, 4);
  twin_run_shapes(&twin, 2000);
  twin_end(&twin, stats);
  static const unsigned groupings[] = {CALLSIG_BY_SIGNATURE, CALLSIG_BY_FUNCTION, CALLSIG_BY_THREAD};
  for (size_t i = 0; i < sizeof groupings / sizeof groupings[0]; i++) {
    struct callsig_stats_total exact = {.size = sizeof exact}, sampled = {.size = sizeof sampled};
    for (int k = 0; k < 2; k++)
      assert_int_equal(callsig_stats_group(stats[k], groupings[i]), 0);
    assert_int_equal(callsig_stats_total(stats[EXACT], &exact), 0);
    assert_int_equal(callsig_stats_total(stats[SAMPLED], &sampled), 0);
    assert_true(fabs(exact.time - sampled.time) < 0.5 / HZ);
  }
  /* In the only row of all calls nothing is left open. */
  struct callsig_stats_row all = {.size = sizeof all};
  assert_int_equal(callsig_stats_row(stats[SAMPLED], 0, &all), 0);
  assert_true(all.tottime_error == 0 && all.timed_calls < all.ncalls);
  twin_free(stats);
}

/* A call whose callees seem to take more than itself, by chance, does so at the cost of others of its row. */
static void chance_evens_out(void **state)
{
  (void)state;
  enum { SIGNATURES = 40, CALLS = 200, OWN = 10 };
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 10, 4);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < SIGNATURES * CALLS; i++) {
    twin_enter(&twin, OUTER, i % SIGNATURES);
    twin_call(&twin, LEAF, 0, twin_ticks(&twin.dice, TWO_LENGTHS, 0));
    twin.now += OWN;
    twin_leave(&twin);
  }
  twin_leave(&twin);
  twin_end(&twin, stats);
  uint64_t below = 0;
  for (size_t i = 0; i < callsig_stats_row_count(stats[SAMPLED]); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    assert_int_equal(callsig_stats_row(stats[SAMPLED], i, &row), 0);
    below += row.tottime == 0 && strstr(row.signature, "outer") != NULL;
  }
  assert_true(below > 0);
  struct callsig_stats_total total = {.size = sizeof total};
  assert_int_equal(callsig_stats_group(stats[SAMPLED], CALLSIG_BY_FUNCTION), 0);
  assert_int_equal(callsig_stats_total(stats[SAMPLED], &total), 0);
  struct callsig_stats_row outer = twin_row(stats[SAMPLED], "outer");
  assert_true(fabs(total.time - twin_row(stats[EXACT], "main(n=0)").cumtime) < 0.5 / HZ);
  assert_true(fabs(outer.tottime - (double)SIGNATURES * CALLS * OWN / HZ) < outer.tottime_error);
  twin_free(stats);
}

enum { RUN_CALLS = 2000, RUN_RATE = 6 };

/* One run: leaf() is called with times that differ tenfold, `factor` times as long. */
static const char *make_run(const char *name, unsigned seed, uint64_t factor)
{
  struct twin twin;
  const char *path = scratch_path(name);
  twin_begin(&twin, seed, RUN_RATE);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < RUN_CALLS; i++) {
    twin_call(&twin, LEAF, 0, factor * twin_ticks(&twin.dice, TWO_LENGTHS, 0));
    twin.now += 1000;
  }
  twin_leave(&twin);
  recording_writer_save(twin.writers[SAMPLED], twin.now, path);
  for (int i = 0; i < 2; i++)
    recording_writer_free(twin.writers[i]);
  return path;
}

/* The verdict on leaf(), of so many recordings a side. */
static unsigned verdict(const char *old, const char *new, unsigned count)
{
  static const struct callsig_diff_view view = {.size = sizeof view, .all = 1};
  struct callsig_diff *diff;
  unsigned found = UINT32_MAX;
  assert_int_equal(callsig_diff_new(&diff), 0);
  for (unsigned i = 0; i < count; i++) {
    assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_OLD, old), 0);
    assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_NEW, new), 0);
  }
  assert_int_equal(callsig_diff_arrange(diff, &view), 0);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  for (size_t i = 0; i < callsig_diff_row_count(diff); i++) {
    struct callsig_diff_row row = {.size = sizeof row};
    assert_int_equal(callsig_diff_row(diff, i, &row), 0);
    if (strcmp(row.function, "leaf") == 0) {
      assert_true(row.old_tottime != row.new_tottime);
      found = row.verdict;
    }
  }
  callsig_diff_free(diff);
  return found;
}

/* The same program twice: its times differ by what was drawn. Recordings that repeat to the tick (each is given twice)
 * are no proof that they are right. */
static void errors_are_no_changes(void **state)
{
  (void)state;
  char old[256], new[256];
  unsigned changes = 0;
  for (unsigned seed = 0; seed < 20; seed++) {
    snprintf(old, sizeof old, "%s", make_run("old", seed, 1));
    snprintf(new, sizeof new, "%s", make_run("new", 100 + seed, 1));
    changes += verdict(old, new, 1) != CALLSIG_DIFF_SAME;
    changes += verdict(old, new, 2) != CALLSIG_DIFF_SAME;
  }
  /* Errors are those of 95 of 100 times. */
  assert_true(changes <= 6);
  snprintf(new, sizeof new, "%s", make_run("new", 7, 50));
  assert_int_equal(verdict(old, new, 1), CALLSIG_DIFF_UNJUDGED);
  assert_int_equal(verdict(old, new, 4), CALLSIG_DIFF_SLOWER);
  unlink(old);
  unlink(new);
}

/* The line below the table of old and new, of one recording a side: what a row that is not shown differs by. */
static void expect_rest(const char *old, const char *new, const char *words)
{
  struct callsig_diff *diff;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(callsig_diff_new(&diff), 0);
  assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_OLD, old), 0);
  assert_int_equal(callsig_diff_add(diff, CALLSIG_DIFF_NEW, new), 0);
  assert_int_equal(callsig_diff_compare(diff, NULL), 0);
  assert_int_equal(callsig_diff_print(diff, out), 0);
  assert_int_equal(fclose(out), 0);
  if (!strstr(text, words))
    fail_msg("no '%s' in\n%s", words, text);
  free(text);
  callsig_diff_free(diff);
}

/* A row is not without a change because the error of its times may explain it, and the others add up to something. */
static void errors_hide_changes(void **state)
{
  (void)state;
  char old[256], new[256];
  unsigned seed = 0;
  do {
    snprintf(old, sizeof old, "%s", make_run("old", seed, 1));
    snprintf(new, sizeof new, "%s", make_run("new", 100 + seed, 1));
  } while (verdict(old, new, 1) != CALLSIG_DIFF_SAME && ++seed < 20);
  expect_rest(old, new, " whose change is within the error of ");
  expect_rest(old, new, " s together: --all shows them\n");
  expect_rest(old, old, " rows without a change: --all shows them\n");
  unlink(old);
  unlink(new);
}

static char *scaling(struct callsig_stats *stats)
{
  static const struct callsig_stats_scaling wanted = {.size = sizeof wanted, .format = "json", .all = 1};
  const char *const leaf = "leaf";
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(callsig_stats_scaling(stats, &wanted, out, &leaf, 1), 0);
  assert_int_equal(fclose(out), 0);
  return text;
}

/* leaf(n) takes n ticks in the mean, 1 and 2n in turn. Of a thousand calls of each n, all but 32 or so are imputed. */
static void errors_are_no_laws(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 5, 20);
  twin_enter(&twin, MAIN, 0);
  for (uint64_t n = 64; n <= 64 << 7; n *= 2)
    for (unsigned i = 0; i < 1000; i++)
      twin_call(&twin, LEAF, n, i % 2 ? 1 : 2 * n);
  twin_leave(&twin);
  twin_end(&twin, stats);
  char *exact = scaling(stats[EXACT]), *sampled = scaling(stats[SAMPLED]);
  assert_non_null(strstr(exact, "\"law\": \"n\""));
  assert_null(strstr(exact, "too few"));
  assert_null(strstr(sampled, "\"law\": \"n\""));
  assert_non_null(strstr(sampled, "0 different calls have a time, 5 are needed; of 8, too few were timed to tell"));
  free(exact);
  free(sampled);
  twin_free(stats);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_honest),     cmocka_unit_test(errors_are_small),
      cmocka_unit_test(time_is_conserved),     cmocka_unit_test(chance_evens_out),
      cmocka_unit_test(errors_are_no_changes), cmocka_unit_test(errors_hide_changes),
      cmocka_unit_test(errors_are_no_laws),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
