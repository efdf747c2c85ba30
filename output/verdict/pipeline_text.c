/* The summary of a pipeline and the verdict on it, as text. */
#include <errno.h>
#include <string.h>

#include "output/pipeline/pipeline_text.h"
#include "output/pipeline/rings.h"
#include "output/pipeline/shared_pool.h"
#include "output/pipeline/stage_functions.h"
#include "output/stats/columns.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"
#include "output/verdict/forecast_words.h"
#include "output/verdict/verdict_text.h"
#include "output/verdict/verdicts.h"
#include "output/verdict/what_if.h"

static const char rule[] = "--------------------------------------------------------------------------------\n";

enum { MOST_FUNCTIONS = 3 };

#define LEAST_WAIT 0.20 /* of the time of a function: what it waits for is told */

static void put_times(struct out_text *text, const char *what, uint64_t count, double p50, double p90, double p99,
                      double min, double max)
{
  const double times[] = {p50, p90, p99, min, max};
  static const char *const names[] = {"p50 ", ", p90 ", ", p99 ", ", min ", ", max "};
  out_text_printf(text, "    %s: %s", what, count > 0 ? "" : "unknown");
  for (unsigned i = 0; i < 5 && count > 0; i++) {
    out_text_puts(text, names[i]);
    out_put_scaled(text, times[i], 0);
  }
  out_text_putc(text, '\n');
}

static void put_stage(struct out_text *text, const struct callsig_stage_stats *stage)
{
  out_text_printf(text, "\n  Stage: %s\n    Total tasks processed: %llu\n    Total failures: %llu\n", stage->label,
                  (unsigned long long)stage->num_tasks, (unsigned long long)stage->num_failures);
  out_put_mean(text, "Average task time", out_stage_successes(stage) > 0, stage->ave_time);
  if (stage->num_tasks > 0)
    out_put_percent(text, "    Success rate: ", (double)out_stage_successes(stage) / (double)stage->num_tasks, "\n");
  else
    out_text_puts(text, "    Success rate: unknown\n");
  out_text_puts(text, "    Number of log entries: 1\n");
  put_times(text, "Task times", out_stage_successes(stage), stage->p50_time, stage->p90_time, stage->p99_time,
            stage->min_time, stage->max_time);
  if (stage->dropped > 0)
    out_text_printf(text, "    Items dropped by callbacks: %llu\n", (unsigned long long)stage->dropped);
  if (stage->open > 0)
    out_text_printf(text, "    Tasks still open: %llu\n", (unsigned long long)stage->open);
}

static void put_queue(struct out_text *text, const struct callsig_queue_stats *queue)
{
  out_text_printf(text, "\n  Queue: %s\n    Total items processed: %llu\n", queue->label,
                  (unsigned long long)queue->num_items);
  out_put_number(text, "    Average QPS: ", queue->qps, 2, "\n");
  out_put_mean(text, "Average put time", queue->puts > 0, queue->ave_put_time);
  out_put_mean(text, "Average get time", queue->num_items > 0, queue->ave_get_time);
  out_put_percent(text, "    Average occupancy rate: ", queue->occupancy_rate, "\n");
  out_text_puts(text, "    Number of log entries: 1\n");
  put_times(text, "Put times", queue->puts, queue->p50_put_time, queue->p90_put_time, queue->p99_put_time,
            queue->min_put_time, queue->max_put_time);
  put_times(text, "Get times", queue->num_items, queue->p50_get_time, queue->p90_get_time, queue->p99_get_time,
            queue->min_get_time, queue->max_get_time);
  if (queue->high_water > 0 || queue->puts == 0)
    out_text_printf(text, "    Most items at once: %llu of ", (unsigned long long)queue->high_water);
  else
    out_text_puts(text, "    Most items at once: unknown, of ");
  if (queue->capacity > 0)
    out_text_printf(text, "%llu\n", (unsigned long long)queue->capacity);
  else
    out_text_puts(text, "an unknown capacity\n");
}

static void put_summary(struct out_text *text, const struct callsig_pipeline *pipeline)
{
  out_put_heading(text);
  if (pipeline->steps > 0) {
    out_text_printf(text, "\n  Steps: %llu, of which %llu were recorded: about ", (unsigned long long)pipeline->steps,
                    (unsigned long long)pipeline->active_steps);
    out_put_number(text, "", pipeline->recorded, 2, " s of ");
    out_put_number(text, "", pipeline->info.elapsed, 2, " s\n");
  } else if (pipeline->recorded < pipeline->info.elapsed) {
    out_put_number(text, "\n  Recorded: ", pipeline->recorded, 2, " s of ");
    out_put_number(text, "", pipeline->info.elapsed, 2, " s; recording was off for the rest, which counts nowhere\n");
  }
  for (uint32_t i = 0; i < pipeline->stages.count; i++)
    put_stage(text, &out_pipeline_stage_at(pipeline, i)->stats);
  out_put_queue_heading(text);
  for (uint32_t i = 0; i < pipeline->queues.count; i++)
    put_queue(text, &out_pipeline_queue_at(pipeline, i)->stats);
  if (pipeline->counters.count > 0) {
    out_put_part_heading(text, "Counters and levels:");
    out_put_counters(text, pipeline);
  }
  if (pipeline->events.count > 0) {
    out_put_part_heading(text, "Events:");
    out_put_events(text, pipeline);
  }
}

/* "0:1:decode", the label alone. */
static const char *label_of(const struct out_stage_view *view)
{
  return view->stage->stats.label;
}

/* "until 3.5 s 0:2:resize, then 0:1:decode". */
static void put_phases(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  out_text_puts(text, "its bound moves: ");
  for (uint32_t i = 0; i < bottleneck->phases.count; i++) {
    const struct out_phase *phase = base_vector_at(&bottleneck->phases, i);
    if (i + 1 < bottleneck->phases.count)
      out_put_number(text, i ? ", until " : "until ", phase->until, 1, " s ");
    else
      out_text_puts(text, ", then ");
    out_text_puts(text, phase->view ? label_of(phase->view) : "nothing in it");
    if (phase->view)
      out_put_percent(text, " (works ", phase->busy, ")");
  }
}

static void put_bounding_stage(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  const struct out_stage_view *stage = bottleneck->stage;
  const double lock = bottleneck->locked ? stage->lock : 0;
  if (bottleneck->either) {
    out_text_printf(text, "%s or %s bounds it", label_of(stage), label_of(bottleneck->either));
    out_put_percent(text, ": it has tasks ", stage->busy, " of its time, ");
    out_put_percent(text, "and the other one ", bottleneck->either->busy,
                    "; no queue leads from one to the other, so one may wait inside of its tasks for the other");
    return;
  }
  out_text_printf(text, "%s bounds it", label_of(stage));
  out_put_percent(text, ": it works ", stage->busy * (1 - lock), " of its time");
  if (bottleneck->locked)
    out_put_percent(text, ", and waits for a lock ", stage->busy * lock, " of it inside of its tasks");
  out_text_puts(text, bottleneck->outside ? ", and waits for the rest of it outside of its tasks" : "");
}

/* Items that go round are what all stages wait for. */
static void put_ring(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  const struct callsig_queue_stats *queue = bottleneck->before;
  const double items = out_ring_items(queue);
  out_put_number(text, "too few items bound it: ", items, 0, items < 2 ? " goes" : " go");
  out_text_printf(text, " round by %s", queue->label);
  out_put_percent(text, ", which is occupied ", queue->occupancy_rate, " of the time");
  out_text_printf(text, "; the busiest stage, %s,", label_of(bottleneck->stage));
  out_put_percent(text, " works ", bottleneck->stage->busy, " of its time");
}

/* Nothing that was seen bounds it; or what does was not told. */
static void put_unknown(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  if (bottleneck->untold) {
    out_text_printf(text, "it is not known what bounds it: threads of %s", label_of(bottleneck->untold));
    out_put_percent(text, " wait ", bottleneck->untold_share,
                    " of their time between their tasks, for what is not told (a block, a slot, a token, a request)");
  } else
    out_text_puts(text, "nothing in it bounds it");
  if (bottleneck->stage) {
    out_text_printf(text, "%s the busiest stage, %s,", bottleneck->untold ? ";" : ":", label_of(bottleneck->stage));
    out_put_percent(text, " works ", bottleneck->stage->busy, " of its time");
  }
}

void out_put_verdict(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  switch (bottleneck->bound) {
  case OUT_BOUND_STAGE:
    put_bounding_stage(text, bottleneck);
    break;
  case OUT_BOUND_SOURCE:
    out_text_printf(text, "its source bounds it: what puts into %s", bottleneck->behind->label);
    out_put_percent(text, ", which is occupied ", bottleneck->behind->occupancy_rate, " of the time");
    break;
  case OUT_BOUND_SINK:
    out_text_printf(text, "its sink bounds it: what takes from %s", bottleneck->before->label);
    out_put_percent(text, ", which is occupied ", bottleneck->before->occupancy_rate, " of the time");
    break;
  case OUT_BOUND_GAP:
    out_text_printf(text, "what takes from %s and puts into %s bounds it; its tasks are not recorded",
                    bottleneck->before->label, bottleneck->behind->label);
    break;
  case OUT_BOUND_PROCESSOR:
    out_put_number(text, "the processor bounds it: its threads use ", bottleneck->used, 2, " of ");
    out_put_number(text, "", bottleneck->processors, 2,
                   bottleneck->used < OUT_ALL_USED * bottleneck->processors ? " processors, which others use too"
                                                                            : " processors");
    if (bottleneck->stage->busy >= OUT_BUSY_ENOUGH) {
      out_text_printf(text, "; %s", label_of(bottleneck->stage));
      out_put_percent(text, " is at work ", bottleneck->stage->busy, " of its time");
      out_put_percent(text, ", and for ", bottleneck->stage->shares.ready, " of that it waits for one");
    }
    break;
  case OUT_BOUND_THREAD:
    out_text_printf(text, "thread %s (%u) bounds it, which runs several stages", bottleneck->unit.replica->thread,
                    bottleneck->unit.replica->tid);
    out_put_percent(text, ": it works ", bottleneck->unit.busy, " of its time");
    out_put_percent(text, ", ", bottleneck->unit.most_busy, " in ");
    out_text_printf(text, "%s", label_of(bottleneck->unit.most));
    break;
  case OUT_BOUND_MOVING:
    put_phases(text, bottleneck);
    break;
  case OUT_BOUND_POOL:
    out_put_shared_pool(text, bottleneck);
    break;
  case OUT_BOUND_RING:
    put_ring(text, bottleneck);
    break;
  default:
    if (bottleneck->is_cpu_clock) {
      out_text_puts(text,
                    "no verdict: its times are CPU times, which tell nothing of waiting; record it with --clock wall");
      break;
    }
    put_unknown(text, bottleneck);
  }
}

/* What the stage's tasks do with their time. */
static void put_shares(struct out_text *text, const struct out_stage_view *view)
{
  if (!view->shares.known) {
    if (view->shares.looks > 0)
      out_text_printf(
          text, "    What the time of its tasks was made of is not known: too few of them were looked at (%.0f)\n",
          view->shares.looks);
    return;
  }
  out_put_percent(text, "    Its tasks are on a processor ", view->shares.cpu, " of their time, ");
  out_put_percent(text, "wait for one ", view->shares.ready, ", ");
  out_put_percent(text, "and wait for something else ", view->shares.waiting, "\n");
}

static void put_shared(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  if (bottleneck->shares_seen)
    out_text_printf(text,
                    "    %s waits for the same lock or condition inside of its tasks: it bounds both, and more "
                    "concurrency gives nothing\n",
                    label_of(bottleneck->shares_wait));
  else if (bottleneck->shares_wait)
    out_text_printf(
        text,
        "    %s waits inside of its tasks as well: what both wait for, a lock or a device, may be what bounds "
        "them, and then more concurrency gives nothing\n",
        label_of(bottleneck->shares_wait));
  else if (bottleneck->locked)
    out_text_puts(text, "    Its tasks wait for one another's lock, so that more concurrency gives nothing\n");
}

/* The queues around the bounding stage, and what else says that it is the one. */
static void put_reasons(struct out_text *text, const struct out_bottleneck *bottleneck,
                        const struct out_forecast *forecast)
{
  const struct out_stage_view *stage = bottleneck->stage;
  if (bottleneck->equal && bottleneck->equal != bottleneck->either)
    out_text_printf(text, "    %s is as busy\n", label_of(bottleneck->equal));
  if (stage->input) {
    out_text_printf(text, "    The queue before it, %s,", stage->input->label);
    out_put_percent(text, " is occupied ", stage->input->occupancy_rate, " of the time; an item waits to be put ");
    out_put_scaled(text, stage->input->ave_put_time, 0);
    out_text_puts(text, "\n");
  }
  if (stage->output) {
    out_text_printf(text, "    The queue behind it, %s,", stage->output->label);
    out_put_percent(text, " is occupied ", stage->output->occupancy_rate, " of the time; a get waits ");
    out_put_scaled(text, stage->output->ave_get_time, 0);
    out_text_puts(text, "\n");
  }
  if (bottleneck->step && bottleneck->step != stage)
    out_text_printf(text, "    The first step from an occupied to an empty queue is at %s\n",
                    label_of(bottleneck->step));
  if (stage->aggregates)
    out_text_puts(text, "    It makes one item of several, so the queue before it is normally not occupied\n");
  put_shares(text, stage);
  put_shared(text, bottleneck);
  if (stage->rate > 0) {
    out_put_number(text, "    Effective rate: ", stage->rate, 1, " tasks/s (");
    out_put_number(text, "", stage->at_once, stage->at_once < stage->replicas ? 1 : 0, " at a time, ");
    out_put_scaled(text, stage->mean, 0);
    if (stage->failure_rate > 0) {
      out_text_puts(text, " each, of a failure ");
      out_put_scaled(text, stage->failed_mean, 0);
      out_put_number(text, "); it did ", bottleneck->throughput, 1, " tasks/s, of which ");
      out_put_number(text, "", stage->failures_per_second, 1, " failed\n");
    } else
      out_put_number(text, " each); it did ", bottleneck->throughput, 1, " tasks/s\n");
  }
  out_put_doubling(text, bottleneck, forecast);
}

static void put_state(struct out_text *text, const struct out_stage_view *view)
{
  out_text_printf(text, "    %s: ", label_of(view));
  switch (view->state) {
  case OUT_STAGE_STARVED:
    out_text_puts(text, "starved, ");
    break;
  case OUT_STAGE_BLOCKED:
    out_text_puts(text, "blocked, ");
    break;
  case OUT_STAGE_BUSY:
    out_text_puts(text, "busy, ");
    break;
  case OUT_STAGE_FINISHED:
    out_put_number(text, "finished after ", view->finished, 2, " s, ");
    break;
  default:
    out_text_puts(text, "idle, ");
  }
  out_put_percent(text, "works ", view->busy, ", ");
  out_put_percent(text, "waits for items ", view->get_wait, " and ");
  out_put_percent(text, "for space ", view->put_wait, " of its time\n");
  if (view->fewer) {
    const unsigned declared = view->stage->stats.concurrency;
    if (view->threads > 0)
      out_text_printf(text, "      declared %u, %u thread%s seen", declared, view->threads,
                      view->threads == 1 ? "" : "s");
    else
      out_text_printf(text, "      declared %u, threads that came and went seen", declared);
    if (view->varies || view->threads == 0)
      out_put_number(text, ", ", view->at_once, 1, " of them there on average");
    out_text_puts(text, ": its shares are of their time\n");
  }
  if (view->waits_exceed)
    out_text_puts(text, "      its threads were told to wait longer than they had: waits overlap its tasks or one "
                        "another, and are cut to what is left\n");
}

static void put_warnings(struct out_text *text, const struct out_bottleneck *bottleneck)
{
  if (bottleneck->warm) {
    out_text_printf(text, "    %s: it warms up: its first task takes ", label_of(bottleneck->warm));
    out_put_scaled(text, bottleneck->warm_time, 0);
    out_text_puts(text, ", which the shares above leave out\n");
  }
  for (uint32_t i = 0; i < bottleneck->count; i++) {
    const struct out_stage_view *view = &bottleneck->views[i];
    const struct callsig_stage_stats *stats = &view->stage->stats;
    if (view->failures != OUT_FAILURES_FEW) {
      out_text_printf(text, "    %s: ", label_of(view));
      out_put_percent(text, "", view->failure_rate,
                      view->failures == OUT_FAILURES_CRITICAL ? " of its tasks failed: critical (above 20%)\n"
                                                              : " of its tasks failed: a concern (above 5%)\n");
      out_put_number(text, "      ", view->failures_per_second, 1, " a second, of ");
      out_put_scaled(text, view->failed_mean, 0);
      out_text_puts(text, " each\n");
    }
    if (view->pauses) {
      out_text_printf(text, "    %s: it pauses, or some items are far larger: p90 ", label_of(view));
      out_put_scaled(text, stats->p90_time, 0);
      out_text_puts(text, ", median ");
      out_put_scaled(text, stats->p50_time, 0);
      if (view->pause_tasks > 0) {
        out_put_percent(text, "; ", view->pause_tasks, " of its tasks take ten times that, or longer, and ");
        out_put_percent(text, "", view->pause_time, " of its time");
      }
      out_text_putc(text, '\n');
    }
  }
  for (uint32_t i = 0; i < bottleneck->stragglers.count; i++) {
    const struct out_straggler *straggler = base_vector_at(&bottleneck->stragglers, i);
    out_text_printf(text, "    %s: thread %s (%u) is a straggler: ", label_of(straggler->view),
                    straggler->replica->thread, straggler->replica->tid);
    out_put_slower(text, straggler->mean, "the others", straggler->others, straggler->slowest, straggler->parts);
  }
  for (uint32_t i = 0; i < bottleneck->turns.count; i++) {
    const struct out_turns *turns = base_vector_at(&bottleneck->turns, i);
    out_text_printf(
        text,
        "    %s: in %u of %u parts of the time one of its threads takes at least twice as long for a task as "
        "the others, but not always the same one: %u threads do\n",
        label_of(turns->view), turns->slow, turns->parts, turns->threads);
  }
}

/* "; waits for a lock 98.0% of it, when looked at", and the line's end. */
static void put_wait(struct out_text *text, const struct out_waits *waits)
{
  double share;
  const enum fmt_wait_kind kind = out_waits_most(waits, LEAST_WAIT, &share);
  if (kind != FMT_WAIT_NONE) {
    out_text_printf(text, "; %s ", out_wait_text(kind));
    out_put_percent(text, "", share, " of it, when looked at");
  }
  out_text_putc(text, '\n');
}

static void put_functions(struct out_text *text, const struct out_stage_functions *functions)
{
  if (functions->list.count > 0)
    out_text_puts(text, "    Most of its time, callees not counted:\n");
  for (uint32_t i = 0; i < functions->list.count; i++) {
    const struct out_stage_function *function = base_vector_at(&functions->list, i);
    out_put_percent(text, "      ", function->share, "  ");
    out_text_printf(text, "%s, %llu call%s", function->name, (unsigned long long)function->ncalls,
                    function->ncalls == 1 ? "" : "s");
    put_wait(text, &function->waits);
  }
  if (functions->list.count > 0 || functions->task_share > 0) {
    out_put_percent(text, "    Outside of recorded functions: ", functions->task_share, "");
    put_wait(text, &functions->task_waits);
  }
}

/* The queues that lead to another process, or come from one. */
static void put_one_sided(struct out_text *text, const struct callsig_pipeline *pipeline, unsigned number)
{
  for (uint32_t i = 0; i < pipeline->queues.count; i++) {
    const struct callsig_queue_stats *queue = &out_pipeline_queue_at(pipeline, i)->stats;
    if (queue->pipeline == number && out_queue_is_one_sided(queue))
      out_text_printf(
          text,
          "    %s: nothing %s it in this process: if another one does, this is the verdict on a part of the "
          "pipeline, and that on the whole is printed where the recordings of both are read together\n",
          queue->label, queue->puts > 0 ? "takes from" : "puts into");
  }
}

/* out_verdict_fn */
static int put_verdict(void *data, const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                       const struct out_forecast *forecast, struct callsig_stats **stats)
{
  struct out_text *text = data;
  int result = 0;
  out_text_printf(text, "\n  Pipeline %u: ", bottleneck->pipeline);
  out_put_verdict(text, bottleneck);
  out_text_putc(text, '\n');
  const bool named = bottleneck->stage && bottleneck->bound != OUT_BOUND_UNKNOWN &&
                     bottleneck->bound != OUT_BOUND_SOURCE && bottleneck->bound != OUT_BOUND_SINK &&
                     bottleneck->bound != OUT_BOUND_RING;
  if (named) {
    put_reasons(text, bottleneck, forecast);
    struct out_stage_functions functions = {0};
    if (!*stats)
      result = out_pipeline_stats(pipeline, stats);
    if (result == 0)
      result = out_stage_functions(*stats, label_of(bottleneck->stage), MOST_FUNCTIONS,
                                   bottleneck->stage->waits.running, &functions);
    if (result == 0)
      put_functions(text, &functions);
    out_stage_functions_free(&functions);
  }
  if (bottleneck->stage)
    out_put_help(text, bottleneck, forecast);
  for (uint32_t i = 0; i < bottleneck->count && !bottleneck->is_cpu_clock; i++)
    put_state(text, &bottleneck->views[i]);
  put_warnings(text, bottleneck);
  put_one_sided(text, pipeline, bottleneck->pipeline);
  return result;
}

static int put_verdicts(struct out_text *text, const struct callsig_pipeline *pipeline, const struct base_vector *asked)
{
  out_text_printf(text, "\n\xF0\x9F\x94\x8E Verdict:\n%s", rule);
  return out_verdicts_each(pipeline, asked, put_verdict, text);
}

int callsig_pipeline_print(const struct callsig_pipeline *pipeline, FILE *out)
{
  return callsig_pipeline_print_what_if(pipeline, NULL, out);
}

int callsig_pipeline_print_what_if(const struct callsig_pipeline *pipeline, const char *settings, FILE *out)
{
  if (pipeline->stages.count + pipeline->queues.count + pipeline->counters.count + pipeline->events.count == 0)
    return out_stats_fail(-ENODATA,
                          "%s: no stages and no queues are recorded in it; docs/stages.md says how a program has them",
                          pipeline->info.path);
  struct base_vector asked = BASE_VECTOR_OF(struct out_change);
  struct out_text text = {0};
  int result = out_what_if_read(pipeline, settings, &asked);
  put_summary(&text, pipeline);
  if (result == 0)
    result = put_verdicts(&text, pipeline, &asked);
  base_vector_free(&asked);
  if (pipeline->info.unreadable > 0)
    out_text_printf(&text, "\n%llu records could not be read: the recording is damaged, or was being written.\n",
                    (unsigned long long)pipeline->info.unreadable);
  if (result < 0) {
    out_text_free(&text);
    return result;
  }
  return out_pipeline_write(&text, out);
}
