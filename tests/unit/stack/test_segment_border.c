/*
 * Calls whose frame is the first of a segment end in a slow section: what that takes is measured as the hook's, as what
 * their entry takes is.
 */
/* ctest: records */
/* ctest: wrap prof_stack_rest */
/* ctest: build _O2 -g -O2 -finstrument-functions */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/arch/primitives.h"
#include "profiler/stack/stack.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

#define QUIET  __attribute__((no_instrument_function, noinline))
#define CALLED __attribute__((noinline))
#define CALLS  20
#define TICKS  100000 /* that the section of an exit takes here */

static int is_measured;
static volatile int is_within; /* a call, whose exit comes next */

void __real_prof_stack_rest(struct prof_thread *t);
void __wrap_prof_stack_rest(struct prof_thread *t);

QUIET void __wrap_prof_stack_rest(struct prof_thread *t)
{
  const uint64_t began = prof_time_stamp();
  __real_prof_stack_rest(t);
  while (is_within && prof_time_stamp() - began < TICKS)
    ;
  is_within = 0;
}

static CALLED void leaf(int n)
{
  is_within = n;
  __asm__ volatile("" : : : "memory");
}

static QUIET uint64_t overhead(void)
{
  uint64_t ticks = 0;
  for (uint64_t at = prof_self->tree.record->first_edge; at; at = ((const struct fmt_rec_edge *)at)->next)
    if (((const struct fmt_rec_edge *)at)->function_address == (uintptr_t)leaf)
      ticks += ((const struct fmt_rec_edge *)at)->overhead;
  return ticks;
}

static CALLED void descend(void)
{
  if (prof_self->top < prof_self->limit) {
    descend();
  } else {
    leaf(0);
    const uint64_t before = overhead();
    for (int i = 0; i < CALLS; i++)
      leaf(1);
    CHECK(overhead() - before >= (uint64_t)CALLS * TICKS);
    is_measured = 1;
  }
  __asm__ volatile("" : : : "memory");
}

QUIET int main(void)
{
  CHECK(setenv("CALLSIG_TIMES", "exact", 1) == 0);
  descend();
  CHECK(is_measured && unlink(callsig_path()) == 0);
  return 0;
}
