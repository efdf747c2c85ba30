/* What is predicted of simulated pipelines follows from their parameters; what cannot be predicted is said to be so. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/forecast/told.h"

/* Twice encode's concurrency would leave decode: 200 tasks a second in place of 111. With three of it and seven of
 * decode, of which there may be ten, it is 333. */
static void threads(void **state)
{
  (void)state;
  const struct simulation simulation = two_stages();
  struct told told = tell(&simulation, "encode=3,0:1:decode[4]=5");
  assert_null(told.forecast.why);
  assert_true(told.forecast.off < 0.01);
  near(told.forecast.simulated, 1e6 / 9000);
  near(told.forecast.doubled.gain, 200 / (1e6 / 9000));
  assert_string_equal(told.forecast.doubled.next->view->stage->stats.label, "0:1:decode[4]");
  const struct out_prediction *first = proposal(&told, 0), *best = proposal(&told, 1);
  assert_int_equal(first->changes.count, 1);
  assert_string_equal(change(first, 0)->stage->stats.label, "0:2:encode");
  assert_int_equal(change(first, 0)->value, 2);
  near(first->gain, 200 / (1e6 / 9000));
  assert_int_equal(best->changes.count, 2);
  assert_int_equal(change(best, 0)->value + change(best, 1)->value, 10);
  near(best->gain, 3);
  assert_true(told.forecast.is_asked);
  assert_int_equal(told.forecast.asked.changes.count, 2);
  near(told.forecast.asked.gain, 250 / (1e6 / 9000));
  forget(&told);
}

/* As many threads as decode leaves items for, and no more: seven would do 184 tasks a second of 200. */
static void enough_threads(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[1].time = 38000;
  struct told told = tell(&simulation, NULL);
  const struct out_prediction *first = proposal(&told, 0);
  assert_int_equal(first->changes.count, 1);
  assert_string_equal(change(first, 0)->stage->stats.label, "0:2:encode");
  assert_int_equal(change(first, 0)->value, 8);
  forget(&told);
}

/* What puts into the first queue, or takes from the last one, bounds the pipeline: no thread and no queue helps. */
static void ends(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.source_time = 30000;
  struct told told = tell(&simulation, "encode=4,decode=9");
  assert_null(told.forecast.why);
  near(told.forecast.simulated, told.verdict.throughput);
  assert_int_equal(told.forecast.proposals.count, 0);
  near(told.forecast.asked.gain, 1);
  assert_true(told.forecast.asked.next->is_source);
  forget(&told);
  simulation.source_time = 0;
  simulation.sink_time = 30000;
  told = tell(&simulation, "queue:encode=100");
  assert_null(told.forecast.why);
  near(told.forecast.simulated, told.verdict.throughput);
  assert_int_equal(told.forecast.proposals.count, 0);
  near(told.forecast.asked.gain, 1);
  assert_false(told.forecast.asked.next->is_source);
  assert_string_equal(told.forecast.asked.next->queue->label, "0:2:encode");
  forget(&told);
}

/* A stage whose tasks are long now and then holds up another that is as slow, where the queue between is short. */
static void queues(void **state)
{
  (void)state;
  const struct simulation simulation = {
      .stages = {{.name = "read", .concurrency = 1, .time = 1000, .every = 10, .slow = 91000},
                 {.name = "write", .concurrency = 1, .time = 10000}},
      .count = 2,
      .capacity = 2,
      .items = 1000,
  };
  struct told told = tell(&simulation, "queue:0:1:read=64");
  assert_null(told.forecast.why);
  assert_true(told.forecast.asked.gain > 1.3);
  bool found = false;
  for (uint32_t i = 0; i < told.forecast.proposals.count; i++)
    for (uint32_t j = 0; j < proposal(&told, i)->changes.count; j++) {
      const struct out_change *each = change(proposal(&told, i), j);
      found = found || (each->queue && strcmp(each->queue->label, "0:1:read") == 0 && each->value > 2);
    }
  assert_true(found);
  forget(&told);
}

/* A stage that makes one item of four, failures, and a thread that is slow. */
static void shapes(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[1].takes = 4;
  simulation.stages[1].time = 40000;
  struct told told = tell(&simulation, "encode=2");
  assert_null(told.forecast.why);
  near(told.forecast.asked.gain, 2);
  forget(&told);
  simulation = two_stages();
  simulation.stages[0].failing = 2;
  simulation.stages[1].time = 30000;
  told = tell(&simulation, "encode=2");
  assert_null(told.forecast.why);
  near(told.forecast.asked.gain, 2);
  forget(&told);
  simulation = two_stages();
  simulation.stages[0] =
      (struct simulated_stage){.name = "decode", .concurrency = 4, .time = 40000, .slow_thread = 1, .slow = 160000};
  told = tell(&simulation, "decode=8");
  assert_null(told.forecast.why);
  near(told.forecast.asked.gain, (7 / 40. + 1 / 160.) > 1 / 9. ? (1 / 9.) / (3 / 40. + 1 / 160.) : 0);
  forget(&told);
}

/* Two blocks go round through 29 ms of tasks: 69 tasks a second. Four would leave encode, which does 111; threads would
 * wait for blocks. */
static void rings(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.blocks = 2;
  struct told told = tell(&simulation, "queue:free=3");
  assert_int_equal(told.verdict.bound, OUT_BOUND_RING);
  assert_string_equal(told.verdict.before->label, "0:2:free");
  assert_null(told.forecast.why);
  near(told.forecast.simulated, 2e6 / 29000);
  near(told.forecast.doubled.gain, 1);
  near(told.forecast.asked.gain, 1.5);
  assert_true(told.forecast.asked.least > 1.4);
  const struct out_prediction *more = proposal(&told, 0);
  assert_int_equal(more->changes.count, 1);
  assert_string_equal(change(more, 0)->queue->label, "0:2:free");
  assert_int_equal(change(more, 0)->value, 4);
  near(more->gain, 29. / 18);
  forget(&told);
  simulation.blocks = 8;
  told = tell(&simulation, "encode=2,queue:free=2");
  assert_int_equal(told.verdict.bound, OUT_BOUND_STAGE);
  assert_string_equal(told.verdict.stage->stage->stats.label, "0:2:encode");
  near(told.forecast.simulated, 1e6 / 9000);
  near(told.forecast.asked.gain, 18. / 29);
  forget(&told);
}

/* The same blocks as slots of which nothing is told: what would help is not known, and which stage bounds is where it
 * is busy. */
static void slots(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.slots = 2;
  simulation.stages[0].concurrency = 2;
  simulation.stages[1].time = 10000;
  struct told told = tell(&simulation, "encode=2");
  assert_int_equal(told.verdict.bound, OUT_BOUND_UNKNOWN);
  assert_string_equal(told.verdict.untold->stage->stats.label, "0:1:decode[2]");
  assert_non_null(strstr(told.forecast.why, "for what is not told"));
  assert_false(told.forecast.is_asked);
  assert_int_equal(told.forecast.proposals.count, 0);
  forget(&told);
  simulation.stages[1].time = 40000;
  simulation.slots = 3;
  told = tell(&simulation, NULL);
  assert_int_equal(told.verdict.bound, OUT_BOUND_STAGE);
  assert_non_null(strstr(told.forecast.why, "threads of 0:1:decode[2] wait "));
  forget(&told);
}

/* Of a stage that waits a little between its tasks, it is not known what it does when others are faster. */
static void limited_by_waits(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[0] = (struct simulated_stage){.name = "decode", .concurrency = 1, .time = 6000, .between = 1500};
  struct told told = tell(&simulation, "encode=2,queue:decode=64");
  assert_null(told.forecast.why);
  assert_string_equal(told.forecast.doubled.hidden->view->stage->stats.label, "0:1:decode");
  assert_string_equal(told.forecast.asked.hidden->view->stage->stats.label, "0:1:decode");
  forget(&told);
}

/* More items than are simulated. */
static void many_items(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.items = 20000;
  struct told told = tell(&simulation, "encode=2");
  assert_true(told.forecast.model.share < 0.5);
  near(told.forecast.simulated, 1e6 / 9000);
  near(told.forecast.asked.gain, 200 / (1e6 / 9000));
  forget(&told);
}

/* Stages between which no queue is seen; and no steps left. */
static void not_predicted(void **state)
{
  (void)state;
  struct recording_writer *writer = recording_writer_new(7, SIMULATED_HZ);
  struct recording_thread *thread = recording_writer_thread(writer, 7, "one");
  struct recording_thread *other = recording_writer_thread(writer, 8, "other");
  const uint64_t first = pipeline_writer_stage(writer, 0, 1, "first", 1, 0);
  const uint64_t second = pipeline_writer_stage(writer, 0, 2, "second", 1, 0);
  for (uint64_t i = 0; i < 100; i++) {
    pipeline_writer_task(writer, thread, first, i * 1000, i * 1000 + 900, 0);
    pipeline_writer_task(writer, other, second, i * 1000, i * 1000 + 500, 0);
  }
  const char *path = scratch_path("apart");
  recording_writer_save(writer, 100000, path);
  recording_writer_free(writer);
  struct told told = {0};
  uint32_t stage = 0, queue = 0;
  uint64_t steps = OUT_FORECAST_STEPS;
  assert_int_equal(callsig_pipeline_load(path, &told.pipeline), 0);
  unlink(path);
  assert_int_equal(out_bottleneck_next(told.pipeline, &stage, &queue, &told.verdict), 1);
  assert_int_equal(out_forecast_make(told.pipeline, &told.verdict, NULL, &steps, &told.forecast), 0);
  assert_non_null(strstr(told.forecast.why, "connected by queues"));
  forget(&told);
  const struct simulation simulation = two_stages();
  told = (struct told){.pipeline = record(&simulation)};
  stage = queue = 0;
  steps = 100;
  assert_int_equal(out_bottleneck_next(told.pipeline, &stage, &queue, &told.verdict), 1);
  assert_int_equal(out_forecast_make(told.pipeline, &told.verdict, NULL, &steps, &told.forecast), 0);
  assert_non_null(strstr(told.forecast.why, "too long"));
  assert_int_equal(steps, 0);
  forget(&told);
}

static uint64_t asked_of(const struct callsig_pipeline *pipeline, const char *text, uint32_t number, const char **name)
{
  struct base_vector asked = BASE_VECTOR_OF(struct out_change);
  assert_int_equal(out_what_if_read(pipeline, text, &asked), 0);
  assert_true(number < asked.count);
  const struct out_change *change = base_vector_at(&asked, number);
  const uint64_t value = change->value;
  *name = change->stage ? change->stage->stats.name : change->queue->name;
  base_vector_free(&asked);
  return value;
}

/* Names hold what separates settings. */
static void names_with_commas(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[0].name = "decode, a=3";
  simulation.stages[1].name = "decode";
  struct callsig_pipeline *pipeline = record(&simulation);
  static const struct {
    const char *text, *name;
    uint32_t number;
    uint64_t value;
  } known[] = {{"decode, a=3=5", "decode, a=3", 0, 5},
               {"0:1:decode, a=3[4]=6,decode=2", "decode, a=3", 0, 6},
               {"0:1:decode, a=3[4]=6,decode=2", "decode", 1, 2},
               {"queue:decode, a=3=64,decode=2", "decode, a=3", 0, 64},
               {"queue:decode, a=3=64,decode=2", "decode", 1, 2}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const char *name;
    assert_int_equal(asked_of(pipeline, known[i].text, known[i].number, &name), known[i].value);
    assert_string_equal(name, known[i].name);
  }
  struct base_vector asked = BASE_VECTOR_OF(struct out_change);
  assert_int_equal(out_what_if_read(pipeline, "decode, b=3", &asked), -EINVAL);
  base_vector_free(&asked);
  callsig_pipeline_free(pipeline);
}

static void settings(void **state)
{
  (void)state;
  static const char *const wrong[] = {"",
                                      "encode",
                                      "encode=",
                                      "=3",
                                      "encode=0",
                                      "encode=x",
                                      "encode=1025",
                                      "nothing=2",
                                      "encode=2,",
                                      "queue:nothing=2",
                                      "queue:=2",
                                      "encode=-1",
                                      "queue:encode=",
                                      "encode=2 3",
                                      "encode=99999999999999999999",
                                      "queue:encode=1000000001"};
  const struct simulation simulation = two_stages();
  struct callsig_pipeline *pipeline = record(&simulation);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct base_vector asked = BASE_VECTOR_OF(struct out_change);
    message_reset();
    if (out_what_if_read(pipeline, wrong[i], &asked) != -EINVAL || !last_message()[0] || strchr(last_message(), '\n'))
      fail_msg("'%s' is taken, or not told of in one line: %s", wrong[i], last_message());
    base_vector_free(&asked);
  }
  struct base_vector asked = BASE_VECTOR_OF(struct out_change);
  assert_int_equal(out_what_if_read(pipeline, "encode=1024,queue:decode=0,queue:0:0:source=7", &asked), 0);
  assert_int_equal(asked.count, 3);
  assert_int_equal(((const struct out_change *)base_vector_at(&asked, 2))->value, 7);
  base_vector_free(&asked);
  callsig_pipeline_free(pipeline);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads),       cmocka_unit_test(enough_threads), cmocka_unit_test(ends),
      cmocka_unit_test(queues),        cmocka_unit_test(shapes),         cmocka_unit_test(many_items),
      cmocka_unit_test(not_predicted), cmocka_unit_test(settings),       cmocka_unit_test(names_with_commas),
      cmocka_unit_test(rings),         cmocka_unit_test(slots),          cmocka_unit_test(limited_by_waits),
  };
  return cmocka_run_group_tests(tests, catch_messages, NULL);
}
