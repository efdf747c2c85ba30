/* What hooks took, taken off: by whatever calls are grouped, the same is left of them, to the tick. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/beside/hidden.h"
#include "output/beside/in_place.h"
#include "tests/support/sampling_twin.h"

enum { FUNCTIONS = 4 };
static const char *const functions[FUNCTIONS] = {"main", "outer", "inner", "leaf"};

/* Ticks, which are whole. */
static double ticks(double seconds)
{
  const double found = seconds * HZ;
  assert_true(fabs(found - round(found)) < 1e-4);
  return round(found);
}

/* Hooks that take so many ticks / 1024 inside of a call and outside. */
static void set_price(const struct twin *twin, uint64_t inner, uint64_t outer)
{
  for (int i = 0; i < 2; i++) {
    struct fmt_rec_header *header = recording_writer_header(twin->writers[i]);
    header->hook_inner = inner;
    header->hook_outer = outer;
    header->sample_price = i == SAMPLED ? inner + outer / 2 : 0;
  }
}

/* outer(n) calls leaf() and inner(n) as often as n says, for shorter or longer than their hooks; inner() leaf(). */
static void run_nested(struct twin *twin)
{
  twin_enter(twin, MAIN, 0);
  for (unsigned i = 0; i < 400; i++) {
    const unsigned n = roll(&twin->dice, 4);
    twin_enter(twin, OUTER, n);
    twin->now += twin_ticks(&twin->dice, EXPONENTIAL, 0);
    for (unsigned j = 0; j < n; j++) {
      twin_call(twin, LEAF, n, 1 + roll(&twin->dice, 40));
      twin_enter(twin, INNER, j);
      twin->now += twin_ticks(&twin->dice, LOGNORMAL, 0);
      twin_call(twin, LEAF, j, twin_ticks(&twin->dice, UNIFORM, 0));
      twin_leave(twin);
    }
    twin_leave(twin);
  }
  twin_leave(twin);
}

/* A thread named like the first one, and one that is not. */
static void run_threads(struct twin *twin)
{
  static const char *const names[] = {"main", "main", "other"};
  for (uint32_t thread = 0; thread < 3; thread++) {
    for (int i = 0; i < 2 && thread > 0; i++)
      twin->threads[i] = recording_writer_thread(twin->writers[i], 1 + thread, names[thread]);
    run_nested(twin);
  }
}

/* What all rows of a function have: calls and ticks. */
struct sum {
  double calls, own, cumulative;
};

static struct sum sum_of(struct callsig_stats *stats, unsigned by, const char *function)
{
  struct sum sum = {0};
  assert_int_equal(callsig_stats_group(stats, by), 0);
  for (size_t i = 0; i < callsig_stats_row_count(stats); i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    assert_int_equal(callsig_stats_row(stats, i, &row), 0);
    assert_true(row.tottime >= 0 && row.cumtime >= row.tottime);
    if (function && strcmp(row.function, function) != 0)
      continue;
    sum.calls += (double)row.ncalls;
    sum.own += ticks(row.tottime);
    sum.cumulative += ticks(row.cumtime);
    /* What calls nothing takes no longer than itself. */
    assert_true(!function || strcmp(function, "leaf") != 0 || row.tottime == row.cumtime);
  }
  return sum;
}

static void expect_equal(struct sum found, struct sum wanted, const char *what, unsigned by)
{
  if (found.calls != wanted.calls || found.own != wanted.own || found.cumulative != wanted.cumulative)
    fail_msg("%s by %#x: %.0f calls in %.0f and %.0f ticks, not %.0f in %.0f and %.0f", what, by, found.calls,
             found.own, found.cumulative, wanted.calls, wanted.own, wanted.cumulative);
}

/* Rows of each grouping sum to the same, of each function and of all; and the own times of all to the outermost calls'.
 */
static void expect_agreement(struct callsig_stats *stats)
{
  static const unsigned others[] = {CALLSIG_BY_SIGNATURE, CALLSIG_BY_FUNCTION | CALLSIG_BY_THREAD,
                                    CALLSIG_BY_SIGNATURE | CALLSIG_BY_THREAD | CALLSIG_BY_MODULE};
  double all = 0;
  for (size_t i = 0; i < FUNCTIONS; i++) {
    const struct sum wanted = sum_of(stats, CALLSIG_BY_FUNCTION, functions[i]);
    all += wanted.own;
    for (size_t j = 0; j < sizeof others / sizeof others[0]; j++)
      expect_equal(sum_of(stats, others[j], functions[i]), wanted, functions[i], others[j]);
  }
  const struct sum outermost = sum_of(stats, CALLSIG_BY_FUNCTION, "main");
  assert_true(outermost.cumulative == all);
  assert_true(sum_of(stats, CALLSIG_BY_THREAD, NULL).own == all);
  assert_true(sum_of(stats, CALLSIG_BY_MODULE, NULL).own == all);
  assert_int_equal(callsig_stats_group(stats, CALLSIG_BY_SIGNATURE), 0);
}

/* By every grouping, for cheap hooks and for some that take more than there is, which are no whole ticks. */
static void groupings_agree(void **state)
{
  (void)state;
  for (uint64_t price = 1; price < 400; price = price * 3 + 1) {
    struct twin twin;
    struct callsig_stats *stats[2];
    twin_begin(&twin, 11, 5);
    set_price(&twin, price * 1024 + 300, price * 512 + 77);
    run_threads(&twin);
    const double read = (double)twin.now - 1;
    twin_end(&twin, stats);
    expect_agreement(stats[SAMPLED]);
    assert_true(sum_of(stats[SAMPLED], CALLSIG_BY_FUNCTION, "main").cumulative < read);
    assert_int_equal(callsig_stats_compensate(stats[SAMPLED], 0), 0);
    expect_agreement(stats[SAMPLED]);
    assert_true(sum_of(stats[SAMPLED], CALLSIG_BY_FUNCTION, "main").cumulative == read);
    assert_int_equal(callsig_stats_compensate(stats[EXACT], 1), 0);
    expect_agreement(stats[EXACT]);
    twin_free(stats);
  }
}

/* Calls in one another that all end at once, of whose own time the hooks took all but the innermost's: what is left is
 * equal, and none stands before one that it is in. */
static void outer_stands_first(void **state)
{
  (void)state;
  static const unsigned nested[FUNCTIONS] = {LEAF, INNER, OUTER, MAIN};
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 11, 5);
  set_price(&twin, 1000 * 1024, 1000 * 1024);
  for (size_t i = 0; i < FUNCTIONS; i++) {
    twin_enter(&twin, nested[i], 0);
    twin.now += i < FUNCTIONS - 1 ? 10 : 100000;
  }
  for (size_t i = 0; i < FUNCTIONS; i++)
    twin_leave(&twin);
  twin_end(&twin, stats);
  assert_int_equal(callsig_stats_compensate(stats[EXACT], 1), 0);
  assert_int_equal(callsig_stats_sort(stats[EXACT], "cumulative"), 0);
  double before = 0;
  for (size_t i = 0; i < FUNCTIONS; i++) {
    struct callsig_stats_row row = {.size = sizeof row};
    assert_int_equal(callsig_stats_row(stats[EXACT], i, &row), 0);
    assert_string_equal(row.function, functions[FUNCTIONS - 1 - i]);
    assert_true(i == 0 || row.cumtime == before);
    before = row.cumtime;
  }
  twin_free(stats);
}

/* Threads of one name become one tree, and what is left of each signature is what it was. */
static void folding_keeps_sums(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 12, 5);
  set_price(&twin, 20 * 1024 + 300, 10 * 1024 + 77);
  run_threads(&twin);
  twin_end(&twin, stats);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(callsig_stats_compensate(stats[i], 1), 0);
    struct sum before[FUNCTIONS];
    for (size_t j = 0; j < FUNCTIONS; j++)
      before[j] = sum_of(stats[i], CALLSIG_BY_SIGNATURE, functions[j]);
    assert_int_equal(callsig_stats_fold(stats[i]), 0);
    for (size_t j = 0; j < FUNCTIONS; j++) {
      const struct sum after = sum_of(stats[i], CALLSIG_BY_SIGNATURE, functions[j]);
      assert_true(after.calls == before[j].calls && after.own == before[j].own);
    }
    expect_agreement(stats[i]);
  }
  twin_free(stats);
}

/* outer(1) calls what costs most of its time in hooks, outer(0) calls nothing: it loses nothing for the other. */
static void signatures_are_apart(void **state)
{
  (void)state;
  struct twin twin;
  struct callsig_stats *stats[2];
  twin_begin(&twin, 13, 5);
  set_price(&twin, 10 * 1024, 5 * 1024);
  twin_enter(&twin, MAIN, 0);
  for (unsigned i = 0; i < 200; i++) {
    twin_enter(&twin, OUTER, i % 2);
    twin.now += 1000;
    for (unsigned j = 0; j < 20 && i % 2; j++)
      twin_call(&twin, LEAF, 0, 30);
    twin_leave(&twin);
  }
  twin_leave(&twin);
  twin_end(&twin, stats);
  assert_int_equal(callsig_stats_compensate(stats[EXACT], 1), 0);
  assert_true(ticks(twin_row(stats[EXACT], "outer(n=0)").cumtime) == 100 * (1000 - 10));
  assert_true(ticks(twin_row(stats[EXACT], "outer(n=1)").cumtime) == 100 * (1000 - 10 + 20 * (30 - 15)));
  twin_free(stats);
}

/* Hooks that took more than all calls of one process are nothing to another one. */
static void processes_are_apart(void **state)
{
  (void)state;
  struct callsig_stats *both = NULL;
  double alone = 0;
  for (unsigned i = 0; i < 2; i++) {
    struct twin twin;
    struct callsig_stats *stats[2];
    twin_begin(&twin, 14, 5);
    set_price(&twin, i == 0 ? 1024 : 1024 * 1024, 0);
    run_nested(&twin);
    recording_writer_save(twin.writers[SAMPLED], twin.now, scratch_path("process"));
    twin_end(&twin, stats);
    alone += sum_of(stats[SAMPLED], CALLSIG_BY_FUNCTION, NULL).own;
    assert_int_equal(both ? callsig_stats_add(both, scratch_path("process"))
                          : callsig_stats_load(scratch_path("process"), &both),
                     0);
    unlink(scratch_path("process"));
    twin_free(stats);
  }
  assert_true(alone > 0 && sum_of(both, CALLSIG_BY_FUNCTION, NULL).own == alone);
  callsig_stats_free(both);
}

/* Ticks of a sample in solve(): small beside all times, so that samples are as good as certain. */
#define OWN_PERIOD 1e-4

static void expect_near(double found, double wanted)
{
  if (fabs(found - wanted) > 1e-2 * (fabs(wanted) + 1))
    fail_msg("%g, not %g", found, wanted);
}

/* Two functions compute, and hooks that cost them very different amounts for each call are found out. */
static void computing(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 100, .cost = 10, .samples = 60}, {.own = 300, .cost = 10, .samples = 90}};
  const struct out_in_place_run run = {.hooks = 250, .beyond = 1000, .period = OWN_PERIOD};
  out_in_place_solve(parts, 2, &run);
  expect_near(parts[0].samples, 60);
  expect_near(parts[1].samples, 90);
}

/* What a function waited stays, since its few hooks cannot have taken that; and no more stays than was waited. */
static void waiting(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 500, .cost = 0.001, .samples = 0},
                                 {.own = 200, .cost = 10, .samples = 50},
                                 {.own = 100, .cost = 5, .samples = 25}};
  const struct out_in_place_run run = {.hooks = 225, .beyond = 500, .period = OWN_PERIOD};
  out_in_place_solve(parts, 3, &run);
  expect_near(parts[0].samples, 500);
  expect_near(parts[1].samples, 50);
  expect_near(parts[2].samples, 25);
}

/* The clock read what another process took of the processor, and nothing was waited. */
static void nothing_waited(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 500, .cost = 10, .samples = 50}, {.own = 200, .cost = 10, .samples = 50}};
  const struct out_in_place_run run = {.hooks = 200, .beyond = 0, .period = OWN_PERIOD};
  out_in_place_solve(parts, 2, &run);
  for (int i = 0; i < 2; i++)
    expect_near(parts[i].samples, 50);
}

/* What the samples took themselves was read by the clock, and is nobody's: a function does not get it for what others
 * waited. */
static void interrupted(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 1000, .cost = 0.001, .samples = 930},
                                 {.own = 70, .cost = 0.001, .samples = 0}};
  const struct out_in_place_run run = {.hooks = 0, .beyond = 65, .period = OWN_PERIOD};
  out_in_place_solve(parts, 2, &run);
  expect_near(parts[0].samples, 930);
  expect_near(parts[1].samples, 65);
}

/* Where there are hardly any samples, what is left of the clock's times divides them. */
static void few_samples(void **state)
{
  (void)state;
  struct out_in_place parts[] = {
      {.own = 0.9, .cost = 0.01, .samples = 0}, {.own = 0.1, .cost = 0.01, .samples = 0}, {.samples = 1, .own = 1}};
  const struct out_in_place_run run = {.hooks = 0.02, .beyond = 0, .period = 1};
  out_in_place_solve(parts, 3, &run);
  const double sum = parts[0].samples + parts[1].samples + parts[2].samples;
  assert_true(sum > 1 && sum < 2);
  assert_true(parts[0].samples > 4 * parts[1].samples);
  assert_true(parts[1].samples > 0);
}

/* A program that ends at once has its samples where callsig begins and ends: they are no hooks'. */
static void short_program(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 100, .cost = 1}, {.own = 50, .cost = 1}};
  const struct out_in_place_run run = {.hooks = 3000, .beyond = 1000, .period = 250};
  out_in_place_solve(parts, 2, &run);
  for (int i = 0; i < 2; i++)
    assert_true(parts[i].samples > parts[i].own / 2 && parts[i].samples <= parts[i].own);
}

/* Samples are in a function of which the clock read nothing, and whose hooks cost nothing: it has computed. */
static void unread(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.samples = 5}, {.own = 20, .cost = 10, .samples = 5}};
  const struct out_in_place_run run = {.hooks = 15, .beyond = 0, .period = OWN_PERIOD};
  out_in_place_solve(parts, 2, &run);
  for (int i = 0; i < 2; i++)
    expect_near(parts[i].samples, 5);
}

/* A function in which a wait is known that has nearly all of its samples: what is beside it is as the clock read it,
 * and not what they are too many by chance. */
static void known_wait(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 2, .cost = 0.001, .samples = 10, .known = 200},
                                 {.own = 100, .cost = 0.001, .samples = 100}};
  const struct out_in_place_run run = {.hooks = 0, .beyond = 0, .period = 0.5};
  out_in_place_solve(parts, 2, &run);
  assert_true(parts[0].samples > 1 && parts[0].samples < 4);
}

/* The clock read less of many short calls than their hooks take: that says little of them, and four samples more. */
static void misread(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 0.35, .cost = 0.35, .samples = 4, .misread = 8},
                                 {.own = 200, .cost = 50, .samples = 100, .misread = 8}};
  const struct out_in_place_run run = {.hooks = 96.35, .beyond = 0, .period = 1};
  out_in_place_solve(parts, 2, &run);
  assert_true(parts[0].samples > 2.5 && parts[0].samples < 4.5);
}

static void nothing_known(void **state)
{
  (void)state;
  struct out_in_place parts[] = {{.own = 5}, {.own = 0}};
  const struct out_in_place_run run = {.period = 1};
  out_in_place_solve(parts, 2, &run);
  for (int i = 0; i < 2; i++)
    assert_true(parts[i].samples >= 0 && parts[i].samples <= parts[i].own);
  out_in_place_solve(parts, 0, &run);
}

/* Of ticks of a nanosecond: what hooks hide is as much as calls of a nanosecond take themselves, and next to nothing of
 * calls of a millisecond; and it grows with the calls as their time does. */
static void hidden(void **state)
{
  (void)state;
  const double tick = 1e-9, calls = 1e6;
  assert_true(out_hidden_time(calls, tick) > 0 && out_hidden_time(calls, tick) < calls);
  assert_true(out_hidden_doubt(calls, calls, tick) > calls);
  assert_true(out_hidden_doubt(calls * 1e6, calls, tick) < calls * 1e6 * 1e-3);
  assert_true(out_hidden_doubt(0, calls, tick) > out_hidden_time(calls, tick));
  assert_true(out_hidden_doubt(0, 0, tick) == 0 && out_hidden_doubt(1e9, 0, tick) == 0);
  expect_near(out_hidden_doubt(20 * calls, 2 * calls, tick), 2 * out_hidden_doubt(10 * calls, calls, tick));
  expect_near(out_hidden_doubt(10 * calls, calls, tick), 1000 * out_hidden_doubt(calls / 100, calls, 1e3 * tick));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groupings_agree),
      cmocka_unit_test(outer_stands_first),
      cmocka_unit_test(folding_keeps_sums),
      cmocka_unit_test(signatures_are_apart),
      cmocka_unit_test(processes_are_apart),
      cmocka_unit_test(computing),
      cmocka_unit_test(waiting),
      cmocka_unit_test(nothing_waited),
      cmocka_unit_test(interrupted),
      cmocka_unit_test(few_samples),
      cmocka_unit_test(short_program),
      cmocka_unit_test(unread),
      cmocka_unit_test(known_wait),
      cmocka_unit_test(misread),
      cmocka_unit_test(nothing_known),
      cmocka_unit_test(hidden),
  };
  return cmocka_run_group_tests_name("compensate", tests, catch_messages, NULL);
}
