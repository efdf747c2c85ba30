/* Stages and queues that lie in two processes, of which there are many: each meets the one of its own label. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/pipeline/pipeline.h"
#include "tests/support/output_sample.h"
#include "tests/support/pipeline_simulator.h"

enum { STAGES = 300, SHARED = 100 };

/* A process with the stages from `first` on, each with a task more than the one before it and a queue that is put into,
 * or taken from. */
static struct callsig_pipeline *load_part(uint32_t first, bool puts)
{
  struct recording_writer *writer = recording_writer_new(7, SIMULATED_HZ);
  struct recording_thread *thread = recording_writer_thread(writer, 7, "worker");
  const char *path = scratch_path("part");
  struct callsig_pipeline *pipeline;
  char name[16];
  uint64_t now = 0;
  for (uint32_t i = first; i < first + STAGES; i++) {
    snprintf(name, sizeof name, "s%u", i);
    const uint64_t stage = pipeline_writer_stage(writer, 0, i, name, 1, 0);
    snprintf(name, sizeof name, "q%u", i);
    const uint64_t queue = pipeline_writer_queue(writer, 0, i, name, 0, 0);
    for (uint32_t task = 0; task <= i - first; task++, now += 10)
      pipeline_writer_task(writer, thread, stage, now, now + 10, 0);
    for (uint32_t item = 0; item < 2; item++)
      (puts ? pipeline_writer_put : pipeline_writer_get)(writer, thread, queue, now, now);
  }
  recording_writer_save(writer, now + 1, path);
  recording_writer_free(writer);
  assert_int_equal(callsig_pipeline_load(path, &pipeline), 0);
  unlink(path);
  return pipeline;
}

static void many(void **state)
{
  (void)state;
  struct callsig_pipeline *parts[] = {load_part(0, true), load_part(STAGES - SHARED, false)}, *whole;
  assert_int_equal(callsig_pipeline_join((const struct callsig_pipeline *const *)parts, 2, &whole), 1);
  const uint32_t all = 2 * STAGES - SHARED;
  assert_int_equal(whole->stages.count, all);
  assert_int_equal(whole->queues.count, all);
  for (uint32_t i = 0; i < all; i++) {
    const struct callsig_stage_stats *stage = &out_pipeline_stage_at(whole, i)->stats;
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(whole, i)->stats;
    const bool is_first = i < STAGES, is_second = i >= STAGES - SHARED;
    char name[16];
    snprintf(name, sizeof name, "s%u", stage->index);
    assert_string_equal(stage->name, name);
    assert_int_equal(stage->index, i);
    assert_int_equal(stage->num_tasks, (is_first ? i + 1 : 0) + (is_second ? i - (STAGES - SHARED) + 1 : 0));
    assert_int_equal(queue->puts, is_first ? 2 : 0);
    assert_int_equal(queue->num_items, is_second ? 2 : 0);
  }
  callsig_pipeline_free(whole);
  callsig_pipeline_free(parts[0]);
  callsig_pipeline_free(parts[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
