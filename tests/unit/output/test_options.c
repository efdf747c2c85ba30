/* Options of a program that knows more fields than the library: accepted while the fields are 0, else refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/output_sample.h"

/* Some options with room behind them for the fields of a later version. */
enum { LATER = 24 };

union options {
  size_t size;
  struct callsig_stats_options stats;
  struct callsig_stats_filter filter;
  struct callsig_stats_style style;
  struct callsig_stats_scaling scaling;
  struct callsig_stats_score score;
  struct callsig_stats_export export;
  struct callsig_monitor_options monitor;
  char bytes[sizeof(struct callsig_stats_scaling) + sizeof(struct callsig_stats_style) + LATER];
};

static struct callsig_stats *stats;
static FILE *nowhere;

static int use_stats(const union options *options)
{
  struct callsig_stats *made = NULL;
  int result = callsig_stats_new(&options->stats, &made);
  assert_int_equal(result == 0, made != NULL);
  callsig_stats_free(made);
  return result;
}

static int use_filter(const union options *options)
{
  return callsig_stats_filter(stats, &options->filter);
}

static int use_style(const union options *options)
{
  return callsig_stats_set_style(stats, &options->style);
}

static int use_scaling(const union options *options)
{
  return callsig_stats_scaling(stats, &options->scaling, nowhere, NULL, 0);
}

static int use_score(const union options *options)
{
  return callsig_stats_score(stats, &options->score, nowhere, NULL, 0);
}

static int use_export(const union options *options)
{
  union options with_format = *options;
  with_format.export.format = "folded";
  return callsig_stats_export(stats, &with_format.export, nowhere);
}

static int use_monitor(const union options *options)
{
  struct callsig_monitor *monitor = NULL;
  union options with_path = *options;
  with_path.monitor.path = "/nowhere/callsig.out";
  with_path.monitor.interval = 60;
  int result = callsig_monitor_start(&with_path.monitor, &monitor);
  assert_int_equal(result == 0, monitor != NULL);
  if (monitor)
    assert_int_equal(callsig_monitor_stop(monitor), -ENOENT);
  return result;
}

static const struct {
  const char *name;
  size_t size;
  int (*use)(const union options *options);
} structures[] = {
    {"callsig_stats_options", sizeof(struct callsig_stats_options), use_stats},
    {"callsig_stats_filter", sizeof(struct callsig_stats_filter), use_filter},
    {"callsig_stats_style", sizeof(struct callsig_stats_style), use_style},
    {"callsig_stats_scaling", sizeof(struct callsig_stats_scaling), use_scaling},
    {"callsig_stats_score", sizeof(struct callsig_stats_score), use_score},
    {"callsig_stats_export", sizeof(struct callsig_stats_export), use_export},
    {"callsig_monitor_options", sizeof(struct callsig_monitor_options), use_monitor},
};

static void later_fields(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
    union options options = {.bytes = {0}};
    options.size = structures[i].size;
    assert_int_equal(structures[i].use(&options), 0);
    options.size = structures[i].size + LATER;
    assert_int_equal(structures[i].use(&options), 0);
    options.bytes[structures[i].size + LATER - 1] = 1;
    message_reset();
    assert_int_equal(structures[i].use(&options), -EINVAL);
    assert_non_null(strstr(last_message(), structures[i].name));
    assert_null(strchr(last_message(), '\n'));
    /* Behind what the program knows it does not count. */
    options.size--;
    assert_int_equal(structures[i].use(&options), 0);
  }
}

static void senseless_size(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
    union options options = {.bytes = {0}};
    options.size = SIZE_MAX;
    message_reset();
    assert_int_equal(structures[i].use(&options), -EINVAL);
    assert_non_null(strstr(last_message(), "makes no sense"));
  }
}

static void earlier_fields(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
    union options options = {.bytes = {0}};
    message_reset();
    assert_int_equal(structures[i].use(&options), -EINVAL);
    assert_non_null(strstr(last_message(), structures[i].name));
  }
  union options options = {.style = {.size = offsetof(struct callsig_stats_style, unit), .unit = 99}};
  assert_int_equal(use_style(&options), 0);
  options.size = sizeof(struct callsig_stats_style);
  assert_int_equal(use_style(&options), -EINVAL);
}

static int set_up(void **state)
{
  nowhere = fopen("/dev/null", "w");
  stats = sample_load_seed();
  return nowhere && stats ? catch_messages(state) : -1;
}

static int tear_down(void **state)
{
  (void)state;
  callsig_stats_free(stats);
  return fclose(nowhere);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_fields),
      cmocka_unit_test(earlier_fields),
      cmocka_unit_test(senseless_size),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
