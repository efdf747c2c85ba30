/* An object that no recording was added to: every function that needs calls says so, once, and none crashes. */
#include <errno.h>
#include <string.h>

#include "tests/support/output_sample.h"

static struct callsig_stats *stats;
static FILE *nowhere;

static int make_empty(void **state)
{
  nowhere = fopen("/dev/null", "w");
  return catch_messages(state) || !nowhere || callsig_stats_new(NULL, &stats);
}

static int free_empty(void **state)
{
  (void)state;
  callsig_stats_free(stats);
  return fclose(nowhere);
}

static void expect_refused(int result)
{
  assert_int_equal(result, -EINVAL);
  assert_non_null(strstr(last_message(), "no recording was loaded or added"));
  message_reset();
}

static void test_prints_are_refused(void **state)
{
  (void)state;
  static const print_fn prints[] = {
      callsig_stats_print,          callsig_stats_print_callers, callsig_stats_print_callees,
      callsig_stats_print_averages, callsig_stats_print_json,    callsig_stats_print_csv,
  };
  for (size_t i = 0; i < sizeof prints / sizeof *prints; i++)
    expect_refused(prints[i](stats, nowhere, NULL, 0));
  struct callsig_stats_scaling scaling = {.size = sizeof scaling};
  expect_refused(callsig_stats_scaling(stats, &scaling, nowhere, NULL, 0));
}

static void test_rows_are_refused(void **state)
{
  (void)state;
  struct callsig_stats_row row = {.size = sizeof row};
  struct callsig_stats_total total = {.size = sizeof total};
  assert_int_equal(callsig_stats_row_count(stats), 0);
  expect_refused(callsig_stats_row(stats, 0, &row));
  expect_refused(callsig_stats_total(stats, &total));
}

static void test_exports_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; callsig_stats_export_format(i); i++) {
    struct callsig_stats_export wanted = {.size = sizeof wanted, .format = callsig_stats_export_format(i)};
    expect_refused(callsig_stats_export_file(stats, &wanted, scratch_path("empty")));
    /* A stream is nothing for a format that is a folder. */
    if (strcmp(wanted.format, "otf2") != 0)
      expect_refused(callsig_stats_export(stats, &wanted, nowhere));
  }
}

static void test_nothing_is_dumped(void **state)
{
  (void)state;
  expect_refused(callsig_stats_dump(stats, scratch_path("empty")));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prints_are_refused),
      cmocka_unit_test(test_rows_are_refused),
      cmocka_unit_test(test_exports_are_refused),
      cmocka_unit_test(test_nothing_is_dumped),
  };
  return cmocka_run_group_tests(tests, make_empty, free_empty);
}
