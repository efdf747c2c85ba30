/* Writes what stages, queues and events have counted as metrics. */
#include "output/serve/metrics_pipeline.h"

#include <math.h>
#include <stdio.h>

/* Bounds of the histograms, seconds: the 1-2-5 steps that a histogram of a time of unknown size takes. */
static const struct bound {
  double seconds;
  const char *text;
} bounds[] = {{1e-6, "1e-06"}, {1e-5, "1e-05"},    {1e-4, "0.0001"}, {2.5e-4, "0.00025"}, {5e-4, "0.0005"},
              {1e-3, "0.001"}, {2.5e-3, "0.0025"}, {5e-3, "0.005"},  {0.01, "0.01"},      {0.025, "0.025"},
              {0.05, "0.05"},  {0.1, "0.1"},       {0.25, "0.25"},   {0.5, "0.5"},        {1, "1.0"},
              {2.5, "2.5"},    {5, "5.0"},         {10, "10.0"},     {60, "60.0"}};

static size_t at_most(size_t count)
{
  return count < OUT_METRICS_MOST_PARTS ? count : OUT_METRICS_MOST_PARTS;
}

/* The labels of a stage or queue. */
static void label_part(struct out_metrics_text *metrics, const char *kind, const char *label, const char *name)
{
  out_metric_label(metrics, kind, label);
  out_metric_label(metrics, "name", name);
}

static void put_bucket(struct out_metrics_text *metrics, const char *kind, const char *label, const char *name,
                       const char *bound, double count)
{
  out_metric_begin(metrics, "_bucket");
  label_part(metrics, kind, label, name);
  out_metric_label(metrics, "le", bound);
  out_metric_end(metrics, count);
}

/* A histogram of `count` times with their sum, seconds; a tick is `tick` seconds. A time counts by the middle of its
 * bucket in the recording. */
static void put_histogram(struct out_metrics_text *metrics, const char *kind, const char *label, const char *name,
                          const struct out_histogram *times, double tick, double count, double sum)
{
  const double total = (double)out_histogram_total(times);
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    uint64_t above = 0;
    double ignored = 0;
    out_histogram_above(times, nextafter(bounds[i].seconds / tick, INFINITY), &above, &ignored);
    const double below = total - (double)above;
    put_bucket(metrics, kind, label, name, bounds[i].text, below < count ? below : count);
  }
  put_bucket(metrics, kind, label, name, "+Inf", count);
  out_metric_begin(metrics, "_sum");
  label_part(metrics, kind, label, name);
  out_metric_end(metrics, sum);
  out_metric_begin(metrics, "_count");
  label_part(metrics, kind, label, name);
  out_metric_end(metrics, count);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static double stage_tasks(const struct out_stage *stage)
{
  return (double)stage->stats.num_tasks;
}

static double stage_failures(const struct out_stage *stage)
{
  return (double)stage->stats.num_failures;
}

static double stage_failed_time(const struct out_stage *stage)
{
  return stage->stats.failed_time;
}

static double stage_dropped(const struct out_stage *stage)
{
  return (double)stage->stats.dropped;
}

static double stage_open(const struct out_stage *stage)
{
  return (double)stage->stats.open;
}

static double stage_concurrency(const struct out_stage *stage)
{
  return stage->stats.concurrency;
}

static const struct stage_metric {
  const char *type, *name, *help;
  double (*value)(const struct out_stage *stage);
} stage_metrics[] = {
    {"counter", "callsig_stage_tasks_total", "Tasks of a stage that ended, failures included.", stage_tasks},
    {"counter", "callsig_stage_failures_total", "Tasks of a stage that failed.", stage_failures},
    {"counter", "callsig_stage_failed_seconds_total", "Time of the tasks that failed.", stage_failed_time},
    {"counter", "callsig_stage_dropped_items_total", "Items that a callback of the stage refused.", stage_dropped},
    {"gauge", "callsig_stage_open_tasks", "Tasks of a stage that have begun and not ended.", stage_open},
    {"gauge", "callsig_stage_concurrency", "Tasks that the stage was opened for at a time.", stage_concurrency},
};

static void put_stages(const struct callsig_pipeline *pipeline, struct out_metrics_text *metrics)
{
  const size_t count = at_most(pipeline->stages.count);
  for (size_t m = 0; m < sizeof stage_metrics / sizeof stage_metrics[0] && count > 0; m++) {
    const struct stage_metric *metric = &stage_metrics[m];
    out_metric_family(metrics, metric->type, metric->name, metric->help);
    for (size_t i = 0; i < count; i++) {
      const struct out_stage *stage = out_pipeline_stage_at(pipeline, i);
      out_metric_begin(metrics, "");
      label_part(metrics, "stage", stage->stats.label, stage->stats.name);
      out_metric_end(metrics, metric->value(stage));
    }
  }
  if (count > 0)
    out_metric_family(metrics, "histogram", "callsig_stage_task_seconds", "Time of the tasks that succeeded.");
  for (size_t i = 0; i < count; i++) {
    const struct out_stage *stage = out_pipeline_stage_at(pipeline, i);
    put_histogram(metrics, "stage", stage->stats.label, stage->stats.name, &stage->times, pipeline->tick,
                  (double)out_stage_successes(&stage->stats), stage->stats.total_time);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ */

static double queue_items(const struct out_queue *queue)
{
  return (double)queue->stats.items;
}

static double queue_capacity(const struct out_queue *queue)
{
  return (double)queue->stats.capacity;
}

static double queue_high_water(const struct out_queue *queue)
{
  return (double)queue->stats.high_water;
}

static double queue_occupancy(const struct out_queue *queue)
{
  return queue->stats.occupancy_rate;
}

static double queue_puts(const struct out_queue *queue)
{
  return (double)queue->stats.puts;
}

static double queue_gets(const struct out_queue *queue)
{
  return (double)queue->stats.num_items;
}

static double queue_failed(const struct out_queue *queue)
{
  return (double)queue->stats.failed;
}

static double queue_elapsed(const struct out_queue *queue)
{
  return queue->stats.elapsed;
}

static double queue_empty(const struct out_queue *queue)
{
  return queue->stats.empty_time;
}

static const struct queue_metric {
  const char *type, *name, *help;
  double (*value)(const struct out_queue *queue);
} queue_metrics[] = {
    {"gauge", "callsig_queue_items", "Items that the queue holds.", queue_items},
    {"gauge", "callsig_queue_capacity_items", "Items that the queue has room for; 0: unbounded or unknown.",
     queue_capacity},
    {"gauge", "callsig_queue_most_items", "The most items that the queue ever held.", queue_high_water},
    {"gauge", "callsig_queue_occupancy_ratio", "Part of its time in which the queue held something.", queue_occupancy},
    {"counter", "callsig_queue_puts_total", "Items that were put into the queue.", queue_puts},
    {"counter", "callsig_queue_gets_total", "Items that were taken out of the queue.", queue_gets},
    {"counter", "callsig_queue_failures_total", "Puts and gets that gave up.", queue_failed},
    {"counter", "callsig_queue_open_seconds_total", "Time in which the queue was open.", queue_elapsed},
    {"counter", "callsig_queue_empty_seconds_total", "Time in which the queue was open and held nothing.", queue_empty},
};

/* Times that threads waited at one side of all queues. */
static void put_waits(const struct callsig_pipeline *pipeline, struct out_metrics_text *metrics, size_t count,
                      bool is_put)
{
  for (size_t i = 0; i < count; i++) {
    const struct out_queue *queue = out_pipeline_queue_at(pipeline, i);
    const struct callsig_queue_stats *stats = &queue->stats;
    put_histogram(metrics, "queue", stats->label, stats->name, is_put ? &queue->put : &queue->get, pipeline->tick,
                  (double)(is_put ? stats->puts : stats->num_items), is_put ? stats->put_time : stats->get_time);
  }
}

static void put_queues(const struct callsig_pipeline *pipeline, struct out_metrics_text *metrics)
{
  const size_t count = at_most(pipeline->queues.count);
  if (count == 0)
    return;
  for (size_t m = 0; m < sizeof queue_metrics / sizeof queue_metrics[0]; m++) {
    const struct queue_metric *metric = &queue_metrics[m];
    out_metric_family(metrics, metric->type, metric->name, metric->help);
    for (size_t i = 0; i < count; i++) {
      const struct out_queue *queue = out_pipeline_queue_at(pipeline, i);
      out_metric_begin(metrics, "");
      label_part(metrics, "queue", queue->stats.label, queue->stats.name);
      out_metric_end(metrics, metric->value(queue));
    }
  }
  out_metric_family(metrics, "histogram", "callsig_queue_put_wait_seconds", "Time that putting an item in waited.");
  put_waits(pipeline, metrics, count, true);
  out_metric_family(metrics, "histogram", "callsig_queue_get_wait_seconds", "Time that taking an item out waited.");
  put_waits(pipeline, metrics, count, false);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void put_events(const struct callsig_pipeline *pipeline, struct out_metrics_text *metrics)
{
  const size_t count = at_most(pipeline->events.count);
  for (int seconds = 0; seconds < 2 && count > 0; seconds++) {
    out_metric_family(metrics, "counter", seconds ? "callsig_event_seconds_total" : "callsig_events_total",
                      seconds ? "Time that spans of an event lasted." : "How often an event happened.");
    for (size_t i = 0; i < count; i++) {
      const struct callsig_event_stats *event = base_vector_at(&pipeline->events, (uint32_t)i);
      out_metric_begin(metrics, "");
      out_metric_label(metrics, "event", event->name);
      out_metric_end(metrics, seconds ? event->total_time : (double)event->count);
    }
  }
}

void out_metrics_pipeline(const struct callsig_pipeline *pipeline, struct out_metrics_text *metrics)
{
  const struct {
    const char *kind;
    size_t count;
  } parts[] = {{"stage", pipeline->stages.count}, {"queue", pipeline->queues.count}, {"event", pipeline->events.count}};
  put_stages(pipeline, metrics);
  put_queues(pipeline, metrics);
  put_events(pipeline, metrics);
  out_metric_family(metrics, "gauge", "callsig_left_out", "Stages, queues and events that are too many to be told.");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    out_metric_begin(metrics, "");
    out_metric_label(metrics, "kind", parts[i].kind);
    out_metric_end(metrics, (double)(parts[i].count - at_most(parts[i].count)));
  }
}
