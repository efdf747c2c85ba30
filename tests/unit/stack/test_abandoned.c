/*
 * makecontext() on a stack whose coroutine is given up while it is suspended: what was open there has ended, wherever
 * the new function's calls begin, and calls nothing of what comes.
 */
/* ctest: records */
/* ctest: build _O0 -g -O0 -finstrument-functions */
/* ctest: build _O2 -g -O2 -finstrument-functions */
#include <stdint.h>
#include <ucontext.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET  __attribute__((no_instrument_function, noinline))
#define CALLED __attribute__((noinline))
#define ROUNDS 100
#define LEFT   3 /* calls of a coroutine that is given up */

static ucontext_t home, context;
static char stack[65536];
static uint64_t seconds;

static CALLED void yield(void)
{
  CHECK(swapcontext(&context, &home) == 0);
}

static CALLED void first(void)
{
  yield();
  __asm__ volatile("" : : : "memory");
}

/* With no other call of its machine stack open. */
static CALLED void second(void)
{
  const struct prof_thread *t = prof_self;
  CHECK(t->top == t->machine->outermost->frames + 1 && prof_frame_edge(t->top)->function_address == (uintptr_t)second);
  seconds++;
}

static CALLED void begin_first(void)
{
  first();
  __asm__ volatile("" : : : "memory");
}

/* Below where the first ones' frames begin. */
static QUIET void begin_second(void)
{
  volatile char room[512];
  room[0] = 1;
  second();
  room[1] = room[0];
  CHECK(swapcontext(&context, &home) == 0);
}

static QUIET void start(void (*function)(void))
{
  CHECK(getcontext(&context) == 0);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  context.uc_link = NULL;
  makecontext(&context, function, 0);
  CHECK(swapcontext(&home, &context) == 0);
}

static CALLED void each_round(void)
{
  start(begin_first);
  start(begin_second);
}

QUIET int main(void)
{
  for (int i = 0; i < ROUNDS; i++)
    each_round();
  CHECK(seconds == ROUNDS);
  CHECK(prof_process.header->loss[FMT_LOSS_UNWOUND] == (uint64_t)LEFT * ROUNDS);
  CHECK(prof_process.header->loss[FMT_LOSS_NESTED] == 0);
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
