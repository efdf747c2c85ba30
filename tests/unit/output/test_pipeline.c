/* Statistics of stages, queues and events, read from recordings made by hand. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/pipeline/pipeline.h"
#include "output/recording/histogram.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_writer.h"

enum { HZ = 1000000 };

/* A recording with one stage and one thread, whose tasks take the given times, one after the other. */
static struct callsig_pipeline *load_times(const uint64_t *times, size_t count)
{
  struct recording_writer *writer = recording_writer_new(7, HZ);
  struct recording_thread *thread = recording_writer_thread(writer, 7, "worker");
  uint64_t stage = pipeline_writer_stage(writer, 0, 1, "decode", 4, 0), now = 0;
  for (size_t i = 0; i < count; now += times[i++])
    pipeline_writer_task(writer, thread, stage, now, now + times[i], 0);
  const char *path = scratch_path("times");
  recording_writer_save(writer, now, path);
  recording_writer_free(writer);
  struct callsig_pipeline *pipeline;
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  unlink(path);
  return pipeline;
}

static struct callsig_stage_stats stage_at(const struct callsig_pipeline *pipeline, size_t index)
{
  struct callsig_stage_stats stage = {.size = sizeof stage};
  assert_int_equal(callsig_pipeline_stage(pipeline, index, &stage), 0);
  return stage;
}

static struct callsig_queue_stats queue_at(const struct callsig_pipeline *pipeline, size_t index)
{
  struct callsig_queue_stats queue = {.size = sizeof queue};
  assert_int_equal(callsig_pipeline_queue(pipeline, index, &queue), 0);
  return queue;
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

static int compare_numbers(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

/* The reference checks of SPDL's estimators: 0..99 within 3, 0..999 within 20. */
static void reference_checks(void **state)
{
  (void)state;
  uint64_t times[1000];
  for (size_t i = 0; i < 1000; i++)
    times[i] = i;
  struct callsig_pipeline *pipeline = load_times(times, 100);
  struct callsig_stage_stats stage = stage_at(pipeline, 0);
  assert_near(stage.p90_time * HZ, 90, 3);
  assert_near(stage.p99_time * HZ, 99, 3);
  callsig_pipeline_free(pipeline);
  pipeline = load_times(times, 1000);
  stage = stage_at(pipeline, 0);
  assert_near(stage.p90_time * HZ, 900, 20);
  assert_near(stage.p99_time * HZ, 990, 20);
  assert_near(stage.ave_time * HZ, 499.5, 1e-9);
  callsig_pipeline_free(pipeline);
}

/* Empty gives 0, below five values sorted[min(int(n * p), n - 1)]. */
static void few_values(void **state)
{
  (void)state;
  static const uint64_t times[] = {90071, 12345, 777777, 50003};
  for (size_t count = 0; count <= 4; count++) {
    uint64_t sorted[4];
    memcpy(sorted, times, sizeof sorted);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    struct callsig_pipeline *pipeline = load_times(times, count);
    struct callsig_stage_stats stage = {.size = sizeof stage};
    assert_int_equal(callsig_pipeline_stage(pipeline, 0, &stage), 0);
    size_t p90 = count * 9 / 10 < count - 1 ? count * 9 / 10 : count - 1;
    assert_near(stage.p90_time * HZ, count ? (double)sorted[p90] : 0, 1e-6);
    assert_near(stage.p99_time * HZ, count ? (double)sorted[count - 1] : 0, 1e-6);
    assert_near(stage.min_time * HZ, count ? (double)sorted[0] : 0, 1e-6);
    assert_near(stage.max_time * HZ, count ? (double)sorted[count - 1] : 0, 1e-6);
    callsig_pipeline_free(pipeline);
  }
}

/* A uniform number in (0, 1): xorshift64*, Vigna 2016. */
static double next_uniform(uint64_t *random)
{
  *random ^= *random >> 12;
  *random ^= *random << 25;
  *random ^= *random >> 27;
  return ((double)(*random * UINT64_C(2685821657736338717) >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

/* A million times of a distribution: every percentile is within 2^-6 of the exact one. */
static void check_distribution(double (*draw)(uint64_t *random))
{
  enum { COUNT = 1000000 };
  uint64_t *times = malloc(COUNT * sizeof *times), random = 88172645463325252u;
  assert_non_null(times);
  for (size_t i = 0; i < COUNT; i++)
    times[i] = (uint64_t)draw(&random);
  struct callsig_pipeline *pipeline = load_times(times, COUNT);
  struct callsig_stage_stats stage = stage_at(pipeline, 0);
  qsort(times, COUNT, sizeof *times, compare_numbers);
  const struct {
    double got;
    size_t permille;
  } checks[] = {{stage.p50_time, 500}, {stage.p90_time, 900}, {stage.p99_time, 990}};
  for (size_t i = 0; i < 3; i++) {
    size_t place = checks[i].permille * (COUNT / 1000);
    double exact = (double)times[place];
    assert_near(checks[i].got * HZ, exact, exact / 64 + 1e-6);
  }
  assert_int_equal(stage.num_tasks, COUNT);
  callsig_pipeline_free(pipeline);
  free(times);
}

static double draw_uniform(uint64_t *random)
{
  return 40000 * next_uniform(random);
}

static double draw_exponential(uint64_t *random)
{
  return -25000 * log(next_uniform(random));
}

/* Log-normal, by Box and Muller: a long tail over six decades. */
static double draw_lognormal(uint64_t *random)
{
  double angle = 6.283185307179586 * next_uniform(random);
  return exp(8 + 2 * sqrt(-2 * log(next_uniform(random))) * cos(angle));
}

static void distributions(void **state)
{
  (void)state;
  check_distribution(draw_uniform);
  check_distribution(draw_exponential);
  check_distribution(draw_lognormal);
}

/* Threads' figures add up; failures count apart; what callbacks refused is told. */
static void tasks_of_threads(void **state)
{
  (void)state;
  struct recording_writer *writer = recording_writer_new(7, HZ);
  uint64_t first = pipeline_writer_stage(writer, 0, 2, "second", 1, 0);
  uint64_t stage = pipeline_writer_stage(writer, 0, 1, "decode", 10, 0);
  for (uint32_t i = 0; i < 3; i++) {
    struct recording_thread *thread = recording_writer_thread(writer, 10 + i, "worker");
    pipeline_writer_task(writer, thread, stage, 0, 100 * (i + 1), 0);
    pipeline_writer_task(writer, thread, stage, 1000, 9000, 1);
    pipeline_writer_task(writer, thread, first, 9000, 9007, 0);
  }
  pipeline_writer_drop(writer, stage, 5);
  pipeline_writer_event(writer, "flush", 3, 0);
  pipeline_writer_event(writer, "swap", 2, 5000);
  const char *path = scratch_path("threads");
  recording_writer_save(writer, 10000, path);
  recording_writer_free(writer);
  struct callsig_pipeline *pipeline;
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  unlink(path);
  assert_int_equal(callsig_pipeline_stage_count(pipeline), 2);
  struct callsig_stage_stats decode = stage_at(pipeline, 0);
  assert_string_equal(decode.label, "0:1:decode[10]");
  assert_string_equal(decode.name, "decode");
  assert_int_equal(decode.concurrency, 10);
  assert_int_equal(decode.threads, 3);
  assert_int_equal(decode.num_tasks, 6);
  assert_int_equal(decode.num_failures, 3);
  assert_int_equal(decode.dropped, 5);
  assert_near(decode.ave_time, 200e-6, 1e-12);
  assert_near(decode.min_time, 100e-6, 1e-12);
  assert_near(decode.max_time, 300e-6, 1e-12);
  assert_near(decode.failed_time, 24000e-6, 1e-12);
  assert_string_equal(stage_at(pipeline, 1).label, "0:2:second");
  assert_int_equal(callsig_pipeline_event_count(pipeline), 2);
  struct callsig_event_stats event = {.size = sizeof event};
  assert_int_equal(callsig_pipeline_event(pipeline, 0, &event), 0);
  assert_string_equal(event.name, "swap");
  assert_int_equal(event.count, 2);
  assert_near(event.total_time, 5e-3, 1e-12);
  assert_int_equal(callsig_pipeline_event(pipeline, 2, &event), -EINVAL);
  callsig_pipeline_free(pipeline);
}

/* Saves what there is by now and reads it. */
static struct callsig_pipeline *load_now(struct recording_writer *writer, uint64_t now)
{
  const char *path = scratch_path("interval");
  struct callsig_pipeline *pipeline;
  recording_writer_save(writer, now, path);
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  unlink(path);
  return pipeline;
}

/* Intervals: one while the queue is empty throughout, one while it is full throughout, one of both. */
static void occupancy(void **state)
{
  (void)state;
  struct recording_writer *writer = recording_writer_new(7, HZ);
  struct recording_thread *thread = recording_writer_thread(writer, 7, "worker");
  uint64_t queue = pipeline_writer_queue(writer, 0, 1, "decode", 4, 1000);
  struct callsig_pipeline *at[5], *delta;
  at[0] = NULL;
  at[1] = load_now(writer, 2000);
  pipeline_writer_put(writer, thread, queue, 2000, 2000);
  at[2] = load_now(writer, 3000);
  pipeline_writer_put(writer, thread, queue, 3100, 3100);
  pipeline_writer_get(writer, thread, queue, 3100, 3200);
  pipeline_writer_get(writer, thread, queue, 3200, 3250);
  at[3] = load_now(writer, 4000);
  pipeline_writer_close_queue(writer, queue, 5000);
  at[4] = load_now(writer, 9000);
  static const double rates[] = {0, 1, 0.25, 0};
  double elapsed = 0, empty = 0;
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(out_pipeline_delta(at[i], NULL, at[i + 1], &delta), 0);
    struct callsig_queue_stats interval = queue_at(delta, 0);
    assert_near(interval.occupancy_rate, rates[i], 1e-9);
    assert_near(interval.elapsed, 1e-3, 1e-12);
    elapsed += interval.elapsed;
    empty += interval.empty_time;
    callsig_pipeline_free(delta);
  }
  struct callsig_queue_stats whole = queue_at(at[4], 0);
  assert_near(whole.elapsed, elapsed, 1e-12);
  assert_near(whole.empty_time, empty, 1e-12);
  assert_near(whole.occupancy_rate, 1.25 / 4, 1e-9);
  assert_near(whole.qps, 2 / 4e-3, 1e-6);
  assert_int_equal(whole.num_items, 2);
  assert_int_equal(whole.puts, 2);
  assert_int_equal(whole.high_water, 2);
  assert_int_equal(whole.capacity, 4);
  assert_int_equal(whole.items, 0);
  assert_near(whole.ave_get_time, 75e-6, 1e-12);
  assert_near(whole.p99_get_time, 100e-6, 1e-12);
  for (size_t i = 1; i < 5; i++)
    callsig_pipeline_free(at[i]);
  recording_writer_free(writer);
}

/* A thread empties the queue after the clock was read for a reading, and another fills it likewise: the intervals have
 * no less than none of their time, and no more than all, and sum to the last reading. */
static void changed_behind_the_clock(void **state)
{
  (void)state;
  struct recording_writer *writer = recording_writer_new(7, HZ);
  struct recording_thread *thread = recording_writer_thread(writer, 7, "worker");
  uint64_t queue = pipeline_writer_queue(writer, 0, 1, "decode", 4, 1000);
  struct callsig_pipeline *at[5] = {NULL}, *delta;
  pipeline_writer_put(writer, thread, queue, 2000, 2000);
  pipeline_writer_get(writer, thread, queue, 3300, 3300);
  at[1] = load_now(writer, 3000);
  pipeline_writer_put(writer, thread, queue, 4200, 4200);
  at[2] = load_now(writer, 4000);
  pipeline_writer_get(writer, thread, queue, 4350, 4350);
  at[3] = load_now(writer, 4100);
  at[4] = load_now(writer, 6000);
  double empty = 0;
  for (size_t i = 0; i < 4; i++) {
    if (at[i])
      out_pipeline_follow(at[i], at[i + 1]);
    assert_int_equal(out_pipeline_delta(at[i], NULL, at[i + 1], &delta), 0);
    struct callsig_queue_stats interval = queue_at(delta, 0);
    assert_true(interval.occupancy_rate >= 0 && interval.occupancy_rate <= 1);
    assert_true(interval.empty_time >= 0 && interval.empty_time <= interval.elapsed + 1e-12);
    empty += interval.empty_time;
    callsig_pipeline_free(delta);
  }
  assert_near(queue_at(at[4], 0).empty_time, empty, 1e-12);
  assert_near(empty, 3.55e-3, 1e-12);
  for (size_t i = 1; i < 5; i++)
    callsig_pipeline_free(at[i]);
  recording_writer_free(writer);
}

/* A histogram survives its byte form; bytes that are none are refused. */
static void encoded(void **state)
{
  (void)state;
  struct out_histogram histogram = {0}, again = {0};
  struct out_text bytes = {0};
  for (uint64_t bucket = 0; bucket < 1920; bucket += 7)
    assert_int_equal(out_histogram_count(&histogram, 5, bucket, bucket * 1000003 + 1), 0);
  out_histogram_encode(&histogram, &bytes);
  assert_int_equal(out_histogram_decode(&again, bytes.data, bytes.length), 0);
  assert_int_equal(out_histogram_total(&again), out_histogram_total(&histogram));
  assert_int_equal(out_histogram_add(&again, &histogram, -1), 0);
  assert_int_equal(out_histogram_total(&again), 0);
  for (size_t cut = 2; cut < bytes.length; cut++) {
    struct out_histogram part = {0};
    int result = out_histogram_decode(&part, bytes.data, cut);
    assert_true(result == 0 || result == -EINVAL);
    out_histogram_free(&part);
  }
  assert_int_equal(out_histogram_decode(&again, "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01", 12), -EINVAL);
  assert_int_equal(out_histogram_decode(&again, "\x06\x01\x01", 3), -EINVAL);
  assert_int_equal(out_histogram_count(&again, 5, 60 << 5, 1), -EINVAL);
  out_histogram_free(&histogram);
  out_histogram_free(&again);
  out_text_free(&bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_checks), cmocka_unit_test(few_values), cmocka_unit_test(distributions),
      cmocka_unit_test(tasks_of_threads), cmocka_unit_test(occupancy),  cmocka_unit_test(changed_behind_the_clock),
      cmocka_unit_test(encoded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
