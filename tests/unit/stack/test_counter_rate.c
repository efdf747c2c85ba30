/* How fast the time stamp counter is, by two readings of it: where it began again between them, or went far ahead,
 * nobody knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/clock.h"
#include "profiler/base/process.h"

/* What is measured from `ticks` before now on, of which `ns` passed by the other clock. */
static uint32_t measured(uint64_t ticks, uint64_t ns)
{
  static struct fmt_rec_header header;
  prof_process.settings.clock = FMT_CLOCK_TSC;
  prof_process.counter_khz = 0;
  const struct fmt_rec_clock_point now = prof_clock_point();
  header.start = (struct fmt_rec_clock_point){now.ticks - ticks, now.monotonic_ns - ns};
  prof_process.header = &header;
  prof_clock_measure(&prof_process);
  prof_process.header = NULL;
  assert_int_equal(header.counter_khz, prof_process.counter_khz);
  return prof_process.counter_khz;
}

static void as_it_is(void **state)
{
  (void)state;
  const uint32_t khz = measured(0, 0);
  assert_in_range(khz, 1000, 64000000);
  assert_in_range(measured((uint64_t)khz * 1000, 1000000000), khz - khz / 64, khz + khz / 64);
}

static void what_tells_nothing(void **state)
{
  (void)state;
  const uint64_t far = UINT64_C(1) << 62;
  /* Some processors tell it themselves. */
  const uint32_t told = (uint32_t)(prof_time_stamp_hz() / 1000);
  assert_int_equal(measured(far, 1000), told);
  assert_int_equal(measured(-far, 1000), told);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_it_is), cmocka_unit_test(what_tells_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
