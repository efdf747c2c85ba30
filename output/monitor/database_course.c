/* Reads a database's runs as series over time. */
#include "output/monitor/database_course.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "output/monitor/counter_rows.h"
#include "output/monitor/database_read.h"
#include "output/monitor/event_spans.h"
#include "output/monitor/joined_point.h"
#include "output/text/message.h"

/* What is of no run has no interval: how long its rows are follows from the row before. */
#define BEFORE           "LAG(timestamp) OVER (PARTITION BY name ORDER BY timestamp, id)"
#define OF_NO_RUN(TABLE) " WHERE id NOT IN (SELECT " #TABLE " FROM " #TABLE "_intervals)"

/* name, how many rows it has, from, until, seconds, tick and histograms, counts, and then what the kind has. */
#define TASKS_OF_NONE(WHERE)                                                                                           \
  "SELECT name, COUNT(*) OVER (PARTITION BY name), " BEFORE ", timestamp, timestamp - " BEFORE ", NULL, NULL, NULL,"   \
  " num_tasks, num_failures, NULL, ave_time, NULL, p90_time, p99_time FROM task_stats" WHERE                           \
  " ORDER BY name, timestamp, id"
#define QUEUES_OF_NONE(WHERE)                                                                                          \
  "SELECT name, COUNT(*) OVER (PARTITION BY name), timestamp - elapsed, timestamp, elapsed, NULL, NULL, NULL,"         \
  " num_items, num_items, occupancy_rate, ave_put_time, ave_get_time, p90_put_time, p99_put_time, p90_get_time,"       \
  " p99_get_time FROM queue_stats" WHERE " ORDER BY name, timestamp, id"
#define EVENTS_OF_NONE(WHERE)                                                                                          \
  "SELECT event_name, timestamp, timestamp, 1, NULL FROM event_stats" WHERE " ORDER BY timestamp, id"

enum source { SPDL, NO_RUN, RUN };
enum table { TASKS, QUEUES, EVENTS };

static const char *const queries[3][3] = {
    [SPDL] = {TASKS_OF_NONE(""), QUEUES_OF_NONE(""), EVENTS_OF_NONE("")},
    [NO_RUN] = {TASKS_OF_NONE(OF_NO_RUN(task)), QUEUES_OF_NONE(OF_NO_RUN(queue)), EVENTS_OF_NONE(OF_NO_RUN(event))},
    [RUN] =
        {
            "SELECT name, COUNT(*) OVER (PARTITION BY name), started, timestamp, intervals.elapsed, tick, histogram,"
            " NULL, num_tasks, num_failures, NULL, ave_time, p50_time, p90_time, p99_time FROM task_stats"
            " JOIN task_intervals ON task = task_stats.id JOIN intervals ON intervals.id = interval WHERE run = ?1"
            " ORDER BY name, task_stats.id",
            "SELECT name, COUNT(*) OVER (PARTITION BY name), started, timestamp, queue_stats.elapsed, tick,"
            " put_histogram, get_histogram, num_items, puts, occupancy_rate, ave_put_time, ave_get_time, p90_put_time,"
            " p99_put_time, p90_get_time, p99_get_time FROM queue_stats JOIN queue_intervals ON queue = queue_stats.id"
            " JOIN intervals ON intervals.id = interval WHERE run = ?1 ORDER BY name, queue_stats.id",
            /* What has the time of its interval's end happened some time in the interval, all else at its own time. */
            "SELECT event_name, CASE timestamp WHEN intervals.ended THEN started ELSE timestamp END,"
            " CASE timestamp WHEN intervals.ended THEN timestamp ELSE timestamp + total_time END, count, total_time"
            " FROM event_stats JOIN event_intervals ON event = event_stats.id"
            " JOIN intervals ON intervals.id = interval WHERE run = ?1 ORDER BY event_stats.id",
        },
};

struct reader {
  sqlite3 *handle;
  uint64_t most; /* points of a series; 0: any number */
  uint64_t only; /* the run that is read; 0: all, and what is of none */
  bool has_runs, has_events, has_counters;
};

static double real(sqlite3_stmt *row, int column)
{
  if (sqlite3_column_type(row, column) == SQLITE_NULL)
    return NAN;
  double value = sqlite3_column_double(row, column);
  return isfinite(value) ? value : NAN;
}

static const char *string(sqlite3_stmt *row, int column)
{
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text ? text : "?";
}

/* False: it is not known when it was. */
static bool read_row(sqlite3_stmt *statement, bool is_queue, struct out_interval_row *row)
{
  *row = (struct out_interval_row){.from = real(statement, 2), .until = real(statement, 3)};
  row->elapsed = real(statement, 4);
  row->tick = real(statement, 5);
  for (int i = 0; i < 2; i++) {
    row->histograms[i] = sqlite3_column_blob(statement, 6 + i);
    row->sizes[i] = row->histograms[i] ? (size_t)sqlite3_column_bytes(statement, 6 + i) : 0;
    row->counts[i] = fmax(0, real(statement, 8 + i));
  }
  row->occupancy = real(statement, 10);
  for (int i = 0; i < OUT_MOST_TIMES; i++)
    row->times[i] = is_queue || i < 4 ? real(statement, 11 + i) : NAN;
  if (!(row->from <= row->until))
    row->from = row->until;
  return !isnan(row->until);
}

/* Rows of one label come one behind the other. */
static int add_rows(struct reader *reader, sqlite3_stmt *statement, bool is_queue, struct out_course *course)
{
  struct out_joined_point joined = {.is_queue = is_queue};
  struct out_series *series = NULL;
  char *label = NULL;
  uint64_t each = 1;
  int result = 0, code = SQLITE_ROW;
  while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    struct out_interval_row row;
    const char *name = string(statement, 0);
    if (!label || strcmp(label, name) != 0) {
      result = series ? out_joined_point_end(&joined, series) : 0;
      const uint64_t rows = (uint64_t)sqlite3_column_int64(statement, 1);
      each = reader->most > 0 ? (rows + reader->most - 1) / reader->most : 1;
      free(label);
      label = strdup(name);
      series = label ? out_course_add(course, name, is_queue ? OUT_SERIES_QUEUE : OUT_SERIES_STAGE) : NULL;
      if (!series)
        result = -ENOMEM;
    }
    if (result < 0)
      break;
    if (!read_row(statement, is_queue, &row)) {
      course->unreadable++;
      continue;
    }
    result = out_joined_point_add(&joined, &row);
    if (result == 0 && joined.rows >= each)
      result = out_joined_point_end(&joined, series);
  }
  if (result == 0 && series)
    result = out_joined_point_end(&joined, series);
  out_joined_point_free(&joined);
  free(label);
  return result < 0 || code == SQLITE_DONE ? result : -EIO;
}

static int add_events(sqlite3_stmt *statement, struct out_course *course)
{
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const double from = real(statement, 1), until = real(statement, 2);
    const char *name = out_course_string(course, string(statement, 0));
    if (!name)
      return -ENOMEM;
    if (isnan(until)) {
      course->unreadable++;
      continue;
    }
    struct out_band *band = base_vector_add(&course->bands, 1);
    if (!band)
      return -ENOMEM;
    *band = (struct out_band){.name = name, .until = until, .total_time = real(statement, 4)};
    band->from = from <= until ? from : until;
    band->count = (uint64_t)fmax(1, fmin(1e15, real(statement, 3)));
  }
  return code == SQLITE_DONE ? 0 : -EIO;
}

static int add_table(struct reader *reader, enum source source, enum table table, struct out_run_course *run)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(reader->handle, queries[source][table], -1, &statement, NULL) != SQLITE_OK)
    return -EIO;
  int result = 0;
  if (source == RUN && sqlite3_bind_int64(statement, 1, (sqlite3_int64)run->run) != SQLITE_OK)
    result = -EIO;
  if (result == 0)
    result = table == EVENTS ? add_events(statement, &run->course)
                             : add_rows(reader, statement, table == QUEUES, &run->course);
  sqlite3_finalize(statement);
  return result;
}

static int fill(struct reader *reader, enum source source, struct out_run_course *run)
{
  int result = 0;
  const enum table last = reader->has_events ? EVENTS : QUEUES;
  for (enum table table = TASKS; table <= last && result == 0; table++)
    result = add_table(reader, source, table, run);
  if (result == 0)
    result = out_event_spans(&run->course);
  if (result == 0 && source == RUN && reader->has_counters)
    result = out_counter_rows(reader->handle, run->run, reader->most, &run->course);
  if (result == 0)
    out_course_finish(&run->course);
  return result;
}

static struct out_run_course *add_run(struct base_vector *runs)
{
  struct out_run_course *run = base_vector_add(runs, 1);
  if (run)
    *run = (struct out_run_course){.course = out_course_new(), .program = ""};
  return run;
}

static int add_runs(struct reader *reader, struct base_vector *runs)
{
  sqlite3_stmt *statement;
  int result = 0;
  if (sqlite3_prepare_v2(reader->handle, "SELECT id, pid, start_ns, program FROM runs WHERE ?1 IN (0, id) ORDER BY id",
                         -1, &statement, NULL) != SQLITE_OK)
    return -EIO;
  sqlite3_bind_int64(statement, 1, (sqlite3_int64)reader->only);
  while (result == 0 && sqlite3_step(statement) == SQLITE_ROW) {
    struct out_run_course *run = add_run(runs);
    if (!run) {
      result = -ENOMEM;
      break;
    }
    run->is_run = true;
    run->run = (uint64_t)sqlite3_column_int64(statement, 0);
    run->pid = (uint64_t)sqlite3_column_int64(statement, 1);
    run->start_ns = (uint64_t)sqlite3_column_int64(statement, 2);
    run->program = out_course_string(&run->course, string(statement, 3));
    result = run->program ? fill(reader, RUN, run) : -ENOMEM;
  }
  if (sqlite3_finalize(statement) != SQLITE_OK && result == 0)
    result = -EIO;
  return result;
}

/* What no run is told of: in a database of SPDL's everything. */
static int add_rest(struct reader *reader, struct base_vector *runs)
{
  struct out_run_course *rest = add_run(runs);
  if (!rest)
    return -ENOMEM;
  int result = fill(reader, reader->has_runs ? NO_RUN : SPDL, rest);
  if (result == 0 && reader->has_runs && rest->course.series.count + rest->course.bands.count == 0) {
    out_course_free(&rest->course);
    runs->count--;
  }
  return result;
}

/* One reading of all tables, while others may be writing. */
static int read_all(struct reader *reader, struct base_vector *runs)
{
  if (sqlite3_exec(reader->handle, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
    return -EIO;
  int result = out_database_has_table(reader->handle, "runs", &reader->has_runs);
  /* A program that has no events need not have a table of them. */
  if (result == 0)
    result = out_database_has_table(reader->handle, "event_stats", &reader->has_events);
  if (result == 0)
    result = out_database_has_table(reader->handle, "counter_stats", &reader->has_counters);
  if (result == 0 && reader->has_runs)
    result = add_runs(reader, runs);
  return result == 0 && reader->only == 0 ? add_rest(reader, runs) : result;
}

int out_database_courses(const char *path, uint64_t run, uint64_t most, struct base_vector *runs)
{
  struct reader reader = {.most = most, .only = run};
  *runs = (struct base_vector)BASE_VECTOR_OF(struct out_run_course);
  int result = out_database_open_to_read(path, &reader.handle);
  if (result == 0)
    result = out_database_choose_run(reader.handle, path, &reader.only);
  if (result == 0) {
    result = read_all(&reader, runs);
    if (result == -ENOMEM)
      out_stats_no_memory();
    else if (result < 0)
      out_database_tell_unreadable(reader.handle, path);
  }
  sqlite3_close(reader.handle);
  return result;
}

void out_run_courses_free(struct base_vector *runs)
{
  for (uint32_t i = 0; i < runs->count; i++)
    out_course_free(&((struct out_run_course *)base_vector_at(runs, i))->course);
  base_vector_free(runs);
}
