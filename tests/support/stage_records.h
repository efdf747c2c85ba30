/* What a recording of this very process says of stages and queues, summed over its threads. */
#ifndef CALLSIG_TESTS_UNIT_RUNTIME_STAGE_RECORDS_H
#define CALLSIG_TESTS_UNIT_RUNTIME_STAGE_RECORDS_H

#include <string.h>

#include "profiler/base/process.h"
#include "tests/support/check.h"

#define QUIET __attribute__((no_instrument_function, noinline, unused))

#define NAME_AT(address) (((const struct fmt_rec_name *)(address))->text)

static QUIET const struct fmt_rec_stage *stage_record(const char *label)
{
  uint64_t at = prof_process.header->first_stage;
  while (at && strcmp(NAME_AT(((const struct fmt_rec_stage *)at)->label), label) != 0)
    at = ((const struct fmt_rec_stage *)at)->next;
  CHECK(at);
  return (const struct fmt_rec_stage *)at;
}

static QUIET const struct fmt_rec_queue *queue_record(const char *label)
{
  uint64_t at = prof_process.header->first_queue;
  while (at && strcmp(NAME_AT(((const struct fmt_rec_queue *)at)->label), label) != 0)
    at = ((const struct fmt_rec_queue *)at)->next;
  CHECK(at);
  return (const struct fmt_rec_queue *)at;
}

static QUIET uint64_t in_histogram(uint64_t address)
{
  const struct fmt_rec_histogram *histogram = (const struct fmt_rec_histogram *)address;
  uint64_t sum = 0;
  for (unsigned i = 0; i < FMT_HISTOGRAM_OCTAVES; i++)
    for (unsigned k = 0; histogram->octaves[i] && k < 1u << histogram->sub_bits; k++)
      sum += ((const uint64_t *)histogram->octaves[i])[k];
  return sum;
}

/* The tasks of a stage in all threads; what was never run has zeros. `histogram` is the number of times in it. */
static QUIET struct fmt_rec_tasks tasks_of(const char *label)
{
  const struct fmt_rec_stage *stage = stage_record(label);
  struct fmt_rec_tasks sum = {.min = UINT64_MAX};
  for (uint64_t at = prof_process.header->first_thread; at; at = ((const struct fmt_rec_thread *)at)->next) {
    const struct fmt_rec_tasks *tasks = (const struct fmt_rec_tasks *)((const struct fmt_rec_thread *)at)->first_tasks;
    for (; tasks; tasks = (const struct fmt_rec_tasks *)tasks->next) {
      if (tasks->stage != (uintptr_t)stage)
        continue;
      sum.tasks += tasks->tasks;
      sum.failures += tasks->failures;
      sum.total += tasks->total;
      sum.failed_total += tasks->failed_total;
      sum.min = tasks->min < sum.min ? tasks->min : sum.min;
      sum.max = tasks->max > sum.max ? tasks->max : sum.max;
      sum.open += tasks->open;
      sum.cancelled += tasks->cancelled;
      sum.histogram += in_histogram(tasks->histogram);
    }
  }
  CHECK(sum.histogram + prof_process.header->loss[FMT_LOSS_HISTOGRAM] >= sum.tasks - sum.failures);
  CHECK(sum.histogram <= sum.tasks - sum.failures);
  return sum;
}

/* What the tasks of a stage worked in all threads, ticks. */
static QUIET struct fmt_rec_task_work work_of(const char *label)
{
  const struct fmt_rec_stage *stage = stage_record(label);
  struct fmt_rec_task_work sum = {0};
  for (uint64_t at = prof_process.header->first_thread; at; at = ((const struct fmt_rec_thread *)at)->next) {
    const struct fmt_rec_tasks *tasks = (const struct fmt_rec_tasks *)((const struct fmt_rec_thread *)at)->first_tasks;
    for (; tasks; tasks = (const struct fmt_rec_tasks *)tasks->next)
      if (tasks->stage == (uintptr_t)stage)
        sum.own += ((const struct fmt_rec_task_work *)tasks->work)->own;
  }
  return sum;
}

static QUIET struct fmt_rec_queue_use use_of(const char *label)
{
  const struct fmt_rec_queue *queue = queue_record(label);
  struct fmt_rec_queue_use sum = {0};
  for (uint64_t at = prof_process.header->first_thread; at; at = ((const struct fmt_rec_thread *)at)->next) {
    uint64_t next = ((const struct fmt_rec_thread *)at)->first_queue_use;
    for (const struct fmt_rec_queue_use *use; next; next = use->next) {
      use = (const struct fmt_rec_queue_use *)next;
      if (use->queue != (uintptr_t)queue)
        continue;
      sum.puts += use->puts;
      sum.gets += use->gets;
      sum.put_total += use->put_total;
      sum.get_total += use->get_total;
      sum.failed += use->failed;
      CHECK(in_histogram(use->put_histogram) == use->puts && in_histogram(use->get_histogram) == use->gets);
    }
  }
  return sum;
}

/* Calls in the tree of all threads: of tasks of the stage (any text for NULL), or of a function by its address. */
static QUIET uint64_t calls_of(uint64_t address, const char *text)
{
  uint64_t calls = 0;
  for (uint64_t at = prof_process.header->first_thread; at; at = ((const struct fmt_rec_thread *)at)->next) {
    uint64_t next = ((const struct fmt_rec_thread *)at)->first_edge;
    for (const struct fmt_rec_edge *edge; next; next = edge->next) {
      edge = (const struct fmt_rec_edge *)next;
      const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
      const struct fmt_rec_function *function =
          (const struct fmt_rec_function *)((const struct fmt_rec_context *)to->context)->function;
      const struct fmt_rec_signature *signature = (const struct fmt_rec_signature *)to->signature;
      if (!function || function->address != address || edge->flags & FMT_EDGE_INHERITED)
        continue;
      if (text && (!(signature->flags & FMT_SIGNATURE_TEXT) || strcmp(NAME_AT(signature->words[0]), text) != 0))
        continue;
      const struct fmt_rec_recursion *recursion = (const struct fmt_rec_recursion *)edge->recursion;
      calls += edge->calls + (recursion ? recursion->calls : 0);
    }
  }
  return calls;
}

#endif
