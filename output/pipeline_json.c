/* The summary of a pipeline and the verdict on it, as JSON: docs/json.md. */
#include <errno.h>
#include <string.h>

#include "json_writer.h"
#include "message.h"
#include "stage_functions.h"
#include "verdict.h"

enum { MOST_FUNCTIONS = 3 };

static void write_info(struct cs_json *json, const struct callsig_pipeline_info *info)
{
  cs_json_key_string(json, "schema", "callsig.stages/1");
  cs_json_key_string(json, "file", info->path);
  cs_json_key_string(json, "program", info->program);
  cs_json_key_integer(json, "pid", info->pid);
  cs_json_key_number(json, "start", info->start);
  cs_json_key_number(json, "end", info->end);
  cs_json_key_number(json, "elapsed", info->elapsed);
  cs_json_key_integer(json, "unreadable", info->unreadable);
}

static void write_stage(struct cs_json *json, const struct callsig_stage_stats *stage)
{
  cs_json_open_map(json);
  cs_json_key_string(json, "label", stage->label);
  cs_json_key_string(json, "name", stage->name);
  cs_json_key_integer(json, "pipeline", stage->pipeline);
  cs_json_key_integer(json, "index", stage->index);
  cs_json_key_integer(json, "concurrency", stage->concurrency);
  cs_json_key_integer(json, "threads", stage->threads);
  cs_json_key_integer(json, "num_tasks", stage->num_tasks);
  cs_json_key_integer(json, "num_failures", stage->num_failures);
  cs_json_key_integer(json, "dropped", stage->dropped);
  cs_json_key_integer(json, "open", stage->open);
  cs_json_key_number(json, "total_time", stage->total_time);
  cs_json_key_number(json, "failed_time", stage->failed_time);
  cs_json_key_number(json, "ave_time", stage->ave_time);
  cs_json_key_number(json, "p50_time", stage->p50_time);
  cs_json_key_number(json, "p90_time", stage->p90_time);
  cs_json_key_number(json, "p99_time", stage->p99_time);
  cs_json_key_number(json, "min_time", stage->min_time);
  cs_json_key_number(json, "max_time", stage->max_time);
  cs_json_close_map(json);
}

static void write_queue(struct cs_json *json, const struct callsig_queue_stats *queue)
{
  cs_json_open_map(json);
  cs_json_key_string(json, "label", queue->label);
  cs_json_key_string(json, "name", queue->name);
  cs_json_key_integer(json, "pipeline", queue->pipeline);
  cs_json_key_integer(json, "index", queue->index);
  cs_json_key(json, "capacity");
  if (queue->capacity > 0)
    cs_json_integer(json, queue->capacity);
  else
    cs_json_null(json);
  cs_json_key_integer(json, "high_water", queue->high_water);
  cs_json_key_integer(json, "items", queue->items);
  cs_json_key_integer(json, "num_items", queue->num_items);
  cs_json_key_integer(json, "puts", queue->puts);
  cs_json_key_integer(json, "failed", queue->failed);
  cs_json_key_number(json, "elapsed", queue->elapsed);
  cs_json_key_number(json, "qps", queue->qps);
  cs_json_key_number(json, "put_time", queue->put_time);
  cs_json_key_number(json, "get_time", queue->get_time);
  cs_json_key_number(json, "ave_put_time", queue->ave_put_time);
  cs_json_key_number(json, "p50_put_time", queue->p50_put_time);
  cs_json_key_number(json, "p90_put_time", queue->p90_put_time);
  cs_json_key_number(json, "p99_put_time", queue->p99_put_time);
  cs_json_key_number(json, "min_put_time", queue->min_put_time);
  cs_json_key_number(json, "max_put_time", queue->max_put_time);
  cs_json_key_number(json, "ave_get_time", queue->ave_get_time);
  cs_json_key_number(json, "p50_get_time", queue->p50_get_time);
  cs_json_key_number(json, "p90_get_time", queue->p90_get_time);
  cs_json_key_number(json, "p99_get_time", queue->p99_get_time);
  cs_json_key_number(json, "min_get_time", queue->min_get_time);
  cs_json_key_number(json, "max_get_time", queue->max_get_time);
  cs_json_key_number(json, "empty_time", queue->empty_time);
  cs_json_key_number(json, "occupancy_rate", queue->occupancy_rate);
  cs_json_close_map(json);
}

static void write_lists(struct cs_json *json, const struct callsig_pipeline *pipeline)
{
  cs_json_key(json, "stages");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    write_stage(json, &cs_pipeline_stage_at(pipeline, i)->stats);
  cs_json_close_array(json);
  cs_json_key(json, "queues");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->queues.count; i++)
    write_queue(json, &cs_pipeline_queue_at(pipeline, i)->stats);
  cs_json_close_array(json);
  cs_json_key(json, "events");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->events.count; i++) {
    const struct callsig_event_stats *event = cs_vector_at(&pipeline->events, i);
    cs_json_open_map(json);
    cs_json_key_string(json, "name", event->name);
    cs_json_key_integer(json, "count", event->count);
    cs_json_key_number(json, "total_time", event->total_time);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_json_key(json, "actions");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->actions.count; i++) {
    const struct callsig_action_stats *action = cs_vector_at(&pipeline->actions, i);
    cs_json_open_map(json);
    cs_json_key_string(json, "name", action->name);
    cs_json_key_integer(json, "num_calls", action->num_calls);
    cs_json_key_number(json, "total_time", action->total_time);
    cs_json_key_number(json, "mean_time", action->mean_time);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
}

static const char *label_of(const struct cs_stage_view *view)
{
  return view ? view->stage->stats.label : NULL;
}

static void write_view(struct cs_json *json, const struct cs_stage_view *view)
{
  static const char *const states[] = {"busy", "starved", "blocked", "idle"};
  static const char *const levels[] = {"few", "concern", "critical"};
  cs_json_open_map(json);
  cs_json_key_string(json, "stage", label_of(view));
  cs_json_key_string(json, "state", states[view->state]);
  cs_json_key_number(json, "busy", view->busy);
  cs_json_key_number(json, "get_wait", view->get_wait);
  cs_json_key_number(json, "put_wait", view->put_wait);
  cs_json_key_string(json, "input", view->input ? view->input->label : NULL);
  cs_json_key_string(json, "output", view->output ? view->output->label : NULL);
  cs_json_key_number(json, "replicas", view->replicas);
  cs_json_key_number(json, "effective_rate", view->rate);
  cs_json_key_number(json, "failure_rate", view->failure_rate);
  cs_json_key_string(json, "failures", levels[view->failures]);
  cs_json_key(json, "pauses");
  cs_json_bool(json, view->pauses);
  cs_json_key(json, "aggregates");
  cs_json_bool(json, view->aggregates);
  cs_json_close_map(json);
}

static void write_stragglers(struct cs_json *json, const struct cs_verdict *verdict)
{
  cs_json_key(json, "stragglers");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < verdict->stragglers.count; i++) {
    const struct cs_straggler *straggler = cs_vector_at(&verdict->stragglers, i);
    cs_json_open_map(json);
    cs_json_key_string(json, "stage", label_of(straggler->view));
    cs_json_key_string(json, "thread", straggler->replica->thread);
    cs_json_key_integer(json, "tid", straggler->replica->tid);
    cs_json_key_number(json, "ave_time", straggler->mean);
    cs_json_key_number(json, "others_ave_time", straggler->others);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
}

/* `stats` is NULL until the first stage that needs it. */
static int write_functions(struct cs_json *json, const struct callsig_pipeline *pipeline,
                           const struct cs_verdict *verdict, struct callsig_stats **stats)
{
  struct cs_stage_functions functions = {0};
  int result = 0;
  cs_json_key(json, "functions");
  cs_json_open_array(json);
  if (verdict->bound == CS_BOUND_STAGE) {
    if (!*stats)
      result = cs_pipeline_stats(pipeline, stats);
    if (result == 0)
      result = cs_stage_functions(*stats, label_of(verdict->stage), MOST_FUNCTIONS, &functions);
  }
  for (uint32_t i = 0; i < functions.list.count; i++) {
    const struct cs_stage_function *function = cs_vector_at(&functions.list, i);
    cs_json_open_map(json);
    cs_json_key_string(json, "function", function->name);
    cs_json_key_integer(json, "ncalls", function->ncalls);
    cs_json_key_number(json, "tottime", function->tottime);
    cs_json_key_number(json, "share", function->share);
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_stage_functions_free(&functions);
  return result;
}

static int write_verdict(struct cs_json *json, const struct callsig_pipeline *pipeline,
                         const struct cs_verdict *verdict, struct callsig_stats **stats)
{
  static const char *const bounds[] = {"unknown", "stage", "source", "sink", "gap"};
  cs_json_open_map(json);
  cs_json_key_integer(json, "pipeline", verdict->pipeline);
  cs_json_key_string(json, "bound", bounds[verdict->bound]);
  cs_json_key_string(json, "stage", label_of(verdict->stage));
  cs_json_key_string(json, "equal", label_of(verdict->equal));
  cs_json_key_string(json, "before", verdict->before ? verdict->before->label : NULL);
  cs_json_key_string(json, "behind", verdict->behind ? verdict->behind->label : NULL);
  cs_json_key_string(json, "step", label_of(verdict->step));
  cs_json_key_number(json, "window", verdict->window);
  cs_json_key_number(json, "throughput", verdict->throughput);
  cs_json_key_number(json, "doubling_gain", verdict->gain);
  cs_json_key_string(json, "then", label_of(verdict->next));
  int result = write_functions(json, pipeline, verdict, stats);
  cs_json_key(json, "stages");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < verdict->count; i++)
    write_view(json, &verdict->views[i]);
  cs_json_close_array(json);
  write_stragglers(json, verdict);
  cs_json_close_map(json);
  return result;
}

static int write_verdicts(struct cs_json *json, const struct callsig_pipeline *pipeline)
{
  struct callsig_stats *stats = NULL;
  struct cs_verdict verdict;
  uint32_t stage = 0, queue = 0;
  int result;
  cs_json_key(json, "verdicts");
  cs_json_open_array(json);
  while ((result = cs_verdict_next(pipeline, &stage, &queue, &verdict)) > 0) {
    result = write_verdict(json, pipeline, &verdict, &stats);
    cs_verdict_free(&verdict);
    if (result < 0)
      break;
  }
  cs_json_close_array(json);
  callsig_stats_free(stats);
  return result;
}

int callsig_pipeline_print_json(const struct callsig_pipeline *pipeline, FILE *out)
{
  struct cs_json json;
  if (cs_json_begin(&json, out) < 0)
    return cs_stats_no_memory();
  cs_json_open_map(&json);
  write_info(&json, &pipeline->info);
  write_lists(&json, pipeline);
  int verdicts = write_verdicts(&json, pipeline);
  cs_json_close_map(&json);
  int result = cs_json_end(&json);
  if (result == -EIO)
    return cs_stats_fail(-EIO, "cannot write the JSON: the output is full or closed");
  if (result < 0)
    return cs_stats_no_memory();
  return verdicts;
}
