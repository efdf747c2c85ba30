/* Programs that stay on one processor: what a tracer and its tracee do in turn takes a third of the time there, since
 * none waits for another processor to wake. */
#ifndef CALLSIG_TESTS_ONE_PROCESSOR_H
#define CALLSIG_TESTS_ONE_PROCESSOR_H

#include <sched.h>

#include "tests/support/check.h"

/* The calling thread, and those and the children that it makes from now on, stay where it is. */
__attribute__((no_instrument_function, unused)) static inline void stay_on_this_processor(void)
{
  const int here = sched_getcpu();
  cpu_set_t one;
  CHECK(here >= 0);
  CPU_ZERO(&one);
  CPU_SET((size_t)here, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

#endif
