/* What is promised of simulated pipelines is no more than what was seen of them bears. */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/forecast/told.h"

/* Of tasks of which the kernel told that they were on a processor for a share of their time. */
static void compute(struct out_stage *stage, double share)
{
  const double time = stage->stats.total_time + stage->stats.failed_time;
  stage->work = (struct out_task_work){.known = true, .own = time, .sampled_time = time, .sampled_cpu = share * time};
}

static struct told tell_computing(const struct simulation *simulation, double share, const char *settings)
{
  struct callsig_pipeline *pipeline = record(simulation);
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    compute(base_vector_at(&pipeline->stages, i), share);
  return tell_of(pipeline, settings);
}

/* One thread computes all of its time, and never waits for one of two processors: the other one is there for a second
 * thread, whether the simulation gives a little more than was measured or less. */
static void nobody_lacks_a_processor(void **state)
{
  (void)state;
  for (uint64_t between = 0; between < 400; between += 50) {
    const struct simulation simulation = {
        .stages = {{.name = "encode", .concurrency = 1, .time = 9000, .between = between, .every = 7, .slow = 11000}},
        .count = 1,
        .capacity = 16,
        .items = 300};
    struct callsig_pipeline *pipeline = record(&simulation);
    struct out_stage *stage = base_vector_at(&pipeline->stages, 0);
    stage->processors = 2;
    compute(stage, 1);
    struct told told = tell_of(pipeline, "encode=2");
    near(told.forecast.model.network.processors, 2);
    assert_true(told.forecast.doubled.gain > 1.9);
    forget(&told);
  }
}

/* One thread shows nothing of what its tasks may have in turn. Of four that begin together, tasks end together, so that
 * more of them do more; when they end one after the other, as far apart as they do in the mean, they may wait for one
 * another. */
static void promises(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  struct told told = tell_computing(&simulation, 1, "encode=2,decode=5");
  assert_true(told.forecast.doubled.gain > 1.7);
  assert_true(told.forecast.doubled.least == 1 && told.forecast.asked.least == 1);
  assert_string_equal(told.forecast.doubled.unseen->view->stage->stats.label, "0:2:encode");
  forget(&told);
  simulation.stages[0].time = 80000;
  told = tell_computing(&simulation, 0.9, "decode=8,encode=2");
  near(told.forecast.doubled.gain, 2);
  assert_true(told.forecast.doubled.least > 1.9);
  assert_null(told.forecast.doubled.unseen);
  assert_true(told.forecast.asked.least > 1.9);
  forget(&told);
  simulation.source_time = 20000;
  simulation.stages[0].time = 79000;
  told = tell_computing(&simulation, 1, "decode=8");
  assert_true(told.forecast.asked.least <= 1);
  forget(&told);
}

/* The same tasks that end together, but wait for a third of their time, or it is not known whether they do: there may
 * be four of what they wait for. */
static void as_many_as_there_are(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[0].time = 80000;
  for (unsigned known = 0; known < 2; known++) {
    struct told told =
        known ? tell_computing(&simulation, 0.67, "decode=5,encode=2") : tell(&simulation, "decode=5,encode=2");
    near(told.forecast.doubled.gain, 2);
    assert_true(told.forecast.doubled.least == 1 && told.forecast.asked.least == 1);
    assert_string_equal(told.forecast.doubled.unseen->view->stage->stats.label, "0:1:decode[4]");
    for (uint32_t i = 0; i < told.forecast.proposals.count; i++)
      assert_true(proposal(&told, i)->least <= 1);
    forget(&told);
  }
}

/* Four threads, of which two blocks let two work at once: more of them were not seen. */
static void as_many_as_were_at_work(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[0].time = 80000;
  simulation.blocks = 2;
  struct told told = tell_computing(&simulation, 0.5, "queue:free=4");
  assert_int_equal(told.verdict.bound, OUT_BOUND_RING);
  assert_true(told.forecast.asked.gain > 1.6);
  assert_true(told.forecast.asked.least < 1.15);
  forget(&told);
  told = tell_computing(&simulation, 1, "queue:free=4");
  assert_true(told.forecast.asked.least > 1.6);
  forget(&told);
}

/* What threads wait for between tasks may be one thing for all of them, although their tasks end together. */
static void waits_between(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[0].time = 68000;
  simulation.stages[0].between = 12000;
  struct told told = tell(&simulation, "decode=8,encode=2");
  near(told.forecast.doubled.gain, 2);
  assert_true(told.forecast.doubled.least <= 1 && told.forecast.asked.least <= 1);
  assert_string_equal(told.forecast.doubled.unseen->view->stage->stats.label, "0:1:decode[4]");
  for (uint32_t i = 0; i < told.forecast.proposals.count; i++)
    assert_true(proposal(&told, i)->least <= 1);
  forget(&told);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_lacks_a_processor),
      cmocka_unit_test(promises),
      cmocka_unit_test(as_many_as_there_are),
      cmocka_unit_test(as_many_as_were_at_work),
      cmocka_unit_test(waits_between),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
