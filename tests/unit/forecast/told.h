/*
 * What the unit tests of forecasts share: a simulated pipeline is recorded, read, judged and forecast.
 */
#ifndef CALLSIG_TESTS_UNIT_FORECAST_TOLD_H
#define CALLSIG_TESTS_UNIT_FORECAST_TOLD_H

#include <math.h>
#include <unistd.h>

#include "output/verdict/forecast.h"
#include "output/verdict/what_if.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_simulator.h"

#define TOLD static __attribute__((unused))

struct told {
  struct callsig_pipeline *pipeline;
  struct out_bottleneck verdict;
  struct base_vector asked;
  struct out_forecast forecast;
};

TOLD struct callsig_pipeline *record(const struct simulation *simulation)
{
  struct callsig_pipeline *pipeline;
  uint64_t end;
  struct recording_writer *writer = simulate(simulation, &end);
  const char *path = scratch_path("forecast");
  recording_writer_save(writer, end, path);
  recording_writer_free(writer);
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  unlink(path);
  return pipeline;
}

TOLD struct told tell_of(struct callsig_pipeline *pipeline, const char *settings)
{
  struct told told = {.pipeline = pipeline, .asked = BASE_VECTOR_OF(struct out_change)};
  uint32_t stage = 0, queue = 0;
  uint64_t steps = OUT_FORECAST_STEPS;
  assert_int_equal(out_bottleneck_next(told.pipeline, &stage, &queue, &told.verdict), 1);
  assert_int_equal(out_what_if_read(told.pipeline, settings, &told.asked), 0);
  assert_int_equal(out_forecast_make(told.pipeline, &told.verdict, &told.asked, &steps, &told.forecast), 0);
  assert_true(steps < OUT_FORECAST_STEPS || told.forecast.why);
  return told;
}

/* Of tasks in a simulation the kernel is not asked. */
TOLD struct told tell(const struct simulation *simulation, const char *settings)
{
  return tell_of(record(simulation), settings);
}

TOLD void forget(struct told *told)
{
  out_forecast_free(&told->forecast);
  out_bottleneck_free(&told->verdict);
  base_vector_free(&told->asked);
  callsig_pipeline_free(told->pipeline);
}

TOLD const struct out_prediction *proposal(const struct told *told, uint32_t number)
{
  assert_true(number < told->forecast.proposals.count);
  return base_vector_at(&told->forecast.proposals, number);
}

TOLD const struct out_change *change(const struct out_prediction *prediction, uint32_t number)
{
  assert_true(number < prediction->changes.count);
  return base_vector_at(&prediction->changes, number);
}

TOLD void near(double found, double expected)
{
  if (!(fabs(found / expected - 1) < 0.02))
    fail_msg("%.4f, and is to be %.4f", found, expected);
}

TOLD struct simulation two_stages(void)
{
  return (struct simulation){.stages = {{.name = "decode", .concurrency = 4, .time = 20000},
                                        {.name = "encode", .concurrency = 1, .time = 9000}},
                             .count = 2,
                             .capacity = 8,
                             .items = 500};
}

#endif
