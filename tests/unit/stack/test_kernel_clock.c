/*
 * Hooks whose clock is the kernel's, since the processor's is not fit: most of their time they are in the code that the
 * kernel has put into the process. A handler that interrupts one there, while recording is switched by another thread,
 * interrupts a hook. Every call is counted, counted as lost, or was made while recording was off.
 */
/* ctest: records */
/* ctest: wrap prof_clock_wall */
/* ctest: build _O2 -g -O2 -finstrument-functions */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET    __attribute__((no_instrument_function, noinline))
#define CALLED   __attribute__((noinline))
#define HANDLERS 3000

static pthread_t target;
static volatile sig_atomic_t handled;
static uint64_t calls;

uint32_t __wrap_prof_clock_wall(void);

/* Of a processor whose time stamp counter changes its rate. */
QUIET uint32_t __wrap_prof_clock_wall(void)
{
  return FMT_CLOCK_MONOTONIC;
}

static CALLED void in_handler(void)
{
  __asm__ volatile("" : : : "memory");
}

static CALLED void leaf(void)
{
  __asm__ volatile("" : : : "memory");
}

static CALLED void work(void)
{
  leaf();
  leaf();
  __asm__ volatile("" : : : "memory");
}

static QUIET void handle(int number)
{
  (void)number;
  in_handler();
  handled++;
}

static QUIET void *switch_and_interrupt(void *unused)
{
  const struct timespec pause = {0, 50000};
  while (handled < HANDLERS) {
    CHECK(callsig_disable() == 0 && callsig_enable() == 0);
    CHECK(pthread_kill(target, SIGUSR1) == 0);
    nanosleep(&pause, NULL);
  }
  return unused;
}

static QUIET uint64_t calls_recorded(void)
{
  uint64_t recorded = 0;
  for (uint64_t at = prof_self->tree.record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next)
    recorded += ((const struct fmt_rec_edge *)at)->calls;
  return recorded;
}

QUIET int main(void)
{
  pthread_t thread;
  const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  target = pthread_self();
  CHECK(pthread_create(&thread, NULL, switch_and_interrupt, NULL) == 0);
  while (handled < HANDLERS) {
    work();
    calls += 3;
  }
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(prof_process.settings.clock == FMT_CLOCK_MONOTONIC);
  work();
  const struct prof_thread *t = prof_self;
  CHECK(t->stack == t->machine->outermost && t->top == t->stack->frames && t->recursion == 0);
  CHECK(calls_recorded() > HANDLERS && calls_recorded() <= calls + 3 + HANDLERS);
  CHECK(unlink(callsig_path()) == 0);
  return 0;
}
