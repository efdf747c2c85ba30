/* Chooses the charts of a picture, and what is said beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot/picture.h"

static int compare(const void *key, const void *element)
{
  const struct out_node *node = key;
  const struct out_series *series = element;
  if (node->pipeline != series->pipeline)
    return node->pipeline < series->pipeline ? -1 : 1;
  if (node->index != series->index)
    return node->index < series->index ? -1 : 1;
  if (node->kind != series->kind)
    return node->kind < series->kind ? -1 : 1;
  return strcmp(node->label, series->label);
}

/* Counters come in each course in an order of their own. */
static const struct out_series *find_counter(const struct out_course *course, const struct out_node *node)
{
  for (uint32_t i = 0; i < course->series.count; i++) {
    const struct out_series *series = base_vector_at(&course->series, i);
    if (series->kind == node->kind && strcmp(series->label, node->label) == 0)
      return series;
  }
  return NULL;
}

static const struct out_series *find(const struct out_course *course, const struct out_node *node)
{
  return course->series.count == 0
             ? NULL
             : bsearch(node, course->series.data, course->series.count, sizeof(struct out_series), compare);
}

typedef const struct out_series *find_fn(const struct out_course *course, const struct out_node *node);

static void chart(struct out_chart *chart, const struct out_node *node, const char *title, enum out_measure_unit unit)
{
  *chart = (struct out_chart){.title = title, .label = node->label, .kind = node->kind, .unit = unit};
}

static void line(struct out_chart *chart, const struct out_series *series, unsigned measure, const char *name)
{
  chart->lines[chart->count++] =
      (struct out_chart_line){.series = series, .measure = measure, .name = name, .source = "intervals"};
}

/* The mean and two percentiles of a time. */
static void time_lines(struct out_chart *target, const struct out_series *series, unsigned mean, unsigned p90,
                       unsigned p99)
{
  line(target, series, mean, "mean");
  line(target, series, p90, "p90");
  line(target, series, p99, "p99");
}

/* What intervals tell comes before what slots do. */
static void stage_charts(const struct out_node *node, const struct out_series *intervals,
                         const struct out_series *slots, struct out_chart charts[OUT_NODE_CHARTS])
{
  const struct out_series *either = intervals ? intervals : slots;
  chart(&charts[0], node, "tasks/s", OUT_UNIT_COUNT);
  line(&charts[0], either, OUT_STAGE_RATE, "tasks/s");
  chart(&charts[1], node, "shares of time, of tasks", OUT_UNIT_SHARE);
  line(&charts[1], slots, OUT_STAGE_BUSY_SHARE, "works");
  line(&charts[1], intervals, OUT_STAGE_FAILURE_RATE, "failed");
  chart(&charts[2], node, "time of a task", OUT_UNIT_SECONDS);
  time_lines(&charts[2], intervals, OUT_STAGE_AVE, OUT_STAGE_P90, OUT_STAGE_P99);
  chart(&charts[3], node, "tasks in each interval", OUT_UNIT_COUNT);
  line(&charts[3], either, OUT_STAGE_TASKS, "tasks");
  line(&charts[3], intervals, OUT_STAGE_FAILED, "failed");
  charts[1].lines[0].source = "over_time";
  if (!intervals)
    charts[0].lines[0].source = charts[3].lines[0].source = "over_time";
}

static void queue_charts(const struct out_node *node, const struct out_series *intervals,
                         struct out_chart charts[OUT_NODE_CHARTS])
{
  chart(&charts[0], node, "items/s", OUT_UNIT_COUNT);
  line(&charts[0], intervals, OUT_QUEUE_QPS, "items/s");
  chart(&charts[1], node, "occupied", OUT_UNIT_SHARE);
  line(&charts[1], intervals, OUT_QUEUE_OCCUPANCY, "occupied");
  chart(&charts[2], node, "wait to put", OUT_UNIT_SECONDS);
  time_lines(&charts[2], intervals, OUT_QUEUE_AVE_PUT, OUT_QUEUE_P90_PUT, OUT_QUEUE_P99_PUT);
  chart(&charts[3], node, "wait to get", OUT_UNIT_SECONDS);
  time_lines(&charts[3], intervals, OUT_QUEUE_AVE_GET, OUT_QUEUE_P90_GET, OUT_QUEUE_P99_GET);
}

static void counter_charts(const struct out_node *node, const struct out_series *intervals,
                           const struct out_series *slots, struct out_chart charts[OUT_NODE_CHARTS])
{
  const struct out_series *either = intervals ? intervals : slots;
  const bool is_level = node->kind == OUT_SERIES_LEVEL;
  chart(&charts[0], node, is_level ? "value" : "added a second", OUT_UNIT_COUNT);
  line(&charts[0], either, is_level ? (unsigned)OUT_COUNTER_MEAN : (unsigned)OUT_COUNTER_RATE,
       is_level ? "mean" : "rate");
  if (is_level)
    line(&charts[0], either, OUT_COUNTER_LAST, "last");
  chart(&charts[1], node, is_level ? "times it was set" : "calls that added", OUT_UNIT_COUNT);
  line(&charts[1], either, OUT_COUNTER_COUNT, "calls");
  for (unsigned i = 0; !intervals && i < 2; i++)
    for (unsigned j = 0; j < charts[i].count; j++)
      charts[i].lines[j].source = "over_time";
}

bool out_picture_charts(const struct out_picture *picture, const struct out_node *node,
                        struct out_chart charts[OUT_NODE_CHARTS])
{
  const bool is_counter = node->kind == OUT_SERIES_COUNTER || node->kind == OUT_SERIES_LEVEL;
  find_fn *find_series = is_counter ? find_counter : find;
  const struct out_series *intervals = picture->has_run ? find_series(&picture->run.course, node) : NULL;
  for (unsigned i = 0; i < OUT_NODE_CHARTS; i++)
    charts[i].count = 0;
  if (out_node_is_queue(node))
    queue_charts(node, intervals, charts);
  else if (is_counter)
    counter_charts(node, intervals, find_counter(&picture->slots, node), charts);
  else
    stage_charts(node, intervals, find(&picture->slots, node), charts);
  for (unsigned i = 0; i < OUT_NODE_CHARTS; i++)
    if (out_chart_is_filled(&charts[i]))
      return true;
  return false;
}

struct out_chart_time out_picture_time(const struct out_picture *picture, unsigned number)
{
  return (struct out_chart_time){.start = picture->start,
                                 .end = picture->end,
                                 .events = picture->has_run ? &picture->run.course : NULL,
                                 .number = number};
}

/* How many neighbours a point stands for, at most. */
static double joined_by(const struct out_course *course)
{
  double most = 1;
  for (uint32_t i = 0; i < course->series.count; i++) {
    const struct out_series *series = base_vector_at(&course->series, i);
    if (series->points.count > 0)
      most = fmax(most, ceil((double)series->intervals / series->points.count));
  }
  return most;
}

void out_picture_put_notes(const struct out_picture *picture, struct out_text *text)
{
  const struct out_course *course = &picture->run.course;
  if (picture->has_run && joined_by(course) > 1)
    out_text_printf(text,
                    "Downsampled: a point stands for up to %.0f intervals. Counts are their sums, means are weighted, "
                    "percentiles are of all their tasks where the database has histograms, else the largest of them.\n",
                    joined_by(course));
  if (picture->has_run && course->unreadable > 0)
    out_text_printf(text, "%llu rows of the database have no time, and are left out.\n",
                    (unsigned long long)course->unreadable);
  if (picture->has_run && course->series.count + course->bands.count == 0)
    out_text_puts(text, "There are no intervals of it in the database.\n");
  if (!picture->has_run)
    out_text_puts(text,
                  "A recording tells over time how many tasks ended and how busy stages were. Queues, failures and "
                  "times over time are in the database of callsig run --db: name it, too.\n");
  if (!picture->pipeline)
    out_text_puts(text,
                  "A database has no verdict, and does not tell how busy stages were: name the recording, too.\n");
  if (picture->pipeline && picture->slots.series.count == 0 && picture->pipeline->stages.count > 0)
    out_text_puts(text, "The recording does not tell when stages worked: it is of the CPU clock, or of a schedule.\n");
  if (picture->pipeline && picture->pipeline->info.unreadable > 0)
    out_text_printf(text, "%llu records could not be read: the recording is damaged, or was being written.\n",
                    (unsigned long long)picture->pipeline->info.unreadable);
}

void out_picture_put_heading(const struct out_picture *picture, struct out_text *text)
{
  const bool by_run = !picture->pipeline;
  out_text_puts(text, picture->source);
  if (*picture->program)
    out_text_printf(text, ": %s", picture->program);
  if (!by_run || picture->run.is_run)
    out_text_printf(text, " (%llu)",
                    by_run ? (unsigned long long)picture->run.pid : (unsigned long long)picture->pipeline->info.pid);
  if (picture->end > picture->start) {
    out_text_puts(text, ", ");
    out_text_decimals(text, picture->end - picture->start, 0, 2);
    out_text_puts(text, " s");
  }
}
