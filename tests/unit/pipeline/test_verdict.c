/* The verdict on simulated pipelines, whose bounding stage follows from their parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/pipeline/bottleneck.h"
#include "output/pipeline/slow_parts.h"
#include "output/recording/chance.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_simulator.h"

/* A simulated pipeline's recording, loaded, and the verdict on it. */
struct judged {
  struct callsig_pipeline *pipeline;
  struct out_bottleneck verdict;
};

/* Loads what was recorded until `end`, and frees the writer. */
static struct callsig_pipeline *load(struct recording_writer *writer, uint64_t end)
{
  const char *path = scratch_path("recorded");
  struct callsig_pipeline *pipeline;
  recording_writer_save(writer, end, path);
  recording_writer_free(writer);
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  unlink(path);
  return pipeline;
}

static struct judged judge(const struct simulation *simulation)
{
  uint64_t end;
  struct recording_writer *writer = simulate(simulation, &end);
  struct judged judged = {.pipeline = load(writer, end)};
  uint32_t stage = 0, queue = 0;
  assert_int_equal(out_bottleneck_next(judged.pipeline, &stage, &queue, &judged.verdict), 1);
  return judged;
}

static void forget(struct judged *judged)
{
  out_bottleneck_free(&judged->verdict);
  callsig_pipeline_free(judged->pipeline);
}

/* Items a second that a stage can do at most. */
static double capacity_of(const struct simulated_stage *stage)
{
  return (double)stage->concurrency * SIMULATED_HZ / (double)stage->time;
}

static void check_order(const struct simulation *simulation)
{
  double least = INFINITY;
  uint32_t slowest = 0;
  for (uint32_t i = 0; i < simulation->count; i++) {
    if (capacity_of(&simulation->stages[i]) < least) {
      least = capacity_of(&simulation->stages[i]);
      slowest = i;
    }
  }
  struct judged judged = judge(simulation);
  const struct out_bottleneck *verdict = &judged.verdict;
  assert_int_equal(verdict->bound, OUT_BOUND_STAGE);
  uint32_t named = verdict->stage->stage->stats.index - 1;
  if (fabs(capacity_of(&simulation->stages[named]) - least) > 1e-6)
    fail_msg("%s is named, where %s bounds the pipeline", verdict->stage->stage->stats.label,
             simulation->stages[slowest].name);
  /* Whoever is before the only slowest stage has to wait for space, whoever is behind it for items. */
  for (uint32_t i = 0; i < verdict->count; i++) {
    const struct out_stage_view *view = &verdict->views[i];
    double share = least / capacity_of(&simulation->stages[i]);
    if (verdict->equal || share > 0.85)
      continue;
    assert_int_equal(view->state, i < named ? OUT_STAGE_BLOCKED : OUT_STAGE_STARVED);
    /* Of several that are idle the same one takes each item, so that some were never seen. */
    assert_true(fabs(view->busy * view->at_once / simulation->stages[i].concurrency - share) < 0.05);
  }
  forget(&judged);
}

static void every_order(void **state)
{
  (void)state;
  static const uint64_t times[] = {10000, 25000, 40000};
  static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const char *const names[] = {"first", "second", "third"};
  for (size_t order = 0; order < 6; order++) {
    for (uint32_t concurrency = 0; concurrency < 4 * 4 * 4 * 2; concurrency++) {
      struct simulation simulation = {.count = 3, .capacity = 8, .items = 600, .waits_inside = (int)(concurrency / 64)};
      for (uint32_t i = 0; i < 3; i++)
        simulation.stages[i] = (struct simulated_stage){
            .name = names[i], .concurrency = 1 + ((concurrency >> (2 * i)) & 3), .time = times[orders[order][i]]};
      check_order(&simulation);
    }
  }
}

static struct simulation two_stages(void)
{
  return (struct simulation){.stages = {{.name = "decode", .concurrency = 4, .time = 20000},
                                        {.name = "encode", .concurrency = 1, .time = 9000}},
                             .count = 2,
                             .capacity = 8,
                             .items = 500};
}

static void rates(void **state)
{
  (void)state;
  const struct simulation simulation = two_stages();
  struct judged judged = judge(&simulation);
  const struct out_bottleneck *verdict = &judged.verdict;
  assert_string_equal(verdict->stage->stage->stats.label, "0:2:encode");
  assert_true(fabs(verdict->stage->rate - 1e6 / 9000) < 1e-6);
  assert_true(fabs(verdict->throughput - 1e6 / 9000) < 2);
  assert_ptr_equal(verdict->step, verdict->stage);
  forget(&judged);
}

static void source_and_sink(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.source_time = 30000;
  struct judged judged = judge(&simulation);
  assert_int_equal(judged.verdict.bound, OUT_BOUND_SOURCE);
  assert_string_equal(judged.verdict.behind->label, "0:0:source");
  assert_int_equal(judged.verdict.views[0].state, OUT_STAGE_STARVED);
  forget(&judged);
  simulation.source_time = 0;
  simulation.sink_time = 30000;
  judged = judge(&simulation);
  assert_int_equal(judged.verdict.bound, OUT_BOUND_SINK);
  assert_string_equal(judged.verdict.before->label, "0:2:encode");
  assert_int_equal(judged.verdict.views[0].state, OUT_STAGE_BLOCKED);
  forget(&judged);
}

static void failures(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[0].failing = 10;
  struct judged judged = judge(&simulation);
  assert_int_equal(judged.verdict.views[0].failures, OUT_FAILURES_CONCERN);
  assert_int_equal(judged.verdict.views[1].failures, OUT_FAILURES_FEW);
  forget(&judged);
  simulation.stages[0].failing = 4;
  judged = judge(&simulation);
  assert_int_equal(judged.verdict.views[0].failures, OUT_FAILURES_CRITICAL);
  assert_true(fabs(judged.verdict.views[0].failure_rate - 0.25) < 1e-9);
  forget(&judged);
  simulation.stages[0].failing = 20;
  judged = judge(&simulation);
  assert_int_equal(judged.verdict.views[0].failures, OUT_FAILURES_FEW);
  forget(&judged);
}

static void stragglers_and_pauses(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  struct judged judged = judge(&simulation);
  assert_int_equal(judged.verdict.stragglers.count, 0);
  assert_false(judged.verdict.views[0].pauses);
  forget(&judged);
  simulation.stages[0].slow_thread = 2;
  simulation.stages[0].slow = 50000;
  simulation.stages[1].every = 5;
  simulation.stages[1].slow = 45000;
  judged = judge(&simulation);
  assert_int_equal(judged.verdict.stragglers.count, 1);
  const struct out_straggler *straggler = base_vector_at(&judged.verdict.stragglers, 0);
  assert_ptr_equal(straggler->view, &judged.verdict.views[0]);
  assert_true(fabs(straggler->mean - 0.05) < 1e-9 && fabs(straggler->others - 0.02) < 1e-9);
  assert_true(judged.verdict.views[1].pauses);
  assert_false(judged.verdict.views[0].pauses);
  forget(&judged);
}

/* One task of a hundred that takes a hundred times as long makes its thread no straggler: somebody has it. */
static void no_straggler_by_chance(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.items = 120;
  simulation.stages[0].every = 100;
  simulation.stages[0].slow = 2000000;
  struct judged judged = judge(&simulation);
  double most = 0;
  for (uint32_t i = 0; i < judged.pipeline->replicas.count; i++) {
    const struct out_replica *replica = base_vector_at(&judged.pipeline->replicas, i);
    if (replica->stage == 0)
      most = fmax(most, replica->total_time / (double)replica->tasks);
  }
  assert_true(most > 2 * OUT_STRAGGLER_RATIO * 0.02);
  assert_int_equal(judged.verdict.stragglers.count, 0);
  assert_int_equal(judged.verdict.turns.count, 0);
  forget(&judged);
}

/* Of four threads one takes five times as long for each task, and does one or two in each of eight parts of the time.
 * By themselves two such tasks may be a chance, so that hardly a part tells who is
 * slow; that it is the same in several does.
 */
static void slow_in_few_tasks(void **state)
{
  (void)state;
  enum { PARTS = 8, SLOTS = FMT_TASK_SLOTS / PARTS, SLOW = 40, OTHERS = 8 };
  static struct fmt_rec_task_slot slots[4][FMT_TASK_SLOTS];
  struct out_slow_entry entries[4];
  struct out_histogram histogram = {0};
  struct out_values values = out_values_new();
  for (unsigned i = 0; i < 4; i++) {
    const uint64_t time = i == 3 ? SLOW : OTHERS;
    entries[i] = (struct out_slow_entry){.slots = slots[i], .tick = 1};
    for (unsigned part = 0; part < PARTS; part++) {
      const unsigned tasks = i == 3 ? 1 + part % 2 : 2;
      slots[i][part * SLOTS] = (struct fmt_rec_task_slot){.tasks = tasks, .own = tasks * time};
      assert_int_equal(out_histogram_count(&histogram, 5, time, tasks), 0);
    }
    slots[i][FMT_TASK_SLOTS - 1] = (struct fmt_rec_task_slot){.tasks = 1, .own = time};
    assert_int_equal(out_histogram_count(&histogram, 5, time, 1), 0);
  }
  assert_int_equal(out_values_add(&values, &histogram, 1), 0);
  assert_int_equal(out_slow_parts(entries, 4, &values), PARTS);
  assert_int_equal(entries[3].slowest, 1); /* in the last part, where it does three */
  assert_int_equal(entries[3].slower, PARTS / 2);
  assert_int_equal(entries[0].slower + entries[1].slower + entries[2].slower, 0);
  assert_int_equal(out_slow_parts(entries, 4, NULL), PARTS);
  assert_int_equal(entries[3].slowest, PARTS / 2);
  out_values_free(&values);
  out_histogram_free(&histogram);
}

/* The probability that of `count` tasks, of which each is slow with `slow`, at least `least` are. */
static double binomial_tail(unsigned count, double slow, unsigned least)
{
  double sum = 0;
  for (unsigned i = least; i <= count; i++)
    sum += exp(lgamma(count + 1.0) - lgamma(i + 1.0) - lgamma(count - i + 1.0) + i * log(slow) +
               (count - i) * log1p(-slow));
  return sum;
}

/* The bound on a mean by chance is one: never below the exact probability, and not far above it. */
static void chances(void **state)
{
  (void)state;
  static const struct {
    unsigned count, least;
    double slow;
  } cases[] = {{10, 2, 0.01}, {10, 10, 0.25}, {50, 5, 0.02}, {200, 30, 0.1}, {1000, 140, 0.1}, {5, 5, 0.06}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct out_histogram histogram = {0};
    struct out_values values = out_values_new();
    const uint64_t slow = (uint64_t)(cases[i].slow * 10000);
    assert_int_equal(out_histogram_count(&histogram, 5, 1, 10000 - slow), 0);
    assert_int_equal(out_histogram_count(&histogram, 5, 21, slow), 0);
    assert_int_equal(out_values_add(&values, &histogram, 0.5), 0);
    assert_true(fabs(values.sum / values.count - 0.5 * (1 + 20 * cases[i].slow)) < 1e-9);
    const double exact = binomial_tail(cases[i].count, cases[i].slow, cases[i].least);
    const double mean = 0.5 * (1 + 20.0 * cases[i].least / cases[i].count);
    const double bound = out_values_chance(&values, cases[i].count, mean);
    if (bound < exact * 0.999 || bound > 20 * exact)
      fail_msg("case %zu: %g, where %g is exact", i, bound, exact);
    assert_true(out_values_chance(&values, cases[i].count, values.sum / values.count) == 1);
    out_values_free(&values);
    out_histogram_free(&histogram);
  }
  struct out_values none = out_values_new();
  assert_true(out_values_chance(&none, 5, 1) == 1);
}

/* A stage of so many threads without queues, whose tasks work two fifths of a second, of which each thread was ready
 * for `ready` and on a processor for `used`; on four processors. */
static enum out_bound bound_without_processors(unsigned threads, double ready, double used)
{
  struct recording_writer *writer = recording_writer_new(7, SIMULATED_HZ);
  const uint64_t stage = pipeline_writer_stage(writer, 0, 1, "decode", threads, 0);
  for (unsigned i = 0; i < threads; i++) {
    struct recording_thread *thread = recording_writer_thread(writer, 7 + i, "worker");
    pipeline_writer_task(writer, thread, stage, 0, 200000, 0);
    pipeline_writer_task(writer, thread, stage, 800000, 1000000, 0);
  }
  struct callsig_pipeline *pipeline = load(writer, 1000000);
  struct out_bottleneck verdict;
  uint32_t next = 0, queue = 0;
  struct out_stage *loaded = out_pipeline_stage_at(pipeline, 0);
  loaded->processors = 4;
  loaded->work = (struct out_task_work){.known = true,
                                        .own = threads * 0.4,
                                        .sampled_time = threads * 0.4,
                                        .sampled_cpu = threads * used,
                                        .thread_cpu = threads * used,
                                        .queued = threads * ready,
                                        .lifetime = threads};
  assert_int_equal(out_bottleneck_next(pipeline, &next, &queue, &verdict), 1);
  const enum out_bound bound = verdict.bound;
  assert_true(fabs(verdict.views[0].busy - 0.4) < 0.01);
  out_bottleneck_free(&verdict);
  callsig_pipeline_free(pipeline);
  return bound;
}

/* Threads that are ready most of their time lack processors, though they use few: others have these. Many threads that
 * each wait a little, together for more than there are processors, do not. */
static void waiting_for_processors(void **state)
{
  (void)state;
  assert_int_equal(bound_without_processors(2, 0.55, 0.1), OUT_BOUND_PROCESSOR);
  assert_int_equal(bound_without_processors(2, 0.45, 0.1), OUT_BOUND_UNKNOWN);
  assert_int_equal(bound_without_processors(40, 0.12, 0.01), OUT_BOUND_UNKNOWN);
  assert_int_equal(bound_without_processors(40, 0.55, 0.01), OUT_BOUND_PROCESSOR);
}

/* One task that was looked at tells nothing of the others, but for one that took most of the time. */
static void too_few_looks(void **state)
{
  (void)state;
  struct out_task_work work = {.known = true, .own = 8, .looks = 1, .sampled_time = 1, .sampled_cpu = 0.25};
  assert_false(out_task_shares(&work).known);
  work.own = 2;
  assert_true(out_task_shares(&work).known && out_task_shares(&work).cpu == 0.25);
  work.own = 8;
  work.looks = 30;
  assert_true(out_task_shares(&work).known);
}

/* Two threads that do nothing but a stage's tasks, which was opened for four at a time, and a third that helps out:
 * with what it does, more is worked than two threads have time for, and the stage has two all the same. */
static void a_helper_of_busy_threads(void **state)
{
  (void)state;
  struct recording_writer *writer = recording_writer_new(7, SIMULATED_HZ);
  const uint64_t stage = pipeline_writer_stage(writer, 0, 1, "decode", 4, 0);
  for (uint32_t i = 0; i < 2; i++) {
    struct recording_thread *thread = recording_writer_thread(writer, 7 + i, "worker");
    for (uint64_t task = 0; task < 100; task++)
      pipeline_writer_task(writer, thread, stage, task * 10000, (task + 1) * 10000, 0);
  }
  struct recording_thread *helper = recording_writer_thread(writer, 9, "main");
  for (uint64_t task = 0; task < 4; task++)
    pipeline_writer_task(writer, helper, stage, task * 250000, task * 250000 + 10000, 0);
  struct callsig_pipeline *pipeline = load(writer, 1000000);
  struct out_bottleneck verdict;
  uint32_t next = 0, queue = 0;
  for (uint32_t i = 0; i < pipeline->replicas.count; i++) {
    struct out_replica *replica = base_vector_at(&pipeline->replicas, i);
    replica->own_time = replica->total_time;
  }
  assert_int_equal(out_bottleneck_next(pipeline, &next, &queue, &verdict), 1);
  assert_int_equal(verdict.bound, OUT_BOUND_STAGE);
  assert_int_equal(verdict.views[0].threads, 2);
  assert_true(fabs(verdict.views[0].replicas - 2) < 0.01);
  assert_true(verdict.views[0].busy > 0.95);
  out_bottleneck_free(&verdict);
  callsig_pipeline_free(pipeline);
}

/* A stage that makes one item of four. */
static void aggregates(void **state)
{
  (void)state;
  struct simulation simulation = two_stages();
  simulation.stages[1].takes = 4;
  struct judged judged = judge(&simulation);
  assert_true(judged.verdict.views[1].aggregates);
  assert_false(judged.verdict.views[0].aggregates);
  assert_string_equal(judged.verdict.stage->stage->stats.label, "0:1:decode[4]");
  forget(&judged);
}

/* Queues without stages, and a recording of neither. */
static void only_queues(void **state)
{
  (void)state;
  struct recording_writer *writer = recording_writer_new(7, SIMULATED_HZ);
  struct recording_thread *thread = recording_writer_thread(writer, 7, "worker");
  uint64_t full = pipeline_writer_queue(writer, 0, 0, "full", 0, 0);
  uint64_t empty = pipeline_writer_queue(writer, 0, 1, "empty", 0, 0);
  pipeline_writer_put(writer, thread, full, 0, 0);
  pipeline_writer_put(writer, thread, empty, 900, 900);
  struct callsig_pipeline *pipeline = load(writer, 1000);
  struct out_bottleneck verdict;
  uint32_t stage = 0, queue = 0;
  assert_int_equal(out_bottleneck_next(pipeline, &stage, &queue, &verdict), 1);
  assert_int_equal(verdict.bound, OUT_BOUND_GAP);
  assert_string_equal(verdict.before->label, "0:0:full");
  assert_string_equal(verdict.behind->label, "0:1:empty");
  out_bottleneck_free(&verdict);
  assert_int_equal(out_bottleneck_next(pipeline, &stage, &queue, &verdict), 0);
  callsig_pipeline_free(pipeline);
}

/* One block goes round: both stages wait for it. Of three, there is always one for the slower stage. */
static void rings(void **state)
{
  (void)state;
  struct simulation simulation = {.stages = {{.name = "decode", .concurrency = 1, .time = 5000},
                                             {.name = "encode", .concurrency = 1, .time = 4000}},
                                  .count = 2,
                                  .capacity = 8,
                                  .items = 200,
                                  .blocks = 1};
  struct judged judged = judge(&simulation);
  assert_int_equal(judged.verdict.bound, OUT_BOUND_RING);
  assert_string_equal(judged.verdict.before->label, "0:2:free");
  assert_string_equal(judged.verdict.views[0].input->label, "0:0:source");
  assert_string_equal(judged.verdict.views[1].output->label, "0:2:encode");
  forget(&judged);
  simulation.blocks = 3;
  judged = judge(&simulation);
  assert_int_equal(judged.verdict.bound, OUT_BOUND_STAGE);
  assert_string_equal(judged.verdict.stage->stage->stats.label, "0:1:decode");
  forget(&judged);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order),
      cmocka_unit_test(rates),
      cmocka_unit_test(source_and_sink),
      cmocka_unit_test(failures),
      cmocka_unit_test(stragglers_and_pauses),
      cmocka_unit_test(aggregates),
      cmocka_unit_test(no_straggler_by_chance),
      cmocka_unit_test(slow_in_few_tasks),
      cmocka_unit_test(chances),
      cmocka_unit_test(waiting_for_processors),
      cmocka_unit_test(too_few_looks),
      cmocka_unit_test(a_helper_of_busy_threads),
      cmocka_unit_test(only_queues),
      cmocka_unit_test(rings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
