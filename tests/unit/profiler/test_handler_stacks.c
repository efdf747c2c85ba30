/*
 * A handler on an alternate stack that lies among the frames of the thread's own interrupts a hook, while an earlier
 * handler's call, whose exit was heard by nobody, is open there. The frames of both are left alone: by their addresses
 * alone the hook's would be dead. And what is told of frames that nobody heard the exit of.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: case - quick */
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/clock.h"
#include "profiler/base/process.h"
#include "profiler/frame/frame.h"
#include "profiler/frame/unwind.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET __attribute__((no_instrument_function, noinline))

static int calls;

static __attribute__((noinline)) void called(void)
{
  calls++;
}

static QUIET void on_signal(int number)
{
  CHECK(number == SIGUSR1);
  called();
}

static QUIET struct fmt_rec_edge *edge_of_called(const struct prof_thread *t)
{
  struct fmt_rec_edge *edge = (struct fmt_rec_edge *)t->tree.record->first_edge;
  while (edge && edge->function_address != (uintptr_t)called)
    edge = (struct fmt_rec_edge *)edge->next;
  CHECK(edge);
  return edge;
}

/* What a hook leaves that a signal interrupts after it took a frame. */
static QUIET struct fmt_rec_frame *begin_frame(struct prof_thread *t)
{
  struct fmt_rec_frame *frame = t->top + 1;
  CHECK(!frame->edge);
  frame->cfa = (uintptr_t)__builtin_frame_address(0);
  t->top = frame;
  return frame;
}

/* Of a call that no exit hook ended it is told, unless a switch of recording did: then that is what it ended by. */
static QUIET void close_frames(struct prof_thread *t, struct fmt_rec_edge *edge)
{
  const uint64_t *loss = &prof_process.header->loss[FMT_LOSS_UNWOUND];
  CHECK(*loss == 0 && prof_slow_enter(t));
  prof_frame_close(t, prof_clock_now());
  CHECK(*loss == 1);
  CHECK(prof_frame_open(t, edge, (uintptr_t)__builtin_frame_address(0), prof_clock_now()));
  t->tree.record->end_ticks = prof_clock_now();
  prof_frame_close(t, t->tree.record->end_ticks);
  CHECK(*loss == 1);
  t->tree.record->end_ticks = 0;
  prof_slow_leave(t);
}

QUIET int main(void)
{
  char inner[16384];
  const stack_t stack = {.ss_sp = inner, .ss_size = sizeof inner};
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  called();
  struct prof_thread *t = prof_self;
  struct fmt_rec_edge *edge = edge_of_called(t);
  CHECK(prof_frame_open(t, edge, (uintptr_t)inner + sizeof inner, prof_clock_now()));
  const struct fmt_rec_frame *left = t->top;
  struct fmt_rec_frame *begun = begin_frame(t);
  const uintptr_t cfa = begun->cfa;
  CHECK(raise(SIGUSR1) == 0 && calls == 2);
  CHECK(t->top == begun && begun->cfa == cfa && left->edge == (uintptr_t)edge);
  begun->cfa = 0;
  t->top--;
  close_frames(t, edge);
  CHECK(unlink(callsig_path()) == 0);
  _exit(0); /* the frames are as no hook leaves them */
}
