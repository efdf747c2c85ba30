/*
 * Calls whose arguments are compared by the powers of two that they lie between, of each size and sign: the fast path
 * knows them again, and none comes to the generic one.
 */
/* ctest: skips */
/* ctest: records */
/* ctest: wrap prof_hook_enter */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: build _sleds -g -O2 @CALLSIG_TEST_SLEDS@ */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/hook/generic_path.h"
#include "tests/support/check.h"

#define QUIET __attribute__((no_instrument_function, noinline))
#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif
#define MANY    300 /* different values: more than are told apart */
#define KNOWN   10  /* calls until an edge is known */
#define CALLS   100
#define SKIPPED 77

static volatile int64_t last;
static uint64_t generic; /* calls that came to the generic path */

void __real_prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers);
void __wrap_prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers);

QUIET void __wrap_prof_hook_enter(uintptr_t function, uintptr_t call_site, const struct prof_registers *registers)
{
  generic++;
  __real_prof_hook_enter(function, call_site, registers);
}

static NOINLINE void whole(int64_t value)
{
  last = value;
}

static NOINLINE void half(int32_t value)
{
  last = value;
}

static NOINLINE void quarter(int16_t value)
{
  last = value;
}

static NOINLINE void without_sign(uint64_t value)
{
  last = (int64_t)value;
}

enum size { WHOLE, HALF, QUARTER, WITHOUT_SIGN, SIZES };

/* One place for each size. */
static QUIET void call(enum size size, int64_t value)
{
  switch (size) {
  case WHOLE:
    whole(value);
    break;
  case HALF:
    half((int32_t)value);
    break;
  case QUARTER:
    quarter((int16_t)value);
    break;
  default:
    without_sign((uint64_t)value);
  }
}

static QUIET void check(enum size size, int64_t value)
{
  for (int i = 0; i < KNOWN; i++)
    call(size, value);
  const uint64_t before = generic;
  for (int i = 0; i < CALLS; i++)
    call(size, value);
  if (generic != before) {
    fprintf(stderr, "size %d, %lld: %llu of %d calls are not known again\n", size, (long long)value,
            (unsigned long long)(generic - before), CALLS);
    _exit(1);
  }
}

QUIET int main(void)
{
#if !defined(__x86_64__)
  fprintf(stderr, "skipped: only on x86-64 the fast path compares arguments\n");
  return SKIPPED;
#endif
  static const int64_t values[] = {0, 1, 5, INT16_MAX, INT32_MAX, INT64_MAX, -1, -5, INT16_MIN, INT32_MIN, INT64_MIN};
  for (enum size size = WHOLE; size < SIZES; size++) {
    for (int64_t value = -MANY; value < MANY; value++)
      call(size, value);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
      check(size, values[i]);
  }
  CHECK(generic > 0 && unlink(callsig_path()) == 0);
  return 0;
}
