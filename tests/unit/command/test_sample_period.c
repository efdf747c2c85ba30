/* What samples stand for, and how many were lost, by what the kernel counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/beside/sample_period.h"

#define MILLISECOND UINT64_C(1000000)

/* 100 samples of the program, one in a millisecond, and 100 of what takes them. */
static const struct cli_samples taken = {.total = 90, .others = 10, .sampler = 100, .waited_ns = 70 * MILLISECOND};

static struct cli_kernel_counts counts_of(uint64_t counted_ms)
{
  return (struct cli_kernel_counts){
      .period_ns = MILLISECOND, .counted_ns = counted_ms * MILLISECOND, .in_kernel = true};
}

/* Sampling was on for all of the time, or paused for a part of it; what a sample took is no time of the program. */
static void none_lost(void **state)
{
  (void)state;
  struct cli_kernel_counts counts = counts_of(200);
  const struct cli_used all = {.user = 60 * MILLISECOND, .system = 40 * MILLISECOND},
                        more = {.user = 90 * MILLISECOND, .system = 60 * MILLISECOND};
  assert_int_equal(cli_lost_samples(&counts, &all, &taken), 0);
  assert_int_equal(cli_sample_period(&counts, &all, &taken), MILLISECOND);
  counts.price_ns = 10000;
  assert_int_equal(cli_sample_period(&counts, &more, &taken), 1500000 - 10000);
  assert_int_equal(cli_waited_ns(&counts, &taken), taken.waited_ns);
}

/* The kernel tells of what kind the records were that had no room: only samples stand for time. */
static void lost_by_kind(void **state)
{
  (void)state;
  struct cli_kernel_counts counts = counts_of(220);
  struct cli_samples samples = taken;
  const struct cli_used used = {.user = 110 * MILLISECOND};
  counts.lost_records = 1000;
  counts.lost_samples = 20;
  counts.switches = 980;
  samples.lost = cli_lost_samples(&counts, &used, &samples);
  assert_int_equal(samples.lost, 20);
  assert_in_range(cli_sample_period(&counts, &used, &samples), 1099999, 1100000);
  /* As many switches were seen as were not. */
  assert_int_equal(cli_waited_ns(&counts, &samples), 2 * taken.waited_ns);
}

/* An older kernel does not: they are no more than there is time for. */
static void lost_of_any_kind(void **state)
{
  (void)state;
  struct cli_kernel_counts counts = counts_of(230);
  const struct cli_used used = {.user = 60 * MILLISECOND, .system = 20 * MILLISECOND};
  counts.lost_samples = UINT64_MAX;
  assert_int_equal(cli_lost_samples(&counts, &used, &taken), 0);
  counts.lost_records = 1000;
  assert_int_equal(cli_lost_samples(&counts, &used, &taken), 30);
  counts.lost_records = 10;
  assert_int_equal(cli_lost_samples(&counts, &used, &taken), 10);
  /* No sample was due in the kernel: the time in user code is that of those that were taken, and of less. */
  counts.lost_records = 1000;
  counts.in_kernel = false;
  assert_int_equal(cli_lost_samples(&counts, &used, &taken), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(none_lost), cmocka_unit_test(lost_by_kind),
                                     cmocka_unit_test(lost_of_any_kind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
