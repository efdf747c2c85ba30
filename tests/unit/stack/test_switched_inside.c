/*
 * Recording is switched off while a hook makes what its call needs, and on again later: the call, which ends unheard,
 * is no call of the profile, and stays no frame that lasts until somebody notices.
 */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
#include <setjmp.h>
#include <stdint.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET  __attribute__((no_instrument_function, noinline))
#define CALLED __attribute__((noinline))

static jmp_buf back;
static uint64_t ticks;
static int is_armed;

/* Stands for another thread that switches recording just then: the hook of a new call below which a frame is dead reads
 * the clock in the section that makes its edge. */
static QUIET uint64_t read_clock(void *data)
{
  (void)data;
  if (is_armed) {
    is_armed = 0;
    CHECK(prof_self->state == PROF_HOOKS_BUSY && callsig_disable() == 0);
  }
  return ++ticks;
}

static CALLED void leave(void)
{
  longjmp(back, 1);
}

static CALLED void unheard(void)
{
  __asm__ volatile("");
}

static CALLED void heard(void)
{
  __asm__ volatile("");
}

/* Inline functions have hooks here, too. */
static QUIET void check_closed(void)
{
  const struct prof_thread *t = prof_self;
  CHECK(t->stack == t->machine->outermost && t->top == t->stack->frames);
}

static CALLED void test(void)
{
  if (setjmp(back) == 0)
    leave();
  is_armed = 1;
  unheard();
  CHECK(!is_armed && !callsig_is_enabled());
  check_closed();
  ticks += 1000000;
  CHECK(callsig_enable() == 0);
  heard();
  check_closed();
}

static QUIET uint64_t calls_of(void (*function)(void))
{
  uint64_t calls = 0;
  const struct prof_tree *tree = &prof_self->tree;
  for (const struct fmt_rec_edge *edge = (const struct fmt_rec_edge *)tree->record->first_edge; edge;
       edge = (const struct fmt_rec_edge *)edge->next)
    calls += edge->function_address == (uintptr_t)function ? edge->calls : 0;
  return calls;
}

QUIET int main(void)
{
  CHECK(callsig_set_clock(read_clock, NULL, 1000000000) == 0);
  test();
  CHECK(calls_of(unheard) == 0 && calls_of(heard) == 1);
  CHECK(prof_process.header->loss[FMT_LOSS_UNWOUND] == 0 && prof_process.header->loss[FMT_LOSS_NESTED] == 0);
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
