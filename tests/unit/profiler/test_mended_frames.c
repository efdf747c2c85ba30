/*
 * A hook that a signal interrupted goes on with its frame in another segment than the thread's: a handler's calls lost
 * their exits there, or its hooks went back from the segment that the hook had prepared. The next slow section goes on
 * where that frame is, and nothing stays open or marked.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case _inner quick inner */
/* ctest: case _left quick left */
/* ctest: case _signal quick signal */
/* ctest: case _signal_left quick signal_left */
/* ctest: case _both quick both */
/* ctest: case _above quick above */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/clock.h"
#include "profiler/base/process.h"
#include "profiler/frame/frame.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET __attribute__((no_instrument_function, noinline))

static char alternate[4096];

/* One more open frame, of the same call as the innermost one. */
static QUIET void open_frame(struct prof_thread *t, struct fmt_rec_edge *edge)
{
  CHECK(prof_frame_open(t, edge, t->stack_low + 64, prof_clock_now()));
}

/* What a hook does that goes on: its frame is in the first place of the segment, wherever the thread is. */
static QUIET void go_on_in(struct prof_thread *t, struct fmt_rec_stack *segment, struct fmt_rec_edge *edge)
{
  struct fmt_rec_frame *frame = segment->frames + 1;
  frame->cfa = (uintptr_t)__builtin_frame_address(0);
  frame->flags = (uintptr_t)&edge->calls | 1; /* the exit of a segment's first frame is never fast */
  frame->start_ticks = prof_clock_now();
  frame->edge = (uintptr_t)edge;
  t->top = frame;
}

/* The hook's call ends, and the thread is where it was before. */
static QUIET void end_in(struct prof_thread *t, const struct fmt_rec_stack *segment, struct prof_place before)
{
  CHECK(t->stack == segment && t->top == segment->frames + 1 &&
        prof_place_caller((struct prof_place){t->stack, t->stack->frames}));
  prof_frame_end(t, prof_place_settled(t), prof_clock_now());
  prof_stack_rest(t);
  CHECK(t->stack == before.stack && t->top == before.top && t->machine->outermost == before.stack);
}

static QUIET struct fmt_rec_stack *enter_signal(struct prof_thread *t)
{
  CHECK(prof_stack_enter_signal(t, (uintptr_t)alternate, (uintptr_t)alternate + sizeof alternate));
  return t->stack;
}

static QUIET struct fmt_rec_stack *grow_and_leave(struct prof_thread *t)
{
  CHECK(prof_stack_grow(t));
  struct fmt_rec_stack *inner = t->stack;
  prof_stack_rest(t);
  return inner;
}

static QUIET void slow_section_again(struct prof_thread *t)
{
  prof_slow_leave(t);
  CHECK(prof_slow_enter(t));
}

/* In a slow section. How many calls more are counted then than were made. */
static QUIET uint64_t mislead(struct prof_thread *t, const char *how, struct prof_place before,
                              struct fmt_rec_edge *edge)
{
  struct fmt_rec_stack *segment = NULL;
  if (strcmp(how, "inner") == 0) {
    CHECK(prof_stack_grow(t));
    open_frame(t, edge);
  } else if (strcmp(how, "signal") == 0) {
    enter_signal(t);
    open_frame(t, edge);
  } else if (strcmp(how, "left") == 0) {
    segment = grow_and_leave(t);
  } else if (strcmp(how, "signal_left") == 0) {
    segment = enter_signal(t);
    prof_stack_rest(t);
  } else {
    segment = grow_and_leave(t);
    enter_signal(t);
    open_frame(t, edge);
  }
  if (segment)
    go_on_in(t, segment, edge);
  else
    t->top = before.top;
  slow_section_again(t);
  if (segment)
    end_in(t, segment, before);
  return segment && strcmp(how, "both") == 0 ? 2 : 1;
}

/* Frames above the innermost one when recording ends are lost, and said to be. */
static QUIET void leave_above(struct prof_thread *t, struct prof_place before, struct fmt_rec_edge *edge)
{
  open_frame(t, edge);
  open_frame(t, edge);
  /* Only now: this file is instrumented, and so is what it takes from headers and calls in a slow section. */
  const uint64_t lost = prof_process.header->loss[FMT_LOSS_NESTED];
  before.top[1].edge = 0; /* the hook that went on has ended its own */
  before.top[1].cfa = 0;
  t->top = before.top;
  prof_slow_leave(t);
  CHECK(callsig_disable() == 0 && callsig_enable() == 0);
  CHECK(prof_slow_enter(t));
  slow_section_again(t);
  CHECK(prof_process.header->loss[FMT_LOSS_NESTED] == lost + 1);
  CHECK(!before.top[1].edge && !before.top[2].edge && !before.top[2].cfa);
}

static QUIET void check(const char *how)
{
  struct prof_thread *t = prof_self;
  CHECK(prof_slow_enter(t));
  const struct prof_place before = prof_place_settled(t);
  struct fmt_rec_edge *edge = prof_frame_edge(before.top);
  const uint64_t calls = edge->calls;
  if (strcmp(how, "above") == 0)
    leave_above(t, before, edge);
  else
    CHECK(mislead(t, how, before, edge) == edge->calls - calls);
  CHECK(t->recursion == 0 && t->mode == PROF_MODE_PLAIN);
  prof_slow_leave(t);
}

static __attribute__((noinline)) void recorded(const char *how)
{
  check(how);
  __asm__ volatile("" : : : "memory");
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 2);
  recorded(argv[1]);
  recorded(argv[1]);
  CHECK(prof_self->recursion == 0 && unlink(callsig_path()) == 0);
  return 0;
}
