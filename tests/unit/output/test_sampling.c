/* Recordings in which not every call was timed: what their times are, how far they may be off, and that they say so. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/sampling_twin.h"

/* outer() takes no time of its own beside leaf(), whose times differ a hundredfold. */
static void run_thin(struct twin *twin, unsigned calls)
{
  twin_enter(twin, MAIN, 0);
  for (unsigned i = 0; i < calls; i++) {
    twin_enter(twin, OUTER, 0);
    twin_call(twin, LEAF, 0, twin_ticks(&twin->dice, TWO_LENGTHS, 0));
    twin->now++;
    twin_leave(twin);
    twin->now += 1000;
  }
  twin_leave(twin);
}

/* Does a table of these rows alone explain the mark of uncertain ones? It does where one of them has it. */
static void expect_mark(struct callsig_stats *stats, const char *restriction, bool explained)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  assert_int_equal(callsig_stats_print(stats, out, &restriction, 1), 0);
  assert_int_equal(fclose(out), 0);
  assert_int_equal(strstr(text, "[~]: the error") != NULL, explained);
  free(text);
}

static void uncertain_rows_say_so(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 3, 4);
  recording_writer_header(twin.writers[SAMPLED])->overhead = 1536;
  recording_writer_header(twin.writers[SAMPLED])->drawn_from = 256;
  run_thin(&twin, 2000);
  twin_end(&twin, stats);
  struct callsig_stats_row thin = twin_row(stats[SAMPLED], "outer(n=0)");
  assert_true(thin.tottime_error > thin.tottime && thin.cumtime_error < thin.cumtime);
  assert_int_equal(thin.uncertain, 1);
  twin_expect(stats[SAMPLED], callsig_stats_print, " a.c:2(outer(n=0)) [~]\n", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print, " a.c:4(leaf(n=0))\n", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print,
              " of 4001 calls were timed, at random (of short ones one in 128 at the fewest; budget: 1.5 times the "
              "program's own time); the others count with the time of those: --columns +error shows what that leaves "
              "open\n1 row with [~]: the error of tottime or cumtime is larger than the time itself, or unknown\n",
              1);
  twin_expect(stats[SAMPLED], callsig_stats_print_callers, "\na.c:2(outer(n=0)) [~]  <- ", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print_callers, "\na.c:4(leaf(n=0))       <- ", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print_callees, "\na.c:2(outer(n=0)) [~]  -> ", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print_averages, "   outer [~]  ", 1);
  expect_mark(stats[SAMPLED], "outer", true);
  expect_mark(stats[SAMPLED], "leaf", false);
  twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"uncertain\": true", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"overhead\": 1.5", 1);
  twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"timed_one_in\": 128", 1);
  twin_expect(stats[EXACT], callsig_stats_print_json, "\"timed_one_in\": null", 1);
  twin_expect(stats[EXACT], callsig_stats_print, "[~]", 0);
  twin_expect(stats[EXACT], callsig_stats_print, "timed", 0);
  twin_expect(stats[EXACT], callsig_stats_print_json, "\"uncertain\": true", 0);
  twin_expect(stats[EXACT], callsig_stats_print_csv, "tottime_error", 0);
  twin_expect(stats[SAMPLED], callsig_stats_print_csv, ",max,tottime_error,cumtime_error,timed_calls,uncertain\r\n", 1);
  twin_free(stats);
}

/* Calls of a known price: beyond the budget they are told of, with what counting alone costs. */
static void budget_and_waits(void **state)
{
  (void)state;
  for (unsigned beyond = 0; beyond < 2; beyond++) {
    struct twin twin;
    struct callsig_stats *stats[2];
    twin_begin(&twin, 3, 4);
    struct fmt_rec_header *header = recording_writer_header(twin.writers[SAMPLED]);
    header->overhead = beyond ? 1024 + 103 : 2048;
    header->hook_inner = 20 * 1024;
    header->hook_outer = 10 * 1024;
    header->sample_price = 20 * 1024;
    header->flags |= FMT_REC_SAMPLED | FMT_REC_WAITS_TAKEN | (beyond ? FMT_REC_WAITS_UNKNOWN : 0u);
    header->loss[FMT_LOSS_WAITED] = beyond ? HZ / 2 : 1;
    twin_enter(&twin, MAIN, 0);
    for (unsigned i = 0; i < 10000; i++)
      twin_call(&twin, LEAF, 0, 60);
    twin_leave(&twin);
    twin_end(&twin, stats);
    /* 600,000 ticks; 100,000 for counting 10,000 calls, and 20 for each that is timed */
    struct callsig_stats_row leaf = twin_row(stats[SAMPLED], "leaf(n=0)");
    const double own = 600000 - 100010 - 20.0 * ((double)leaf.timed_calls + 1), all = 600000 / own;
    char text[64];
    snprintf(text, sizeof text, "take an estimated %.3f times its own time", all);
    twin_expect(stats[SAMPLED], callsig_stats_print, text, (int)beyond);
    snprintf(text, sizeof text, "counting alone %.3f: callsig score", (own + 100010) / own);
    twin_expect(stats[SAMPLED], callsig_stats_print, text, (int)beyond);
    twin_expect(stats[SAMPLED], callsig_stats_print, " seconds of waiting for a processor are in no row", (int)beyond);
    twin_expect(stats[SAMPLED], callsig_stats_print, "could not be told from the rest", (int)beyond);
    snprintf(text, sizeof text, "\"slowdown\": %.3f", floor(all * 1000) / 1000);
    twin_expect(stats[SAMPLED], callsig_stats_print_json, text, 1);
    twin_expect(stats[EXACT], callsig_stats_print_json, "\"slowdown\": null", 1);
    twin_expect(stats[EXACT], callsig_stats_print_json, "\"waited\": null", 1);
    twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"waited\": null", 0);
    twin_free(stats);
  }
}

static void columns(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 4, 4);
  run_thin(&twin, 2000);
  twin_end(&twin, stats);
  struct callsig_stats_style style = {.size = sizeof style, .columns = "ncalls,timed,error,cumerror,max"};
  for (int i = 0; i < 2; i++)
    assert_int_equal(callsig_stats_set_style(stats[i], &style), 0);
  twin_expect(stats[SAMPLED], callsig_stats_print, "   ncalls     timed    error cumerror      max filename", 1);
  twin_expect(stats[EXACT], callsig_stats_print, "     2000      2000    0.000    0.000    0.000 a.c:2(outer(n=0))\n",
              1);
  twin_expect(stats[SAMPLED], callsig_stats_print, "     2000      2000 ", 0);
  twin_expect(stats[SAMPLED], callsig_stats_print, "--columns +error", 0);
  twin_expect(stats[SAMPLED], callsig_stats_print,
              "\nmin, max and percentiles are those of the calls that were timed\n", 1);
  twin_free(stats);
}

static void begin_open_calls(struct twin *twin, bool counted_early)
{
  twin_begin(twin, 6, 20);
  if (counted_early)
    recording_writer_count_early(twin->writers[SAMPLED]);
}

/* A caller that is not timed is open with what its edge's calls take, and no less than the timed callee inside it. */
static void expect_open_calls(bool counted_early)
{
  struct twin twin;
  struct callsig_stats *stats[2];
  begin_open_calls(&twin, counted_early);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 100; i++)
    twin_call(&twin, OUTER, 0, 50);
  twin_enter(&twin, OUTER, 0);
  twin_end(&twin, stats);
  struct callsig_stats_row outer = twin_row(stats[SAMPLED], "outer(n=0)"),
                           whole = twin_row(stats[SAMPLED], "main(n=0)");
  assert_int_equal(outer.ncalls, 101);
  assert_int_equal(outer.timed_calls, 32);
  /* The open one may just have begun: there is no time left for it in main(). */
  assert_true(fabs(outer.cumtime * HZ - 100 * 50) < 1e-6 && fabs(outer.max * HZ - 50) < 1e-6);
  assert_int_equal(whole.timed_calls, 1);
  twin_free(stats);

  begin_open_calls(&twin, counted_early);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 100; i++)
    twin_call(&twin, OUTER, 0, 50);
  twin_enter(&twin, OUTER, 0);
  twin_enter(&twin, LEAF, 0);
  twin.now += 1000;
  twin_end(&twin, stats);
  assert_true(fabs(twin_row(stats[SAMPLED], "outer(n=0)").cumtime * HZ - (100 * 50 + 1000)) < 1e-6);
  assert_true(fabs(twin_row(stats[SAMPLED], "leaf(n=0)").tottime * HZ - 1000) < 1e-6);
  assert_int_equal(twin_row(stats[SAMPLED], "leaf(n=0)").timed_calls, 1);
  assert_true(twin_row(stats[SAMPLED], "main(n=0)").tottime == 0);
  twin_free(stats);
}

static void open_calls(void **state)
{
  (void)state;
  expect_open_calls(false);
  expect_open_calls(true);
}

static void expect_same_errors(struct callsig_stats *left, struct callsig_stats *right)
{
  size_t count = callsig_stats_row_count(left);
  assert_int_equal(count, callsig_stats_row_count(right));
  for (size_t i = 0; i < count; i++) {
    struct callsig_stats_row a = {.size = sizeof a};
    assert_int_equal(callsig_stats_row(left, i, &a), 0);
    struct callsig_stats_row b = twin_row(right, a.signature);
    assert_true(a.tottime == b.tottime && a.cumtime == b.cumtime && a.tottime_error == b.tottime_error &&
                a.cumtime_error == b.cumtime_error && a.timed_calls == b.timed_calls && a.uncertain == b.uncertain);
  }
}

/* Adds a run that drew from so many calls, with this budget. */
static void add_run(struct callsig_stats **all, uint32_t drawn_from, uint32_t overhead)
{
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 7, 4);
  recording_writer_header(twin.writers[SAMPLED])->drawn_from = drawn_from;
  recording_writer_header(twin.writers[SAMPLED])->overhead = overhead;
  recording_writer_header(twin.writers[SAMPLED])->timeline_min = UINT64_MAX; /* none is kept */
  twin_run_shapes(&twin, 200);
  recording_writer_save(twin.writers[SAMPLED], twin.now, scratch_path("choice"));
  twin_end(&twin, stats);
  twin_free(stats);
  assert_int_equal(
      *all ? callsig_stats_add(*all, scratch_path("choice")) : callsig_stats_load(scratch_path("choice"), all), 0);
  unlink(scratch_path("choice"));
}

/* Processes of one command become one, however thin the sample of each became, and the thinnest is told. */
static void folds_keep_the_thinnest(void **state)
{
  (void)state;
  struct callsig_stats *all = NULL;
  add_run(&all, 128, 0);
  add_run(&all, 0, 0);
  add_run(&all, 1024, 0);
  add_run(&all, 128, 1536);
  assert_int_equal(callsig_stats_fold_processes(all), 0);
  assert_int_equal(callsig_stats_group(all, CALLSIG_BY_PROCESS), 0);
  twin_expect(all, callsig_stats_print, " (3 processes)]", 1);
  twin_expect(all, callsig_stats_print, "one in 64 to 512", 1);
  callsig_stats_free(all);
}

/* Of runs that chose otherwise, merged: each keeps what it chose, and the note has them all. A recording that does not
 * tell is passed over. */
static void merges_keep_choices(void **state)
{
  (void)state;
  static const uint32_t runs[][2] = {{128, 0}, {0, 0}, {1024, 1536}, {64, 2048}};
  static const char *const notes[] = {" at random (of short ones one in 64); the",
                                      " at random (of short ones one in 64); the",
                                      "one in 64 to 512 at the fewest; budget: 1.5 times the",
                                      "one in 32 to 512 at the fewest; budget: 1.5 to 2 times the"};
  struct callsig_stats *all = NULL, *merged;
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    add_run(&all, runs[i][0], runs[i][1]);
    twin_expect(all, callsig_stats_print, notes[i], 1);
    assert_int_equal(callsig_stats_dump(all, scratch_path("choices")), 0);
    assert_int_equal(callsig_stats_load(scratch_path("choices"), &merged), 0);
    unlink(scratch_path("choices"));
    twin_expect(merged, callsig_stats_print, notes[i], 1);
    callsig_stats_free(merged);
  }
  twin_expect(all, callsig_stats_print_json, "\"timed_one_in\": 512", 1);
  callsig_stats_free(all);
}

static void merges_keep_errors(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2], *merged;
  twin_begin(&twin, 7, 4);
  recording_writer_header(twin.writers[SAMPLED])->overhead = 2048;
  twin_run_shapes(&twin, 500);
  twin_enter(&twin, OUTER, 0);
  twin_end(&twin, stats);
  assert_int_equal(callsig_stats_dump(stats[SAMPLED], scratch_path("merged")), 0);
  assert_int_equal(callsig_stats_load(scratch_path("merged"), &merged), 0);
  expect_same_errors(stats[SAMPLED], merged);
  twin_expect(merged, callsig_stats_print, "(budget: 2 times the program's own time)", 1);
  callsig_stats_free(merged);
  /* An exact recording beside it has no errors, and takes none away. */
  assert_int_equal(callsig_stats_add(stats[EXACT], scratch_path("merged")), 0);
  unlink(scratch_path("merged"));
  struct callsig_stats_row both = twin_row(stats[EXACT], "inner(n=0)"), one = twin_row(stats[SAMPLED], "inner(n=0)");
  assert_int_equal(both.timed_calls, 500 + one.timed_calls);
  assert_true(both.cumtime_error == one.cumtime_error);
  twin_free(stats);
}

/* Calls of two threads that become one have the error of all of them together. */
static void threads_become_one(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 8, 4);
  for (int round = 0; round < 2; round++) {
    for (unsigned i = 0; i < 1000; i++)
      twin_call(&twin, LEAF, 0, twin_ticks(&twin.dice, EXPONENTIAL, 0));
    for (int i = 0; i < 2 && round == 0; i++)
      twin.threads[i] = recording_writer_thread(twin.writers[i], 2, "main");
  }
  twin_end(&twin, stats);
  struct callsig_stats_row apart = twin_row(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(callsig_stats_fold(stats[SAMPLED]), 0);
  struct callsig_stats_row together = twin_row(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(together.timed_calls, apart.timed_calls);
  assert_true(together.cumtime == apart.cumtime);
  assert_true(together.cumtime_error > 0.8 * apart.cumtime_error && together.cumtime_error < 1.1 * apart.cumtime_error);
  twin_free(stats);
}

/* Gives the edge `behind` the newest one a histogram of `count` calls in one bucket. */
static void add_histogram(struct twin *twin, unsigned behind, uint32_t bucket, uint64_t count)
{
  enum { SUB_BITS = 3 };
  struct recording_writer *writer = twin->writers[SAMPLED];
  uint64_t octave = recording_writer_make(writer, 0, sizeof(uint64_t) << SUB_BITS);
  memset(recording_writer_at(writer, octave), 0, sizeof(uint64_t) << SUB_BITS);
  ((uint64_t *)recording_writer_at(writer, octave))[bucket % (1u << SUB_BITS)] = count;
  uint64_t histogram = recording_writer_make(writer, FMT_TAG_HISTOGRAM, sizeof(struct fmt_rec_histogram));
  struct fmt_rec_histogram *record = recording_writer_at(writer, histogram);
  record->sub_bits = SUB_BITS;
  record->octaves[bucket >> SUB_BITS] = octave;
  uint64_t edge = recording_thread_record(twin->threads[SAMPLED])->first_edge;
  for (; behind > 0; behind--)
    edge = ((struct fmt_rec_edge *)recording_writer_at(writer, edge))->next;
  ((struct fmt_rec_edge *)recording_writer_at(writer, edge))->histogram = histogram;
}

/* main() calls leaf() 1000 times, of which 32 are timed, and outer() calls it 32 times: half of all calls are of the
 * first kind by far, of the timed ones not. */
static void percentiles_are_of_calls(void **state)
{
  (void)state;
  enum { TIMED = 32, CALLS = 1000, SHORT = 10, LONG_BUCKET = 36, LONG = 99 };
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 12, 20);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < CALLS; i++)
    twin_call(&twin, LEAF, 0, SHORT);
  twin_enter(&twin, OUTER, 0);
  for (unsigned i = 0; i < TIMED; i++)
    twin_call(&twin, LEAF, 0, LONG);
  twin_leave(&twin);
  twin_leave(&twin);
  add_histogram(&twin, 0, LONG_BUCKET, TIMED);
  add_histogram(&twin, 2, SHORT, TIMED);
  twin_end(&twin, stats);
  char *json = printed(stats[SAMPLED], callsig_stats_print_json, NULL); /* makes percentiles */
  free(json);
  struct callsig_stats_row leaf = twin_row(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(leaf.timed_calls, 2 * TIMED);
  assert_true(fabs(leaf.p50 * HZ - SHORT) < 1 && fabs(leaf.p99 * HZ - LONG) < 1);
  twin_free(stats);
}

/* Of hooks, a calibration said that they take so many ticks inside of a call and in its caller. */
static void begin_with_hooks(struct twin *twin, uint32_t inner, uint32_t outer)
{
  twin_begin(twin, 11, 20);
  struct fmt_rec_header *header = recording_writer_header(twin->writers[SAMPLED]);
  header->hook_inner = inner * 1024;
  header->hook_outer = outer * 1024;
}

/* A call's hooks take 20 ticks inside and 10 in its caller, and 16 fewer when it is not timed, as the last 68 of 100
 * are not: these do not last the 16 that their hooks did not take, though those did from which they have their time. */
static void hooks_are_compensated(void **state)
{
  (void)state;
  enum { TIMED = 32, CALLS = 100, INNER_HOOKS = 20, OUTER_HOOKS = 10, PRICE = 16, LEAF_TICKS = 50, MAIN_TICKS = 1000 };
  struct twin twin;
  struct callsig_stats *stats[2];
  begin_with_hooks(&twin, INNER_HOOKS, OUTER_HOOKS);
  recording_writer_header(twin.writers[SAMPLED])->sample_price = PRICE * 1024;
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < CALLS; i++) {
    twin_call(&twin, LEAF, 0, LEAF_TICKS + (i < TIMED ? INNER_HOOKS : 0));
    twin.now += i < TIMED ? OUTER_HOOKS : INNER_HOOKS + OUTER_HOOKS - PRICE;
  }
  twin.now += MAIN_TICKS + INNER_HOOKS;
  twin_leave(&twin);
  twin_end(&twin, stats);
  assert_int_equal(callsig_stats_compensate(stats[SAMPLED], 0), 0);
  const double main_ticks = MAIN_TICKS + INNER_HOOKS + CALLS * OUTER_HOOKS,
               leaf_ticks = CALLS * (LEAF_TICKS + INNER_HOOKS) - (CALLS - TIMED) * PRICE;
  assert_true(fabs(twin_row(stats[SAMPLED], "main(n=0)").tottime * HZ - main_ticks) < 1e-6);
  assert_true(fabs(twin_row(stats[SAMPLED], "leaf(n=0)").tottime * HZ - leaf_ticks) < 1e-6);
  assert_true(twin_row(stats[SAMPLED], "leaf(n=0)").tottime_error == 0);
  assert_int_equal(callsig_stats_compensate(stats[SAMPLED], 1), 0);
  struct callsig_stats_row whole = twin_row(stats[SAMPLED], "main(n=0)"), leaf = twin_row(stats[SAMPLED], "leaf(n=0)");
  assert_true(fabs(leaf.tottime * HZ - CALLS * LEAF_TICKS) < 1e-6 && leaf.timed_calls == TIMED);
  assert_true(fabs(whole.tottime * HZ - MAIN_TICKS) < 1e-6);
  assert_true(fabs(whole.cumtime * HZ - (MAIN_TICKS + CALLS * LEAF_TICKS)) < 1);
  twin_free(stats);
}

static void expect_within(double shown, double error, double truth, double factor)
{
  if (fabs(shown * HZ - truth) > error * HZ + 1)
    fail_msg("hooks took %g times: %g +- %g, truth %g", factor, shown * HZ, error * HZ, truth);
}

/* What "total_uncertainty" is. */
static double told_uncertainty(struct callsig_stats *stats)
{
  char *json = printed(stats, callsig_stats_print_json, NULL);
  static const char key[] = "\"total_uncertainty\": ";
  const char *at = strstr(json, key);
  const double told = at ? strtod(at + sizeof key - 1, NULL) : 0;
  free(json);
  return told;
}

/* In a program, hooks take several times what an empty loop told of them, or less: without samples of the run, what
 * they left to the program lies within the errors, and rows of which little is left say so. */
static void dearer_hooks_are_within_errors(void **state)
{
  (void)state;
  enum { CALLS = 100, INNER_HOOKS = 20, OUTER_HOOKS = 10, LEAF_TICKS = 50, MAIN_TICKS = 100000 };
  static const double factors[] = {0, 0.5, 1, 2, 5.3, 8};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    struct twin twin;
    struct callsig_stats *stats[2];
    begin_with_hooks(&twin, INNER_HOOKS, OUTER_HOOKS);
    twin_enter(&twin, MAIN, 0);
    for (unsigned call = 0; call < CALLS; call++) {
      twin_call(&twin, LEAF, 0, LEAF_TICKS + (uint64_t)(factors[i] * INNER_HOOKS));
      twin.now += (uint64_t)(factors[i] * OUTER_HOOKS);
    }
    twin.now += MAIN_TICKS + (uint64_t)(factors[i] * INNER_HOOKS);
    twin_leave(&twin);
    twin_end(&twin, stats);
    assert_int_equal(callsig_stats_compensate(stats[SAMPLED], 1), 0);
    struct callsig_stats_row all = twin_row(stats[SAMPLED], "main(n=0)"), leaf = twin_row(stats[SAMPLED], "leaf(n=0)");
    expect_within(leaf.tottime, leaf.tottime_error, CALLS * LEAF_TICKS, factors[i]);
    expect_within(leaf.cumtime, leaf.cumtime_error, CALLS * LEAF_TICKS, factors[i]);
    expect_within(all.tottime, all.tottime_error, MAIN_TICKS, factors[i]);
    expect_within(all.cumtime, all.cumtime_error, MAIN_TICKS + CALLS * LEAF_TICKS, factors[i]);
    expect_within(leaf.tottime + all.tottime, told_uncertainty(stats[SAMPLED]), MAIN_TICKS + CALLS * LEAF_TICKS,
                  factors[i]);
    assert_int_equal(all.uncertain, 0);
    assert_int_equal(leaf.uncertain, leaf.tottime_error > leaf.tottime);
    /* No more than the clock read, and no more than hooks may have taken: that of main is known well. */
    assert_true(leaf.tottime_error * HZ < CALLS * (LEAF_TICKS + 8 * INNER_HOOKS));
    assert_true(all.tottime_error * HZ < 8 * CALLS * (OUTER_HOOKS + 1));
    twin_free(stats);
  }
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
  twin_begin(&twin, 9, 4);
  for (unsigned i = 0; i < 200; i++)
    twin_call(&twin, LEAF, 0, 50 + i % 2);
  struct fmt_rec_sampling *sampling = newest_sampling(&twin);
  sampling->timed = timed ? timed : sampling->timed;
  sampling->timed_total = total ? total : sampling->timed_total;
  sampling->tag.tag = tag;
  recording_writer_header(twin.writers[SAMPLED])->flags |= flags;
  twin_end(&twin, stats);
  struct callsig_stats_row row = twin_row(stats[SAMPLED], "leaf(n=0)");
  assert_int_equal(row.ncalls, 200);
  assert_int_equal(row.timed_calls, left);
  assert_int_equal(isnan(row.cumtime_error) != 0, left == 0);
  assert_int_equal(row.uncertain, left == 0);
  twin_expect(stats[SAMPLED], callsig_stats_print, "\n1 record could not be read", left == 0);
  twin_expect(stats[SAMPLED], callsig_stats_print_json, "\"cumtime_error\": null", left == 0);
  twin_free(stats);
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
      cmocka_unit_test(uncertain_rows_say_so),
      cmocka_unit_test(budget_and_waits),
      cmocka_unit_test(columns),
      cmocka_unit_test(open_calls),
      cmocka_unit_test(merges_keep_errors),
      cmocka_unit_test(threads_become_one),
      cmocka_unit_test(percentiles_are_of_calls),
      cmocka_unit_test(merges_keep_choices),
      cmocka_unit_test(folds_keep_the_thinnest),
      cmocka_unit_test(hooks_are_compensated),
      cmocka_unit_test(dearer_hooks_are_within_errors),
      cmocka_unit_test(damage),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
