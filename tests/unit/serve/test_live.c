/* What was added between two readings, and metrics: names that mean no good, rows that are bounded, counters that never
 * fall. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callsig/live.h"
#include "output/serve/metrics_functions.h"
#include "tests/support/output_sample.h"

static void write_and_forget(struct out_metrics_text *metrics, const char *expected)
{
  assert_int_equal(out_metrics_text_result(metrics), 0);
  assert_string_equal(out_text_string(&metrics->text), expected);
  out_text_clear(&metrics->text);
}

static void put(struct out_metrics_text *metrics, const char *label, double value)
{
  out_metric_begin(metrics, "");
  if (label)
    out_metric_label(metrics, "l", label);
  out_metric_end(metrics, value);
}

static void test_names_are_escaped(void **state)
{
  (void)state;
  struct out_metric_memory memory = {.list = {0}};
  out_metric_memory_free(&memory);
  struct out_metrics_text metrics = {.memory = &memory};
  out_metric_family(&metrics, "gauge", "g", "Help.");
  put(&metrics, "a\"b\\c\nd\x1b\xff\xc3\xa9} 1", 1);
  put(&metrics, "", -0.5);
  put(&metrics, NULL, NAN);
  write_and_forget(&metrics, "# HELP g Help.\n# TYPE g gauge\n"
                             "g{l=\"a\\\"b\\\\c\\\\x0ad\\\\x1b\\\\xff\xc3\xa9} 1\"} 1\ng{l=\"\"} -0.5\ng NaN\n");
  out_metrics_text_free(&metrics);
  out_metric_memory_free(&memory);
}

static void test_counters_never_fall(void **state)
{
  (void)state;
  struct out_metric_memory memory = {.list = {0}};
  out_metric_memory_free(&memory);
  struct out_metrics_text metrics = {.memory = &memory};
  out_metric_family(&metrics, "counter", "c_total", "Help.");
  out_text_clear(&metrics.text);
  put(&metrics, "a", 2.5);
  put(&metrics, "b", 18014398509481984.0);
  put(&metrics, "a", 2.25);
  put(&metrics, "a", 3);
  put(&metrics, "a", INFINITY);
  write_and_forget(&metrics, "c_total{l=\"a\"} 2.5\nc_total{l=\"b\"} 18014398509481984.0\nc_total{l=\"a\"} 2.5\n"
                             "c_total{l=\"a\"} 3\nc_total{l=\"a\"} +Inf\n");
  /* What is forgotten begins again, and a gauge may fall. */
  out_metric_memory_free(&memory);
  put(&metrics, "a", 1);
  out_metric_family(&metrics, "gauge", "c_total", "Help.");
  put(&metrics, "a", 0);
  write_and_forget(&metrics, "c_total{l=\"a\"} 1\n# HELP c_total Help.\n# TYPE c_total gauge\nc_total{l=\"a\"} 0\n");
  out_metrics_text_free(&metrics);
  out_metric_memory_free(&memory);
}

/* A reading of functions f0, f1, ... with these seconds, each called ten times as often. */
static void read_functions(struct out_metric_functions *functions, const double *own, size_t count)
{
  out_metric_functions_begin(functions);
  for (size_t i = 0; i < count; i++) {
    const char name[] = {'f', (char)('0' + i), 0};
    const struct out_function_count counts = {.calls = own[i] * 10, .own = own[i]};
    assert_int_equal(out_metric_functions_add(functions, "a.c", 1, name, counts), 0);
  }
  assert_int_equal(out_metric_functions_choose(functions), 0);
}

static double own_of(const struct out_metric_functions *functions, const char *name)
{
  for (uint32_t i = 0; i < functions->list.count; i++) {
    const struct out_metric_function *function = base_vector_at(&functions->list, i);
    if (strcmp(function->name, name) == 0)
      return function->has_row ? function->now.own - function->before.own : -1;
  }
  return -2;
}

static void test_functions_are_bounded(void **state)
{
  (void)state;
  struct out_metric_functions functions;
  out_metric_functions_init(&functions, 1);
  read_functions(&functions, (const double[]){5, 2}, 2);
  assert_true(own_of(&functions, "f0") == 5 && own_of(&functions, "f1") == -1);
  /* f1 comes to the front, with what it does from now on; f2 is new, and has all of it. */
  read_functions(&functions, (const double[]){5, 7}, 2);
  assert_true(own_of(&functions, "f0") == 5 && own_of(&functions, "f1") == 0);
  read_functions(&functions, (const double[]){5, 8, 9}, 3);
  assert_true(own_of(&functions, "f1") == 1 && own_of(&functions, "f2") == 9);
  /* Four have rows then, and no other gets one. */
  read_functions(&functions, (const double[]){5, 8, 9, 10}, 4);
  read_functions(&functions, (const double[]){5, 8, 9, 10, 11}, 5);
  assert_true(own_of(&functions, "f3") == 10 && own_of(&functions, "f4") == -1);
  assert_int_equal(functions.rows, OUT_METRICS_ROWS_EVER);

  struct out_metric_memory memory = {.list = {0}};
  out_metric_memory_free(&memory);
  struct out_metrics_text metrics = {.memory = &memory};
  out_metric_functions_write(&functions, &metrics);
  /* The others: f4, and what f1 did before. */
  assert_non_null(strstr(out_text_string(&metrics.text),
                         "callsig_function_self_seconds_total{function=\"other\",file=\"\",line=\"\"} 18\n"));
  assert_non_null(strstr(out_text_string(&metrics.text),
                         "callsig_function_calls_total{function=\"f1\",file=\"a.c\",line=\"1\"} 10\n"));
  out_metrics_text_free(&metrics);
  out_metric_memory_free(&memory);
  out_metric_functions_forget(&functions);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A recording of `calls` calls of f(n), n from 0 on, each of 10 ticks. */
static void write_calls(const char *path, uint32_t calls, bool is_wide, uint32_t pid, uint64_t start)
{
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 1, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  recording_writer_header(sample.recording)->pid = pid;
  recording_writer_header(sample.recording)->start_realtime_ns = start;
  for (uint64_t i = 0; i < calls; i++) {
    sample_call(&sample, 0, (const uint64_t[]){0, i % 3}, 2, i * 10, i * 10 + 10);
    if (is_wide && i == 0)
      recording_widen(sample.thread, sample.module, 0, 0, FMT_WIDEN_TYPE, 1);
  }
  sample_end(&sample, calls * 10, path);
}

static int write_delta(struct callsig_delta *delta, struct callsig_delta_info *info, struct callsig_delta **next)
{
  FILE *nowhere = fopen("/dev/null", "w");
  *info = (struct callsig_delta_info){.size = sizeof *info};
  int result = callsig_delta_write(delta, nowhere, info, next);
  fclose(nowhere);
  return result;
}

static void test_deltas_sum_to_the_whole(void **state)
{
  (void)state;
  const char *path = scratch_path("delta");
  struct callsig_delta *delta, *next;
  struct callsig_delta_info info;
  write_calls(path, 5, false, 7, 99);
  assert_int_equal(callsig_delta_begin(path, &delta), 0);
  write_calls(path, 12, false, 7, 99);
  assert_int_equal(write_delta(delta, &info, &next), 0);
  assert_int_equal(info.calls, 7);
  assert_int_equal(info.less_calls, 0);
  assert_true(info.until >= info.from && info.less_time == 0);
  assert_int_equal(write_delta(delta, &info, NULL), -EINVAL);
  callsig_delta_free(delta);
  /* The argument has been widened in between: what was exact is as wide now. */
  write_calls(path, 20, true, 7, 99);
  assert_int_equal(write_delta(next, &info, NULL), 0);
  assert_int_equal(info.calls, 8);
  assert_int_equal(info.less_calls, 0);
  callsig_delta_free(next);
  callsig_delta_free(NULL);
  unlink(path);
}

static void test_less_than_before_is_nothing(void **state)
{
  (void)state;
  const char *path = scratch_path("less");
  struct callsig_delta *delta;
  struct callsig_delta_info info;
  write_calls(path, 9, false, 7, 99);
  assert_int_equal(callsig_delta_begin(path, &delta), 0);
  write_calls(path, 3, false, 7, 99);
  assert_int_equal(write_delta(delta, &info, NULL), 0);
  assert_int_equal(info.calls, 0);
  assert_int_equal(info.less_calls, 6);
  assert_true(info.time == 0 && info.less_time > 0);
  callsig_delta_free(delta);
  unlink(path);
}

/* A recording of so much of each loss. */
static void write_losses(const char *path, uint64_t each)
{
  struct sample sample;
  sample_begin(&sample);
  index_writer_function(sample.index, "/src/a.c", 1, "f", 0);
  index_writer_arg(sample.index, FMT_ARG_VALUE, "n", sample.int_type);
  sample_calls(&sample);
  for (unsigned i = 0; i < FMT_LOSS_COUNT; i++)
    recording_writer_header(sample.recording)->loss[i] = each << i;
  sample_call(&sample, 0, (const uint64_t[]){0, 1}, 2, 0, 10);
  sample_end(&sample, 10, path);
}

/* What was lost of something else than calls does not count among them: the ticks of FMT_LOSS_WAITED least of all. */
static void test_lost_are_calls(void **state)
{
  (void)state;
  const char *path = scratch_path("lost");
  struct callsig_delta *delta;
  struct callsig_delta_info info;
  write_losses(path, 1);
  assert_int_equal(callsig_delta_begin(path, &delta), 0);
  write_losses(path, 3);
  assert_int_equal(write_delta(delta, &info, NULL), 0);
  assert_int_equal(
      info.lost, 2 * (1u << FMT_LOSS_NO_SPACE | 1u << FMT_LOSS_NESTED | 1u << FMT_LOSS_LATE | 1u << FMT_LOSS_NO_SLED));
  callsig_delta_free(delta);
  unlink(path);
}

static void test_what_cannot_be_subtracted(void **state)
{
  (void)state;
  static const struct {
    uint32_t pid;
    uint64_t start;
    const char *why;
  } others[] = {{8, 99, "process 8 records there by now"}, {7, 100, "count from zero"}};
  const char *path = scratch_path("other");
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    struct callsig_delta *delta, *next = NULL;
    struct callsig_delta_info info;
    write_calls(path, 5, false, 7, 99);
    assert_int_equal(callsig_delta_begin(path, &delta), 0);
    write_calls(path, 6, false, others[i].pid, others[i].start);
    assert_int_equal(write_delta(delta, &info, &next), -ESTALE);
    assert_null(next);
    assert_non_null(strstr(last_message(), others[i].why));
    message_reset();
    callsig_delta_free(delta);
  }
  struct callsig_delta *delta;
  struct callsig_stats *stats;
  assert_int_equal(callsig_stats_load(path, &stats), 0);
  assert_int_equal(callsig_stats_dump(stats, path), 0);
  callsig_stats_free(stats);
  assert_int_equal(callsig_delta_begin(path, &delta), -ENOTSUP);
  assert_null(delta);
  unlink(path);
  assert_int_equal(callsig_delta_begin(path, &delta), -ENOENT);
  assert_null(delta);
}

static void test_options(void **state)
{
  (void)state;
  struct callsig_metrics *metrics;
  struct callsig_metrics_options options = {.size = sizeof options};
  assert_int_equal(callsig_metrics_new(&options, &metrics), -EINVAL);
  options.path = "x";
  options.functions = 10001;
  assert_int_equal(callsig_metrics_new(&options, &metrics), -EINVAL);
  options.functions = 0;
  assert_int_equal(callsig_metrics_new(&options, &metrics), 0);
  FILE *full = fopen("/dev/full", "w");
  assert_int_equal(callsig_metrics_write(metrics, full), -EIO);
  fclose(full);
  callsig_metrics_free(metrics);
  callsig_metrics_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_escaped),           cmocka_unit_test(test_counters_never_fall),
      cmocka_unit_test(test_functions_are_bounded),       cmocka_unit_test(test_deltas_sum_to_the_whole),
      cmocka_unit_test(test_less_than_before_is_nothing), cmocka_unit_test(test_lost_are_calls),
      cmocka_unit_test(test_what_cannot_be_subtracted),   cmocka_unit_test(test_options),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
