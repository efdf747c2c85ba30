/* Recordings in which not every call was timed: what their times are, how far they may be off, and that these say so.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/output_sample.h"
#include "tests/support/random_recording.h"

enum { HZ = 1000000000 };

/* One program that is recorded twice: with every call timed, and with a sample. */
struct twin {
  struct recording_writer *writers[2];
  struct recording_thread *threads[2];
  uint64_t modules[2];
  struct dice dice;
  uint64_t now;
};

enum { EXACT, SAMPLED };

enum function { MAIN, OUTER, INNER, LEAF };

static void *make_index(size_t *size)
{
  static const char *const names[] = {[MAIN] = "main", [OUTER] = "outer", [INNER] = "inner", [LEAF] = "leaf"};
  struct index_writer *index = index_writer_new();
  uint32_t type = index_writer_type(index, FMT_TYPE_SIGNED, "int", 4, FMT_NONE);
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    index_writer_function(index, "a.c", i + 1, names[i], 0);
    index_writer_arg(index, FMT_ARG_VALUE, "n", type);
  }
  void *data = index_writer_finish(index, size);
  index_writer_free(index);
  return data;
}

static void begin(struct twin *twin, unsigned seed, uint32_t rate)
{
  size_t size;
  void *index = make_index(&size);
  *twin = (struct twin){.dice = {seed}, .now = 1}; /* at 0 begins what is not timed */
  for (int i = 0; i < 2; i++) {
    twin->writers[i] = recording_writer_new(7, HZ);
    twin->modules[i] = recording_writer_module(twin->writers[i], "/bin/test", 0x10000, 0x10000, index, size);
    if (i == SAMPLED)
      recording_writer_sample(twin->writers[i], UINT64_C(0x9E3779B9) * (seed + 1), rate);
    twin->threads[i] = recording_writer_thread(twin->writers[i], 1, "main");
  }
  free(index);
}

static void enter(struct twin *twin, enum function function, uint64_t n)
{
  for (int i = 0; i < 2; i++)
    recording_enter(twin->threads[i], twin->modules[i], function, (const uint64_t[]){0, n}, 2, twin->now);
}

static void leave(struct twin *twin)
{
  for (int i = 0; i < 2; i++)
    recording_exit(twin->threads[i], twin->now);
}

static void call(struct twin *twin, enum function function, uint64_t n, uint64_t ticks)
{
  enter(twin, function, n);
  twin->now += ticks;
  leave(twin);
}

static const char *const paths[] = {"exact", "sampled"};

/* Both recordings, loaded. */
static void end(struct twin *twin, struct callsig_stats *stats[2])
{
  for (int i = 0; i < 2; i++) {
    recording_writer_save(twin->writers[i], twin->now, scratch_path(paths[i]));
    recording_writer_free(twin->writers[i]);
    assert_int_equal(callsig_stats_load(scratch_path(paths[i]), &stats[i]), 0);
    unlink(scratch_path(paths[i]));
  }
}

static void free_both(struct callsig_stats *stats[2])
{
  for (int i = 0; i < 2; i++)
    callsig_stats_free(stats[i]);
}

static struct callsig_stats_row row_of(struct callsig_stats *stats, const char *signature)
{
  struct callsig_stats_row row = {.size = sizeof row};
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    if (strcmp(row.signature ? row.signature : row.function, signature) == 0)
      return row;
  }
  fail_msg("no row %s", signature);
  return row;
}

/* Ticks that calls take, by what they are like. `at` runs from 0 to 1. */
enum shape { EVEN, TWO_LENGTHS, EXPONENTIAL, LOGNORMAL, DRIFTING, COLD, SHAPES };

static double fraction(struct dice *dice)
{
  return (roll(dice, 1u << 30) + 0.5) / (1u << 30);
}

static uint64_t ticks_of(struct dice *dice, enum shape shape, double at)
{
  double normal = sqrt(-2 * log(fraction(dice))) * cos(2 * M_PI * fraction(dice)), ticks;
  switch (shape) {
  case EVEN:
    ticks = 200 + 30 * normal;
    break;
  case TWO_LENGTHS:
    ticks = roll(dice, 10) ? 40 : 400;
    break;
  case EXPONENTIAL:
    ticks = -200 * log(fraction(dice));
    break;
  case LOGNORMAL:
    ticks = exp(4 + 0.8 * normal);
    break;
  case DRIFTING:
    ticks = 60 + 200 * at + 10 * normal;
    break;
  default:
    ticks = (at < 0.001 ? 3000 : 60) + 10 * normal;
  }
  return ticks < 1 ? 1 : (uint64_t)ticks;
}

/* leaf(n) is called by outer(n) alone, which is called as often, and inner(n) by main. */
static void run_shapes(struct twin *twin, unsigned calls)
{
  enter(twin, MAIN, 0);
  for (unsigned i = 0; i < calls; i++) {
    double at = (double)i / calls;
    for (enum shape shape = 0; shape < SHAPES; shape++) {
      enter(twin, OUTER, shape);
      twin->now += ticks_of(&twin->dice, EVEN, at);
      call(twin, LEAF, shape, ticks_of(&twin->dice, shape, at));
      leave(twin);
      call(twin, INNER, shape, ticks_of(&twin->dice, shape, at));
    }
    twin->now += 100;
  }
  leave(twin);
}

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

static void expect_honest(const struct tally *tally, const char *what)
{
  const double least = 0.93;
  if (tally->within < least * tally->asked)
    fail_msg("%s: %u of %u within their error", what, tally->within, tally->asked);
}

/* The exact time lies within the interval of at least 93 of 100 rows. */
static void errors_are_honest(void **state)
{
  (void)state;
  enum { RUNS = 100, CALLS = 3000 };
  struct tally own = {0}, cumulative = {0};
  for (unsigned seed = 0; seed < RUNS; seed++) {
    struct twin twin;
    struct callsig_stats *stats[2];
    begin(&twin, seed, 3 + seed % 3);
    run_shapes(&twin, CALLS);
    end(&twin, stats);
    size_t count = callsig_stats_row_count(stats[EXACT]);
    assert_int_equal(count, callsig_stats_row_count(stats[SAMPLED]));
    for (size_t i = 0; i < count; i++) {
      struct callsig_stats_row exact = {.size = sizeof exact};
      assert_int_equal(callsig_stats_row(stats[EXACT], i, &exact), 0);
      struct callsig_stats_row sampled = row_of(stats[SAMPLED], exact.signature);
      assert_true(exact.tottime_error == 0 && exact.cumtime_error == 0);
      assert_int_equal(exact.timed_calls, exact.ncalls);
      assert_int_equal(sampled.ncalls, exact.ncalls);
      if (exact.ncalls > 1)
        assert_in_range(sampled.timed_calls, 32, sampled.ncalls / 4);
      judge(exact.tottime, sampled.tottime, sampled.tottime_error, &own);
      judge(exact.cumtime, sampled.cumtime, sampled.cumtime_error, &cumulative);
    }
    free_both(stats);
  }
  assert_int_equal(own.asked, RUNS * (3 * SHAPES + 1));
  expect_honest(&own, "tottime");
  expect_honest(&cumulative, "cumtime");
}

/* What is uncertain is few rows of many: an error that is always larger than its time would be within any bounds. */
static void errors_are_small(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 1, 5);
  run_shapes(&twin, 20000);
  end(&twin, stats);
  struct callsig_stats_row even = row_of(stats[SAMPLED], "inner(n=0)"), drifting = row_of(stats[SAMPLED], "inner(n=4)");
  assert_true(even.cumtime_error < 0.02 * even.cumtime && even.cumtime_error > 0.001 * even.cumtime);
  assert_true(drifting.cumtime_error < 0.1 * drifting.cumtime);
  assert_int_equal(even.uncertain, 0);
  struct callsig_stats_row whole = row_of(stats[SAMPLED], "main(n=0)");
  assert_true(whole.cumtime_error == 0 && whole.tottime_error > 0);
  free_both(stats);
}

/* outer() takes no time of its own beside leaf(), whose times differ a hundredfold. */
static void run_thin(struct twin *twin, unsigned calls)
{
  enter(twin, MAIN, 0);
  for (unsigned i = 0; i < calls; i++) {
    enter(twin, OUTER, 0);
    call(twin, LEAF, 0, ticks_of(&twin->dice, TWO_LENGTHS, 0));
    twin->now++;
    leave(twin);
    twin->now += 1000;
  }
  leave(twin);
}

static void expect_text(struct callsig_stats *stats, print_fn print, const char *text, int wanted)
{
  char *all = printed(stats, print, NULL);
  if ((strstr(all, text) != NULL) != wanted)
    fail_msg("%s '%s' in: %s", wanted ? "no" : "a", text, all);
  free(all);
}

static void uncertain_rows_say_so(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 3, 4);
  recording_writer_header(twin.writers[SAMPLED])->overhead = 1536;
  run_thin(&twin, 2000);
  end(&twin, stats);
  struct callsig_stats_row thin = row_of(stats[SAMPLED], "outer(n=0)");
  assert_true(thin.tottime_error > thin.tottime && thin.cumtime_error < thin.cumtime);
  assert_int_equal(thin.uncertain, 1);
  expect_text(stats[SAMPLED], callsig_stats_print, " a.c:2(outer(n=0)) [~]\n", 1);
  expect_text(stats[SAMPLED], callsig_stats_print, " a.c:4(leaf(n=0))\n", 1);
  expect_text(
      stats[SAMPLED], callsig_stats_print,
      " of 4001 calls were timed, at random (budget: 1.5 times the program's own time); the others count with "
      "the time of those: --columns +error shows what that leaves open\n1 row with [~]: the error of tottime or "
      "cumtime is larger than the time itself, or unknown\n",
      1);
  expect_text(stats[SAMPLED], callsig_stats_print_json, "\"uncertain\": true", 1);
  expect_text(stats[SAMPLED], callsig_stats_print_json, "\"overhead\": 1.5", 1);
  expect_text(stats[EXACT], callsig_stats_print, "[~]", 0);
  expect_text(stats[EXACT], callsig_stats_print, "timed", 0);
  expect_text(stats[EXACT], callsig_stats_print_json, "\"uncertain\": true", 0);
  expect_text(stats[EXACT], callsig_stats_print_csv, "tottime_error", 0);
  expect_text(stats[SAMPLED], callsig_stats_print_csv, ",max,tottime_error,cumtime_error,timed_calls,uncertain\r\n", 1);
  free_both(stats);
}

static void columns(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 4, 4);
  run_thin(&twin, 2000);
  end(&twin, stats);
  struct callsig_stats_style style = {.size = sizeof style, .columns = "ncalls,timed,error,cumerror,max"};
  for (int i = 0; i < 2; i++)
    assert_int_equal(callsig_stats_set_style(stats[i], &style), 0);
  expect_text(stats[SAMPLED], callsig_stats_print, "   ncalls     timed    error cumerror      max filename", 1);
  expect_text(stats[EXACT], callsig_stats_print, "     2000      2000    0.000    0.000    0.000 a.c:2(outer(n=0))\n",
              1);
  expect_text(stats[SAMPLED], callsig_stats_print, "     2000      2000 ", 0);
  expect_text(stats[SAMPLED], callsig_stats_print, "--columns +error", 0);
  expect_text(stats[SAMPLED], callsig_stats_print,
              "\nmin, max and percentiles are those of the calls that were timed\n", 1);
  free_both(stats);
}

/* Times of a call and of its caller are changed by the same amount: their sum is the program's time. */
static void time_is_conserved(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 5, 4);
  run_shapes(&twin, 2000);
  end(&twin, stats);
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
  free_both(stats);
}

/* A caller that is not timed is open with what its edge's calls take, and no less than the timed callee inside it. */
static void open_calls(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 6, 20);
  enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 100; i++)
    call(&twin, OUTER, 0, 50);
  enter(&twin, OUTER, 0);
  end(&twin, stats);
  struct callsig_stats_row outer = row_of(stats[SAMPLED], "outer(n=0)"), whole = row_of(stats[SAMPLED], "main(n=0)");
  assert_int_equal(outer.ncalls, 101);
  assert_int_equal(outer.timed_calls, 32);
  assert_true(fabs(outer.cumtime * HZ - 101 * 50) < 1e-6 && fabs(outer.max * HZ - 50) < 1e-6);
  assert_int_equal(whole.timed_calls, 1);
  free_both(stats);

  begin(&twin, 6, 20);
  enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 100; i++)
    call(&twin, OUTER, 0, 50);
  enter(&twin, OUTER, 0);
  enter(&twin, LEAF, 0);
  twin.now += 1000;
  end(&twin, stats);
  assert_true(fabs(row_of(stats[SAMPLED], "outer(n=0)").cumtime * HZ - (100 * 50 + 1000)) < 1e-6);
  assert_true(fabs(row_of(stats[SAMPLED], "leaf(n=0)").tottime * HZ - 1000) < 1e-6);
  assert_int_equal(row_of(stats[SAMPLED], "leaf(n=0)").timed_calls, 1);
  assert_true(row_of(stats[SAMPLED], "main(n=0)").tottime == 0);
  free_both(stats);
}

static void expect_same_errors(struct callsig_stats *left, struct callsig_stats *right)
{
  size_t count = callsig_stats_row_count(left);
  assert_int_equal(count, callsig_stats_row_count(right));
  for (size_t i = 0; i < count; i++) {
    struct callsig_stats_row a = {.size = sizeof a};
    assert_int_equal(callsig_stats_row(left, i, &a), 0);
    struct callsig_stats_row b = row_of(right, a.signature);
    assert_true(a.tottime == b.tottime && a.cumtime == b.cumtime && a.tottime_error == b.tottime_error &&
                a.cumtime_error == b.cumtime_error && a.timed_calls == b.timed_calls && a.uncertain == b.uncertain);
  }
}

static void merges_keep_errors(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2], *merged;
  begin(&twin, 7, 4);
  recording_writer_header(twin.writers[SAMPLED])->overhead = 2048;
  run_shapes(&twin, 500);
  enter(&twin, OUTER, 0);
  end(&twin, stats);
  assert_int_equal(callsig_stats_dump(stats[SAMPLED], scratch_path("merged")), 0);
  assert_int_equal(callsig_stats_load(scratch_path("merged"), &merged), 0);
  expect_same_errors(stats[SAMPLED], merged);
  expect_text(merged, callsig_stats_print, "(budget: 2 times the program's own time)", 1);
  callsig_stats_free(merged);
  /* An exact recording beside it has no errors, and takes none away. */
  assert_int_equal(callsig_stats_add(stats[EXACT], scratch_path("merged")), 0);
  unlink(scratch_path("merged"));
  struct callsig_stats_row both = row_of(stats[EXACT], "inner(n=0)"), one = row_of(stats[SAMPLED], "inner(n=0)");
  assert_int_equal(both.timed_calls, 500 + one.timed_calls);
  assert_true(both.cumtime_error == one.cumtime_error);
  free_both(stats);
}

/* Calls of two threads that become one have the error of all of them together. */
static void threads_become_one(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 8, 4);
  for (int round = 0; round < 2; round++) {
    for (unsigned i = 0; i < 1000; i++)
      call(&twin, LEAF, 0, ticks_of(&twin.dice, EXPONENTIAL, 0));
    for (int i = 0; i < 2 && round == 0; i++)
      twin.threads[i] = recording_writer_thread(twin.writers[i], 2, "main");
  }
  end(&twin, stats);
  struct callsig_stats_row apart = row_of(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(callsig_stats_fold(stats[SAMPLED]), 0);
  struct callsig_stats_row together = row_of(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(together.timed_calls, apart.timed_calls);
  assert_true(together.cumtime == apart.cumtime);
  assert_true(together.cumtime_error > 0.8 * apart.cumtime_error && together.cumtime_error < 1.1 * apart.cumtime_error);
  free_both(stats);
}

/* The sampling record of the newest edge. */
static struct fmt_rec_sampling *newest_sampling(struct twin *twin)
{
  uint64_t edge = recording_thread_record(twin->threads[SAMPLED])->first_edge;
  return recording_writer_at(twin->writers[SAMPLED], edge - sizeof(struct fmt_rec_sampling));
}

static void expect_damage(uint32_t flags, uint64_t timed, uint64_t total, uint32_t tag, uint64_t left)
{
  struct twin twin;
  struct callsig_stats *stats[2];
  begin(&twin, 9, 4);
  for (unsigned i = 0; i < 200; i++)
    call(&twin, LEAF, 0, 50 + i % 2);
  struct fmt_rec_sampling *sampling = newest_sampling(&twin);
  sampling->timed = timed ? timed : sampling->timed;
  sampling->timed_total = total ? total : sampling->timed_total;
  sampling->tag.tag = tag;
  recording_writer_header(twin.writers[SAMPLED])->flags |= flags;
  end(&twin, stats);
  struct callsig_stats_row row = row_of(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(row.ncalls, 200);
  assert_int_equal(row.timed_calls, left);
  assert_int_equal(isnan(row.cumtime_error) != 0, left == 0);
  assert_int_equal(row.uncertain, left == 0);
  expect_text(stats[SAMPLED], callsig_stats_print, "\n1 record could not be read", left == 0);
  expect_text(stats[SAMPLED], callsig_stats_print_json, "\"cumtime_error\": null", left == 0);
  free_both(stats);
}

/* A record that tells of more than its edge has is damaged; of a process that runs on it is only newer. */
static void damage(void **state)
{
  (void)state;
  expect_damage(FMT_REC_FINISHED, 201, 0, FMT_TAG_SAMPLING, 0);
  expect_damage(FMT_REC_FINISHED, 0, UINT64_MAX, FMT_TAG_SAMPLING, 0);
  expect_damage(FMT_REC_FINISHED, 0, 0, FMT_TAG_EDGE, 0);
  expect_damage(0, 0, 0, 0, 0);
  expect_damage(0, 201, UINT64_MAX, FMT_TAG_SAMPLING, 200);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_honest),
      cmocka_unit_test(errors_are_small),
      cmocka_unit_test(uncertain_rows_say_so),
      cmocka_unit_test(columns),
      cmocka_unit_test(time_is_conserved),
      cmocka_unit_test(open_calls),
      cmocka_unit_test(merges_keep_errors),
      cmocka_unit_test(threads_become_one),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
