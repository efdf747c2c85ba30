/* What a sample costs, by the gaps that interrupts leave between readings of a clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/beside/sample_price.h"

/* Other interrupts are shorter, and waits for the processor are longer. */
static void middle_of_gaps(void **state)
{
  (void)state;
  uint64_t gaps[] = {16000, 1200, 15900, 4000000, 16100, 15800, 16200};
  assert_int_equal(cli_sample_price_of(gaps, sizeof gaps / sizeof *gaps, 5), 16000);
}

/* Where there are fewer gaps than samples, not each sample made one: a processor without an hypervisor may be faster.
 */
static void too_short_to_be_seen(void **state)
{
  (void)state;
  uint64_t gaps[] = {4000000, 1200};
  assert_int_equal(cli_sample_price_of(gaps, 2, 5), 0);
  assert_int_equal(cli_sample_price_of(gaps, 0, 0), 0);
}

/* A machine that is busy with something else: half of the gaps are waits for the processor. They are no price, since
 * what lies between two samples is less. */
static void longer_than_a_period(void **state)
{
  (void)state;
  uint64_t gaps[] = {4000000, 1200, 3000000, 15900, 4100000, 3900000, 4000000};
  const uint64_t price = cli_sample_price_of(gaps, sizeof gaps / sizeof *gaps, 5);
  assert_int_equal(price, 3900000);
  for (uint64_t period = 1000; period < 2 * price; period = period * 2 + 1)
    assert_int_equal(cli_sample_price_within(price, period), 0);
  assert_int_equal(cli_sample_price_within(price, 2 * price), price);
  assert_int_equal(cli_sample_price_within(16000, 249989), 16000);
  assert_int_equal(cli_sample_price_within(0, 1), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(middle_of_gaps), cmocka_unit_test(too_short_to_be_seen),
                                     cmocka_unit_test(longer_than_a_period)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
