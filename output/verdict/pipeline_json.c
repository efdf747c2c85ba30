/* The summary of a pipeline and the verdict on it, as JSON: docs/json.md. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "output/pipeline/counters.h"
#include "output/pipeline/course.h"
#include "output/pipeline/stage_functions.h"
#include "output/text/json_writer.h"
#include "output/text/message.h"
#include "output/verdict/forecast_words.h"
#include "output/verdict/verdict_text.h"
#include "output/verdict/verdicts.h"
#include "output/verdict/what_if.h"

enum { MOST_FUNCTIONS = 3 };

static void write_info(struct out_json *json, const struct callsig_pipeline *pipeline)
{
  const struct callsig_pipeline_info *info = &pipeline->info;
  out_json_key_string(json, "schema", "callsig.stages/1");
  out_json_key_string(json, "file", info->path);
  out_json_key_string(json, "program", info->program);
  out_json_key_integer(json, "pid", info->pid);
  out_json_key_integer(json, "processes", pipeline->processes > 0 ? pipeline->processes : 1);
  out_json_key_number(json, "start", info->start);
  out_json_key_number(json, "end", info->end);
  out_json_key_number(json, "elapsed", info->elapsed);
  out_json_key_number(json, "recorded", pipeline->recorded);
  out_json_key_integer(json, "unreadable", info->unreadable);
}

/* A time of so many; without one it is not known. */
static void write_time(struct out_json *json, const char *key, uint64_t count, double time)
{
  out_json_key_number(json, key, count > 0 ? time : NAN);
}

static void write_stage(struct out_json *json, const struct callsig_stage_stats *stage)
{
  out_json_open_map(json);
  out_json_key_string(json, "label", stage->label);
  out_json_key_string(json, "name", stage->name);
  out_json_key_integer(json, "pipeline", stage->pipeline);
  out_json_key_integer(json, "index", stage->index);
  out_json_key_integer(json, "concurrency", stage->concurrency);
  out_json_key_integer(json, "threads", stage->threads);
  out_json_key_integer(json, "num_tasks", stage->num_tasks);
  out_json_key_integer(json, "num_failures", stage->num_failures);
  out_json_key_integer(json, "dropped", stage->dropped);
  out_json_key_integer(json, "open", stage->open);
  out_json_key_number(json, "total_time", stage->total_time);
  out_json_key_number(json, "failed_time", stage->failed_time);
  write_time(json, "ave_time", out_stage_successes(stage), stage->ave_time);
  write_time(json, "p50_time", out_stage_successes(stage), stage->p50_time);
  write_time(json, "p90_time", out_stage_successes(stage), stage->p90_time);
  write_time(json, "p99_time", out_stage_successes(stage), stage->p99_time);
  write_time(json, "min_time", out_stage_successes(stage), stage->min_time);
  write_time(json, "max_time", out_stage_successes(stage), stage->max_time);
  out_json_close_map(json);
}

static void write_queue(struct out_json *json, const struct callsig_queue_stats *queue)
{
  out_json_open_map(json);
  out_json_key_string(json, "label", queue->label);
  out_json_key_string(json, "name", queue->name);
  out_json_key_integer(json, "pipeline", queue->pipeline);
  out_json_key_integer(json, "index", queue->index);
  out_json_key(json, "capacity");
  if (queue->capacity > 0)
    out_json_integer(json, queue->capacity);
  else
    out_json_null(json);
  out_json_key_integer(json, "high_water", queue->high_water);
  out_json_key_integer(json, "items", queue->items);
  out_json_key_integer(json, "num_items", queue->num_items);
  out_json_key_integer(json, "puts", queue->puts);
  out_json_key_integer(json, "failed", queue->failed);
  out_json_key_number(json, "elapsed", queue->elapsed);
  out_json_key_number(json, "qps", queue->qps);
  out_json_key_number(json, "put_time", queue->put_time);
  out_json_key_number(json, "get_time", queue->get_time);
  write_time(json, "ave_put_time", queue->puts, queue->ave_put_time);
  write_time(json, "p50_put_time", queue->puts, queue->p50_put_time);
  write_time(json, "p90_put_time", queue->puts, queue->p90_put_time);
  write_time(json, "p99_put_time", queue->puts, queue->p99_put_time);
  write_time(json, "min_put_time", queue->puts, queue->min_put_time);
  write_time(json, "max_put_time", queue->puts, queue->max_put_time);
  write_time(json, "ave_get_time", queue->num_items, queue->ave_get_time);
  write_time(json, "p50_get_time", queue->num_items, queue->p50_get_time);
  write_time(json, "p90_get_time", queue->num_items, queue->p90_get_time);
  write_time(json, "p99_get_time", queue->num_items, queue->p99_get_time);
  write_time(json, "min_get_time", queue->num_items, queue->min_get_time);
  write_time(json, "max_get_time", queue->num_items, queue->max_get_time);
  out_json_key_number(json, "empty_time", queue->empty_time);
  out_json_key_number(json, "occupancy_rate", queue->occupancy_rate);
  out_json_close_map(json);
}

static void write_counter(struct out_json *json, const struct callsig_counter_stats *counter, bool with_thread)
{
  out_json_open_map(json);
  out_json_key_string(json, "key", counter->key);
  out_json_key_string(json, "stage", counter->stage);
  if (with_thread) {
    out_json_key_string(json, "thread", counter->thread);
    out_json_key_integer(json, "tid", counter->tid);
  }
  out_json_key_string(json, "kind", counter->is_level ? "level" : "counter");
  out_json_key_integer(json, "count", counter->count);
  if (counter->is_level) {
    out_json_key(json, "value");
    out_json_signed(json, counter->value);
    out_json_key(json, "min");
    out_json_signed(json, counter->min);
    out_json_key(json, "max");
    out_json_signed(json, counter->max);
  } else
    out_json_key_integer(json, "total", counter->total);
  out_json_key_number(json, "mean", counter->mean);
  out_json_close_map(json);
}

static void write_counters(struct out_json *json, const struct callsig_pipeline *pipeline)
{
  out_json_key(json, "counters");
  out_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->counters.count; i++)
    write_counter(json, &out_counter_at(pipeline, i)->stats, false);
  out_json_close_array(json);
  out_json_key(json, "counters_by_thread");
  out_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->counter_parts.count; i++)
    write_counter(json, &out_counter_thread_at(pipeline, i)->stats, true);
  out_json_close_array(json);
}

static void write_lists(struct out_json *json, const struct callsig_pipeline *pipeline)
{
  out_json_key(json, "stages");
  out_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    write_stage(json, &out_pipeline_stage_at(pipeline, i)->stats);
  out_json_close_array(json);
  out_json_key(json, "queues");
  out_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->queues.count; i++)
    write_queue(json, &out_pipeline_queue_at(pipeline, i)->stats);
  out_json_close_array(json);
  out_json_key(json, "events");
  out_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->events.count; i++) {
    const struct callsig_event_stats *event = base_vector_at(&pipeline->events, i);
    out_json_open_map(json);
    out_json_key_string(json, "name", event->name);
    out_json_key_integer(json, "count", event->count);
    out_json_key_number(json, "total_time", event->total_time);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  write_counters(json, pipeline);
  out_json_key(json, "actions");
  out_json_open_array(json);
  for (uint32_t i = 0; i < pipeline->actions.count; i++) {
    const struct callsig_action_stats *action = base_vector_at(&pipeline->actions, i);
    out_json_open_map(json);
    out_json_key_string(json, "name", action->name);
    out_json_key_integer(json, "num_calls", action->num_calls);
    out_json_key_number(json, "total_time", action->total_time);
    out_json_key_number(json, "mean_time", action->mean_time);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

static const char *label_of(const struct out_stage_view *view)
{
  return view ? view->stage->stats.label : NULL;
}

/* Shares of the time, by what it was found doing. */
static void write_waits(struct out_json *json, const struct out_waits *waits)
{
  if (waits->looks == 0)
    return;
  out_json_key(json, "found");
  out_json_open_map(json);
  out_json_key_integer(json, "looks", waits->looks);
  for (enum fmt_wait_kind kind = FMT_WAIT_NONE; kind < FMT_WAIT_KINDS; kind++)
    out_json_key_number(json, out_wait_key(kind), out_waits_share(waits, kind));
  out_json_close_map(json);
}

static void write_view(struct out_json *json, const struct out_stage_view *view)
{
  static const char *const states[] = {"busy", "starved", "blocked", "idle", "finished"};
  static const char *const levels[] = {"few", "concern", "critical"};
  out_json_open_map(json);
  out_json_key_string(json, "stage", label_of(view));
  out_json_key_string(json, "state", states[view->state]);
  out_json_key_number(json, "busy", view->busy);
  out_json_key_number(json, "get_wait", view->get_wait);
  out_json_key_number(json, "put_wait", view->put_wait);
  out_json_key_string(json, "input", view->input ? view->input->label : NULL);
  out_json_key_string(json, "output", view->output ? view->output->label : NULL);
  out_json_key_number(json, "replicas", view->replicas);
  out_json_key(json, "threads_seen");
  if (view->threads > 0)
    out_json_integer(json, view->threads);
  else
    out_json_null(json);
  out_json_key(json, "waits_exceed");
  out_json_bool(json, view->waits_exceed);
  out_json_key_number(json, "effective_rate", view->rate);
  out_json_key_number(json, "failure_rate", view->failure_rate);
  out_json_key_number(json, "failures_per_second", view->failures_per_second);
  out_json_key_number(json, "failed_ave_time", view->failed_mean);
  out_json_key_string(json, "failures", levels[view->failures]);
  out_json_key(json, "pauses");
  out_json_bool(json, view->pauses);
  if (view->shares.known) {
    out_json_key_number(json, "on_processor", view->shares.cpu);
    out_json_key_number(json, "waiting_for_processor", view->shares.ready);
    out_json_key_number(json, "waiting_for_other", view->shares.waiting);
  }
  write_waits(json, &view->waits);
  out_json_key_number(json, "pause_tasks", view->pause_tasks);
  out_json_key_number(json, "pause_time", view->pause_time);
  out_json_key(json, "aggregates");
  out_json_bool(json, view->aggregates);
  out_json_close_map(json);
}

static void write_stragglers(struct out_json *json, const struct out_bottleneck *bottleneck)
{
  out_json_key(json, "stragglers");
  out_json_open_array(json);
  for (uint32_t i = 0; i < bottleneck->stragglers.count; i++) {
    const struct out_straggler *straggler = base_vector_at(&bottleneck->stragglers, i);
    out_json_open_map(json);
    out_json_key_string(json, "stage", label_of(straggler->view));
    out_json_key_string(json, "thread", straggler->replica->thread);
    out_json_key_integer(json, "tid", straggler->replica->tid);
    out_json_key_number(json, "ave_time", straggler->mean);
    out_json_key_number(json, "others_ave_time", straggler->others);
    out_json_key_number(json, "chance", straggler->chance);
    out_json_key_integer(json, "parts", straggler->parts);
    out_json_key_integer(json, "slowest_in", straggler->slowest);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_json_key(json, "straggling_in_turns");
  out_json_open_array(json);
  for (uint32_t i = 0; i < bottleneck->turns.count; i++) {
    const struct out_turns *turns = base_vector_at(&bottleneck->turns, i);
    out_json_open_map(json);
    out_json_key_string(json, "stage", label_of(turns->view));
    out_json_key_integer(json, "parts", turns->parts);
    out_json_key_integer(json, "slow", turns->slow);
    out_json_key_integer(json, "threads", turns->threads);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

/* out_verdict_fn */
static int write_functions(struct out_json *json, const struct callsig_pipeline *pipeline,
                           const struct out_bottleneck *bottleneck, struct callsig_stats **stats)
{
  struct out_stage_functions functions = {0};
  int result = 0;
  out_json_key(json, "functions");
  out_json_open_array(json);
  if (bottleneck->stage && bottleneck->bound != OUT_BOUND_UNKNOWN) {
    if (!*stats)
      result = out_pipeline_stats(pipeline, stats);
    if (result == 0)
      result = out_stage_functions(*stats, label_of(bottleneck->stage), MOST_FUNCTIONS,
                                   bottleneck->stage->waits.running, &functions);
  }
  for (uint32_t i = 0; i < functions.list.count; i++) {
    const struct out_stage_function *function = base_vector_at(&functions.list, i);
    out_json_open_map(json);
    out_json_key_string(json, "function", function->name);
    out_json_key_integer(json, "ncalls", function->ncalls);
    out_json_key_number(json, "tottime", function->tottime);
    out_json_key_number(json, "share", function->share);
    write_waits(json, &function->waits);
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_stage_functions_free(&functions);
  return result;
}

/* The threads that it shares with other pipelines. */
static void write_pool(struct out_json *json, const struct out_bottleneck *bottleneck)
{
  const struct out_pool *pool = &bottleneck->pool;
  out_json_key(json, "pool");
  if (!pool->most) {
    out_json_null(json);
    return;
  }
  out_json_open_map(json);
  out_json_key_integer(json, "threads", pool->threads);
  out_json_key_number(json, "busy", pool->busy);
  out_json_key_number(json, "here", pool->here);
  out_json_key(json, "pipelines");
  out_json_open_array(json);
  for (unsigned i = 0; i < pool->num_others && i < OUT_POOL_NAMED; i++)
    out_json_integer(json, pool->others[i]);
  out_json_close_array(json);
  out_json_close_map(json);
}

/* What moves, what is shared, and what there is of processors. */
static void write_more(struct out_json *json, const struct out_bottleneck *bottleneck)
{
  const struct out_replica *thread = bottleneck->bound == OUT_BOUND_THREAD ? bottleneck->unit.replica : NULL;
  out_json_key_number(json, "processors", bottleneck->processors);
  out_json_key_number(json, "processors_used", bottleneck->used);
  out_json_key_string(json, "thread", thread ? thread->thread : NULL);
  write_pool(json, bottleneck);
  out_json_key_string(json, "not_told", label_of(bottleneck->untold));
  out_json_key_number(json, "not_told_share", bottleneck->untold ? bottleneck->untold_share : 0);
  out_json_key(json, "outside_of_tasks");
  out_json_bool(json, bottleneck->outside);
  out_json_key_string(json, "waits_inside_too", label_of(bottleneck->shares_wait));
  out_json_key(json, "waits_seen");
  out_json_bool(json, bottleneck->shares_seen);
  out_json_key_number(json, "lock", bottleneck->locked ? bottleneck->stage->lock : 0);
  out_json_key_string(json, "warm_up", label_of(bottleneck->warm));
  out_json_key_number(json, "warm_up_time", bottleneck->warm_time);
  out_json_key(json, "phases");
  out_json_open_array(json);
  for (uint32_t i = 0; i < bottleneck->phases.count; i++) {
    const struct out_phase *phase = base_vector_at(&bottleneck->phases, i);
    out_json_open_map(json);
    out_json_key_number(json, "from", phase->from);
    out_json_key_number(json, "until", phase->until);
    out_json_key_string(json, "stage", label_of(phase->view));
    out_json_key_number(json, "busy", phase->busy);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}

static void write_sentence(struct out_json *json, const struct out_bottleneck *bottleneck)
{
  struct out_text text = {0};
  out_put_verdict(&text, bottleneck);
  json->failed |= text.failed;
  out_json_key_string(json, "sentence", out_text_string(&text));
  out_text_free(&text);
}

/* out_verdict_fn */
static int write_verdict(void *data, const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                         const struct out_forecast *forecast, struct callsig_stats **stats)
{
  struct out_json *json = data;
  static const char *const bounds[] = {"unknown",   "stage",  "source", "sink", "gap",
                                       "processor", "thread", "moving", "pool", "ring"};
  out_json_open_map(json);
  out_json_key_integer(json, "pipeline", bottleneck->pipeline);
  out_json_key_string(json, "bound", bounds[bottleneck->bound]);
  write_sentence(json, bottleneck);
  out_json_key_string(json, "stage", label_of(bottleneck->stage));
  out_json_key_string(json, "equal", label_of(bottleneck->equal));
  out_json_key_string(json, "either", label_of(bottleneck->either));
  out_json_key_string(json, "before", bottleneck->before ? bottleneck->before->label : NULL);
  out_json_key_string(json, "behind", bottleneck->behind ? bottleneck->behind->label : NULL);
  out_json_key_string(json, "step", label_of(bottleneck->step));
  out_json_key_number(json, "window", bottleneck->window);
  out_json_key_number(json, "throughput", bottleneck->throughput);
  out_write_forecast(json, bottleneck, forecast);
  write_more(json, bottleneck);
  int result = write_functions(json, pipeline, bottleneck, stats);
  out_json_key(json, "stages");
  out_json_open_array(json);
  for (uint32_t i = 0; i < bottleneck->count; i++)
    write_view(json, &bottleneck->views[i]);
  out_json_close_array(json);
  write_stragglers(json, bottleneck);
  out_json_close_map(json);
  return result;
}

static int write_verdicts(struct out_json *json, const struct callsig_pipeline *pipeline,
                          const struct base_vector *asked)
{
  out_json_key(json, "verdicts");
  out_json_open_array(json);
  int result = out_verdicts_each(pipeline, asked, write_verdict, json);
  out_json_close_array(json);
  return result;
}

static int write_over_time(struct out_json *json, const struct callsig_pipeline *pipeline)
{
  struct out_course course = out_course_new();
  int result = pipeline->processes > 0 ? 0 : out_recording_course(pipeline, &course);
  out_json_key(json, "over_time");
  out_json_open_map(json);
  if (result == 0)
    out_course_write_json(json, &course);
  out_json_close_map(json);
  out_course_free(&course);
  return result;
}

int callsig_pipeline_print_json(const struct callsig_pipeline *pipeline, FILE *out)
{
  return callsig_pipeline_print_json_what_if(pipeline, NULL, out);
}

int callsig_pipeline_print_json_what_if(const struct callsig_pipeline *pipeline, const char *settings, FILE *out)
{
  struct out_json json;
  struct base_vector asked = BASE_VECTOR_OF(struct out_change);
  int verdicts = out_what_if_read(pipeline, settings, &asked);
  if (verdicts < 0 || out_json_begin(&json, out) < 0) {
    base_vector_free(&asked);
    return verdicts < 0 ? verdicts : out_stats_no_memory();
  }
  out_json_open_map(&json);
  write_info(&json, pipeline);
  write_lists(&json, pipeline);
  verdicts = write_verdicts(&json, pipeline, &asked);
  base_vector_free(&asked);
  if (verdicts == 0)
    verdicts = write_over_time(&json, pipeline);
  out_json_close_map(&json);
  int result = out_json_end(&json);
  if (result == -EIO)
    return out_stats_fail(-EIO, "cannot write the JSON: the output is full or closed");
  return result < 0 ? out_stats_no_memory() : verdicts;
}
