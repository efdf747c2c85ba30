/* What a call slept, where its thread waited for a processor as well: that may have been elsewhere, as far as there is
 * room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/base/process.h"
#include "profiler/stack/sleeping.h"

#define RECORD_UNIT 8u /* of places in a recording */

/* A call of `inner` that has just ended, in one of `outer`. */
enum { OUTER, INNER, EDGES };

static struct guest {
  struct fmt_rec_header header;
  struct fmt_rec_sleep slept[1 + EDGES]; /* nothing is recorded at place 0 */
  struct {
    struct fmt_rec_sampling sampling;
    struct fmt_rec_edge edge;
  } edges[EDGES];
  struct prof_thread thread;
} guest;

static union {
  struct fmt_rec_stack stack;
  unsigned char room[sizeof(struct fmt_rec_stack) + 2 * sizeof(struct fmt_rec_frame)];
} segment;

static int begin(void **state)
{
  (void)state;
  memset(&guest, 0, sizeof guest);
  memset(&segment, 0, sizeof segment);
  guest.header.base = (uintptr_t)guest.slept;
  prof_process.header = &guest.header;
  for (uint32_t i = 0; i < EDGES; i++) {
    guest.edges[i].edge.flags = FMT_EDGE_SAMPLED;
    guest.edges[i].sampling.sleep = (1 + i) * (uint32_t)(sizeof guest.slept[0] / RECORD_UNIT);
  }
  struct fmt_rec_stack *stack = &segment.stack;
  stack->capacity = 2;
  stack->frames[1].edge = (uintptr_t)&guest.edges[OUTER].edge;
  guest.thread.stack = stack;
  guest.thread.top = stack->frames + 1;
  return 0;
}

static int end(void **state)
{
  (void)state;
  prof_process.header = NULL;
  return 0;
}

/* The outer call began at 1000, and nobody has looked since; the inner one `before` later. It took `took`, of which it
 * slept `slept` and waited `queued`. */
static void look(uint64_t before, uint64_t took, uint64_t slept, uint64_t queued)
{
  const uint64_t began = 1000;
  segment.stack.frames[1].start_ticks = began;
  const struct prof_ending call = {.frame = segment.stack.frames + 1,
                                   .edge = &guest.edges[INNER].edge,
                                   .start = began + before,
                                   .end = began + before + took,
                                   .usual = PROF_USUAL_UNKNOWN};
  const struct prof_sleep sleep = {.since = began, .ticks = slept, .in_call = queued};
  (void)prof_sleeping_place(&guest.thread, &call, &sleep);
}

static const struct fmt_rec_sleep *slept_in(int edge)
{
  return &guest.slept[1 + edge];
}

/* A busy machine: the call slept, and then waited for longer than that. Next to nothing of either can have been before
 * it. */
static void no_room_before(void **state)
{
  (void)state;
  look(20, 1090, 200, 889);
  assert_in_range(slept_in(INNER)->ticks, 180, 200);
  assert_in_range(slept_in(INNER)->unsure, 1, 20);
  assert_in_range(slept_in(OUTER)->ticks + slept_in(OUTER)->unsure, 1, 40);
}

/* Where the outer call has room for all that was waited, either may have slept in it. */
static void room_before(void **state)
{
  (void)state;
  look(2000, 1090, 200, 889);
  assert_int_equal(slept_in(INNER)->ticks + slept_in(OUTER)->ticks, 200);
  for (int i = 0; i < EDGES; i++) {
    assert_in_range(slept_in(i)->ticks + slept_in(i)->unsure, 200, 400);
    assert_in_range(slept_in(i)->unsure, slept_in(i)->ticks, 200);
  }
}

/* What was waited leaves no more room for what was slept, wherever it is. */
static void little_room_in_the_call(void **state)
{
  (void)state;
  look(100, 1000, 500, 0);
  assert_in_range(slept_in(INNER)->ticks, 400, 500);
  assert_in_range(slept_in(INNER)->unsure, 1, 100);
  begin(state);
  look(100, 1000, 500, 550);
  const struct fmt_rec_sleep *inner = slept_in(INNER);
  assert_in_range(inner->ticks, 400, 450);
  assert_in_range(inner->ticks + inner->unsure, 450, 550);
  assert_true(inner->ticks <= 400 + inner->unsure);
}

/* One stretch has all of it. */
static void nothing_before(void **state)
{
  (void)state;
  look(0, 1090, 200, 889);
  assert_int_equal(slept_in(INNER)->ticks, 200);
  assert_int_equal(slept_in(INNER)->unsure, 0);
  assert_int_equal(slept_in(OUTER)->ticks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_room_before, begin, end),
      cmocka_unit_test_setup_teardown(room_before, begin, end),
      cmocka_unit_test_setup_teardown(little_room_in_the_call, begin, end),
      cmocka_unit_test_setup_teardown(nothing_before, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
