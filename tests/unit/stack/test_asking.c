/* What is taken out of a call: also where a thread loses its processor while it asks how long it was without one. */
/* ctest: wrap prof_preemption_turns prof_clock_read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/base/clock.h"
#include "profiler/base/preemption.h"
#include "profiler/stack/waiting.h"

#define MS          1000000u
#define ASKING      5000u /* ns that it takes to ask */
#define RECORD_UNIT 8u    /* of places in a recording */

/* The clock, and what the kernel tells: each time that it is asked, the thread is away for `asking` more. */
static struct {
  uint64_t now;
  struct prof_turns turns;
  uint64_t asking;
  uint64_t *cleared; /* the word of a thread that is stopped at each system call */
} world;

uint64_t __wrap_prof_clock_read(void);
uint64_t __wrap_prof_clock_read(void)
{
  return world.now;
}

struct prof_turns __wrap_prof_preemption_turns(void);
struct prof_turns __wrap_prof_preemption_turns(void)
{
  world.now += ASKING + world.asking;
  world.turns.away_ns += world.asking;
  world.turns.preempted++;
  if (world.cleared)
    *world.cleared = 0;
  return world.turns;
}

struct guest {
  struct fmt_rec_header header;
  struct prof_thread thread;
  uint64_t word;
};

static int begin(void **state)
{
  static struct guest guest;
  static union {
    struct fmt_rec_stack stack;
    unsigned char room[sizeof(struct fmt_rec_stack) + 2 * sizeof(struct fmt_rec_frame)];
  } stack;
  memset(&guest, 0, sizeof guest);
  memset(&stack, 0, sizeof stack);
  stack.stack.capacity = 2;
  guest.header.flags = FMT_REC_WAITS_TAKEN;
  prof_process.header = &guest.header;
  prof_process.settings.clock = FMT_CLOCK_MONOTONIC;
  guest.thread.preemption = (struct prof_preemption){.word = &guest.word, .armed = 1};
  guest.thread.look_least[false] = guest.thread.look_least[true] = UINT64_MAX;
  guest.thread.stack = &stack.stack;
  guest.thread.top = stack.stack.frames;
  memset(&world, 0, sizeof world);
  world.now = 1000 * MS;
  *state = &guest;
  return 0;
}

static int end(void **state)
{
  (void)state;
  prof_process.header = NULL;
  return 0;
}

/* Has the thread be away for `away` before it asks, and for `asking` each time it does, and looks at the end of a call.
 */
static struct prof_waited look_at(struct guest *guest, const struct prof_ending *call, uint64_t away, uint64_t asking)
{
  world.turns.away_ns += away;
  world.asking = asking;
  guest->word = 0;
  return prof_waiting_take(&guest->thread, call, true);
}

/* Looks at the end of a call of 40 ms, `since` ns before which there was a look. The thread was away for `away` before
 * it asked. */
static struct prof_waited look(struct guest *guest, uint64_t since, uint64_t away, uint64_t asking)
{
  static const struct fmt_rec_edge edge;
  static const struct fmt_rec_frame frame;
  const struct prof_ending call = {
      .frame = &frame, .edge = &edge, .start = world.now - 40 * MS, .end = world.now, .usual = PROF_USUAL_UNKNOWN};
  guest->thread.looked_at = call.start - since;
  return look_at(guest, &call, away, asking);
}

/* What is taken out of the call where it is clear that the thread was away in it. */
static uint64_t taken(struct guest *guest, uint64_t away, uint64_t asking)
{
  const struct prof_waited waited = look(guest, 1000, away, asking);
  assert_false(waited.may_be_before);
  return waited.ticks;
}

static void in_the_call(void **state)
{
  assert_int_equal(taken(*state, 25 * MS, 0), 25 * MS);
}

static void while_it_asks(void **state)
{
  for (int i = 0; i < 3; i++)
    assert_in_range(taken(*state, 0, 10 * MS), 0, MS);
}

static void in_both(void **state)
{
  for (int i = 0; i < 3; i++)
    assert_in_range(taken(*state, 25 * MS, 10 * MS), 24 * MS, 26 * MS);
}

/* Where the thread may have been away before the call as well, a look there is asked for. */
static void in_either(void **state)
{
  assert_true(look(*state, 30 * MS, 20 * MS, 0).may_be_before);
  assert_true(look(*state, 2 * MS, 20 * MS, 0).may_be_before);
  assert_true(look(*state, 30 * MS, 20 * MS, 10 * MS).may_be_before);
  assert_false(look(*state, MS, 20 * MS, 0).may_be_before);
  assert_false(look(*state, 30 * MS, 0, 10 * MS).may_be_before);
}

/* Where a call has begun before the last look, as its callee ended then, all since is the call's, of which it is a
 * part. */
static void in_the_rest_of_the_call(void **state)
{
  struct guest *guest = *state;
  static const struct fmt_rec_edge edge;
  static const struct fmt_rec_frame frame;
  const struct prof_ending call = {
      .frame = &frame, .edge = &edge, .start = world.now - 16 * MS, .end = world.now, .usual = 12 * MS};
  (void)taken(guest, 0, 0);
  guest->thread.looked_at = call.end - 7 * MS;
  assert_int_equal(look_at(guest, &call, 4 * MS, 0).ticks, 4 * MS);
}

/* A drawn call that is much longer than others are keeps that, whatever asking took. */
static void in_a_long_call_of_short_ones(void **state)
{
  struct guest *guest = *state;
  static const struct fmt_rec_edge edge;
  static const struct fmt_rec_frame frame;
  (void)taken(guest, 25 * MS, 0);
  for (uint64_t asking = 0; asking <= 10 * MS; asking += 5 * MS) {
    const struct prof_ending call = {.frame = &frame,
                                     .edge = &edge,
                                     .start = world.now - 30 * MS,
                                     .end = world.now,
                                     .usual = MS / 10,
                                     .weighs = true};
    guest->thread.looked_at = call.start - 1000;
    const struct prof_waited waited = look_at(guest, &call, 5 * MS, asking);
    assert_in_range(waited.ticks, 5 * MS - 10 * ASKING, 5 * MS + 10 * ASKING);
    assert_false(waited.uncertain);
  }
}

/* What a call that waits for others slept in it is not what the thread waited while it asked. */
static void not_asleep_while_it_asks(void **state)
{
  struct guest *guest = *state;
  static struct fmt_rec_sleep slept[2]; /* the second one, as nothing is recorded at place 0 */
  static struct {
    struct fmt_rec_sampling sampling;
    struct fmt_rec_edge edge;
  } told;
  static const struct fmt_rec_frame frame;
  guest->header.base = (uintptr_t)slept;
  told.sampling.sleep = sizeof slept[0] / RECORD_UNIT;
  told.edge.flags = FMT_EDGE_SAMPLED | FMT_EDGE_TIMED;
  (void)taken(guest, 25 * MS, 0);
  const struct prof_ending call = {
      .frame = &frame, .edge = &told.edge, .start = world.now - 40 * MS, .end = world.now, .usual = PROF_USUAL_UNKNOWN};
  guest->thread.looked_at = call.start - 1000;
  assert_int_equal(look_at(guest, &call, 0, 10 * MS).ticks, 0);
  assert_in_range(slept[1].ticks, 0, MS / 10);
}

/* What was not taken out, as there was no room for it, is not told as taken out: 20 ms of the call, 30 of before it. */
static void told_as_taken_out(void **state)
{
  struct guest *guest = *state;
  const uint64_t before = guest->header.loss[FMT_LOSS_WAITED];
  assert_int_equal(look(guest, 30 * MS, 60 * MS, 0).ticks, 20 * MS);
  assert_in_range(guest->header.loss[FMT_LOSS_WAITED] - before, 50 * MS, 51 * MS);
}

/* A thread that is stopped at each system call, as by a tracer, asks seldom: what it did meanwhile is unknown. One that
 * is so at times, or answered slowly, asks always. */
static void stopped_at_each_call(void **state)
{
  struct guest *guest = *state;
  for (unsigned i = 0; i < 20; i++) {
    world.cleared = i % 4 ? &guest->word : NULL;
    assert_false(look(guest, 1000, 0, 10 * MS).uncertain);
  }
  assert_false(guest->header.flags & FMT_REC_WAITS_UNKNOWN);
  begin(state);
  world.cleared = &guest->word;
  uint64_t asked = 0;
  for (unsigned i = 0; i < 1000; i++) {
    const uint64_t before = world.turns.preempted;
    world.now += MS;
    const struct prof_waited waited = look(guest, 1000, i % 2 ? 25 * MS : 0, MS);
    asked += world.turns.preempted != before;
    /* What was not asked for is taken out of no other call. */
    assert_true(i < 5 || (waited.uncertain && waited.ticks == 0));
  }
  assert_in_range(asked, 10, 50);
  assert_true(guest->header.flags & FMT_REC_WAITS_UNKNOWN);
}

/* What of a time of the runtime's own is a wait, which the program's times have not. */
static void within_a_hook(void **state)
{
  struct guest *guest = *state;
  const uint64_t began = world.now - 40 * MS;
  guest->word = 1;
  assert_false(prof_waiting_is_due(&guest->thread));
  assert_int_equal(prof_waiting_within(&guest->thread, began, world.now), 0);
  guest->word = 0;
  world.turns.away_ns += 25 * MS;
  assert_true(prof_waiting_is_due(&guest->thread));
  assert_int_equal(prof_waiting_within(&guest->thread, began, world.now), 25 * MS);
  /* At most as long as the hook took: the rest was before. */
  guest->word = 0;
  world.turns.away_ns += 25 * MS;
  assert_int_equal(prof_waiting_within(&guest->thread, world.now - 3 * MS, world.now), 3 * MS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(in_the_call, begin, end),
      cmocka_unit_test_setup_teardown(while_it_asks, begin, end),
      cmocka_unit_test_setup_teardown(in_both, begin, end),
      cmocka_unit_test_setup_teardown(in_either, begin, end),
      cmocka_unit_test_setup_teardown(in_the_rest_of_the_call, begin, end),
      cmocka_unit_test_setup_teardown(in_a_long_call_of_short_ones, begin, end),
      cmocka_unit_test_setup_teardown(not_asleep_while_it_asks, begin, end),
      cmocka_unit_test_setup_teardown(told_as_taken_out, begin, end),
      cmocka_unit_test_setup_teardown(stopped_at_each_call, begin, end),
      cmocka_unit_test_setup_teardown(within_a_hook, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
