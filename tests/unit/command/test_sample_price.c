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

/* On a busy machine most gaps may be waits for the processor, which are longer than what lies between two samples: a
 * run whose samples took longer than that would have none of its own time. */
static void others_have_the_processor(void **state)
{
  (void)state;
  uint64_t gaps[] = {306000, 16000, 2900000, 310000, 16200, 400000, 15900, 320000, 16100, 5000000, 15800, 330000};
  assert_int_equal(cli_sample_price_of(gaps, sizeof gaps / sizeof *gaps, 5), 16000);
  uint64_t long_ones[] = {306000, 310000, 320000, 330000, 400000, 16000};
  assert_int_equal(cli_sample_price_of(long_ones, sizeof long_ones / sizeof *long_ones, 5), 0);
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

/* What is longer than lies between two samples is no price of one. */
static void longer_than_a_period(void **state)
{
  (void)state;
  const uint64_t price = 3900000;
  for (uint64_t period = 1000; period < 2 * price; period = period * 2 + 1)
    assert_int_equal(cli_sample_price_within(price, period), 0);
  assert_int_equal(cli_sample_price_within(price, 2 * price), price);
  assert_int_equal(cli_sample_price_within(16000, 249989), 16000);
  assert_int_equal(cli_sample_price_within(0, 1), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(middle_of_gaps), cmocka_unit_test(others_have_the_processor),
                                     cmocka_unit_test(too_short_to_be_seen), cmocka_unit_test(longer_than_a_period)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
