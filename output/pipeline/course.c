/* What each stage and queue did over time: made, put in order, and written as JSON. */
#include "output/pipeline/course.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct out_course out_course_new(void)
{
  return (struct out_course){.series = BASE_VECTOR_OF(struct out_series), .bands = BASE_VECTOR_OF(struct out_band)};
}

void out_course_free(struct out_course *course)
{
  for (uint32_t i = 0; i < course->series.count; i++)
    base_vector_free(&((struct out_series *)base_vector_at(&course->series, i))->points);
  base_vector_free(&course->series);
  base_vector_free(&course->bands);
  base_arena_free(&course->strings);
}

const char *out_course_string(struct out_course *course, const char *text)
{
  struct out_text printable = {0};
  out_text_printable(&printable, text, strlen(text));
  const char *copy =
      printable.failed ? NULL : base_arena_copy(&course->strings, out_text_string(&printable), printable.length);
  out_text_free(&printable);
  return copy;
}

/* A number and the colon behind it. NULL when there is none. */
static const char *read_number(const char *text, unsigned *number)
{
  char *end;
  if (*text < '0' || *text > '9')
    return NULL;
  unsigned long value = strtoul(text, &end, 10);
  *number = (unsigned)value;
  return value <= UINT32_MAX && *end == ':' ? end + 1 : NULL;
}

/* A label that is not as callsig's and SPDL's stands behind those that are, in the order in which they came. */
static int read_label(struct out_course *course, struct out_series *series)
{
  unsigned pipeline = 0, index = 0;
  const char *at = read_number(series->label, &pipeline);
  at = at ? read_number(at, &index) : NULL;
  series->concurrency = 1;
  series->name = series->label;
  series->pipeline = at ? pipeline : UINT32_MAX;
  series->index = at ? index : course->series.count;
  if (!at)
    return 0;
  const char *bracket = strrchr(at, '[');
  size_t length = strlen(at);
  char *end = NULL;
  unsigned long concurrency = bracket ? strtoul(bracket + 1, &end, 10) : 0;
  if (concurrency > 0 && concurrency <= UINT32_MAX && strcmp(end, "]") == 0) {
    series->concurrency = (unsigned)concurrency;
    length = (size_t)(bracket - at);
  }
  series->name = base_arena_copy(&course->strings, at, length);
  return series->name ? 0 : -ENOMEM;
}

struct out_series *out_course_add(struct out_course *course, const char *label, enum out_series_kind kind)
{
  struct out_series *series = base_vector_add(&course->series, 1);
  if (!series)
    return NULL;
  *series = (struct out_series){.kind = kind, .points = BASE_VECTOR_OF(struct out_point)};
  series->label = out_course_string(course, label);
  return series->label && read_label(course, series) == 0 ? series : NULL;
}

struct out_series *out_course_add_counter(struct out_course *course, const char *key, const char *stage, bool is_level)
{
  struct out_series *series = base_vector_add(&course->series, 1);
  struct out_text label = {0};
  if (!series)
    return NULL;
  *series = (struct out_series){.kind = is_level ? OUT_SERIES_LEVEL : OUT_SERIES_COUNTER,
                                .pipeline = UINT32_MAX,
                                .index = course->series.count,
                                .concurrency = 1,
                                .points = BASE_VECTOR_OF(struct out_point)};
  out_text_puts(&label, key);
  if (stage && *stage)
    out_text_printf(&label, " in %s", stage);
  series->label = label.failed ? NULL : out_course_string(course, out_text_string(&label));
  series->name = out_course_string(course, key);
  out_text_free(&label);
  return series->label && series->name ? series : NULL;
}

static int compare_series(const void *one, const void *other)
{
  const struct out_series *a = one, *b = other;
  if (a->pipeline != b->pipeline)
    return a->pipeline < b->pipeline ? -1 : 1;
  if (a->index != b->index)
    return a->index < b->index ? -1 : 1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  return strcmp(a->label, b->label);
}

static int compare_bands(const void *one, const void *other)
{
  const struct out_band *a = one, *b = other;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  return strcmp(a->name, b->name);
}

static void cover(struct out_course *course, bool *any, double from, double until)
{
  course->start = *any ? fmin(course->start, from) : from;
  course->end = *any ? fmax(course->end, until) : until;
  *any = true;
}

void out_course_finish(struct out_course *course)
{
  bool any = false;
  if (course->series.count > 0)
    qsort(course->series.data, course->series.count, sizeof(struct out_series), compare_series);
  if (course->bands.count > 0)
    qsort(course->bands.data, course->bands.count, sizeof(struct out_band), compare_bands);
  for (uint32_t i = 0; i < course->series.count; i++) {
    const struct out_series *series = base_vector_at(&course->series, i);
    for (uint32_t j = 0; j < series->points.count; j++) {
      const struct out_point *point = base_vector_at(&series->points, j);
      cover(course, &any, point->from, point->until);
    }
  }
  for (uint32_t i = 0; i < course->bands.count; i++) {
    const struct out_band *band = base_vector_at(&course->bands, i);
    cover(course, &any, band->from, band->until);
  }
}

const char *out_series_kind_name(enum out_series_kind kind)
{
  static const char *const names[] = {"stage", "queue", "counter", "level"};
  return names[kind];
}

const char *out_measure_name(enum out_series_kind kind, unsigned measure)
{
  static const char *const names[][OUT_MEASURES] = {
      {"num_tasks", "num_failures", "tasks_per_second", "failure_rate", "ave_time", "p50_time", "p90_time", "p99_time",
       "busy"},
      {"num_items", "qps", "occupancy_rate", "ave_put_time", "p90_put_time", "p99_put_time", "ave_get_time",
       "p90_get_time", "p99_get_time"},
      {[OUT_COUNTER_COUNT] = "count", [OUT_COUNTER_AMOUNT] = "amount", [OUT_COUNTER_RATE] = "per_second"},
      {[OUT_COUNTER_COUNT] = "count", [OUT_COUNTER_MEAN] = "mean", [OUT_COUNTER_LAST] = "last"},
  };
  return names[kind][measure];
}

static void write_times(struct out_json *json, const char *key, const struct out_series *series, bool until)
{
  out_json_key(json, key);
  out_json_open_array(json);
  for (uint32_t i = 0; i < series->points.count; i++) {
    const struct out_point *point = base_vector_at(&series->points, i);
    out_json_number(json, until ? point->until : point->from, false);
  }
  out_json_close_array(json);
}

static void write_series(struct out_json *json, const struct out_series *series)
{
  out_json_open_map(json);
  out_json_key_string(json, "label", series->label);
  out_json_key_string(json, "kind", out_series_kind_name(series->kind));
  out_json_key_integer(json, "intervals", series->intervals);
  write_times(json, "from", series, false);
  write_times(json, "until", series, true);
  for (unsigned i = 0; i < OUT_MEASURES; i++) {
    if (!out_measure_name(series->kind, i))
      continue;
    out_json_key(json, out_measure_name(series->kind, i));
    out_json_open_array(json);
    for (uint32_t j = 0; j < series->points.count; j++)
      out_json_number(json, ((const struct out_point *)base_vector_at(&series->points, j))->values[i], false);
    out_json_close_array(json);
  }
  out_json_close_map(json);
}

void out_course_write_json(struct out_json *json, const struct out_course *course)
{
  out_json_key(json, "series");
  out_json_open_array(json);
  for (uint32_t i = 0; i < course->series.count; i++)
    write_series(json, base_vector_at(&course->series, i));
  out_json_close_array(json);
  out_json_key(json, "events");
  out_json_open_array(json);
  for (uint32_t i = 0; i < course->bands.count; i++) {
    const struct out_band *band = base_vector_at(&course->bands, i);
    out_json_open_map(json);
    out_json_key_string(json, "name", band->name);
    out_json_key_number(json, "from", band->from);
    out_json_key_number(json, "until", band->until);
    out_json_key_integer(json, "count", band->count);
    out_json_key_number(json, "total_time", band->total_time);
    out_json_close_map(json);
  }
  out_json_close_array(json);
}
