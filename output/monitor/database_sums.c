/* What the database has of a run: the sum of its intervals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/monitor/database_tables.h"
#include "output/pipeline/counters.h"
#include "output/pipeline/function_sums.h"
#include "output/text/message.h"

/* One query's rows. */
struct query {
  struct out_database *database;
  sqlite3_stmt *statement;
  int code;
};

static struct query begin(struct out_database *database, enum out_statement which, uint64_t run)
{
  struct query query = {.database = database, .statement = database->statements[which]};
  sqlite3_reset(query.statement);
  query.code = sqlite3_bind_int64(query.statement, 1, (sqlite3_int64)run);
  return query;
}

static bool next(struct query *query)
{
  if (query->code == SQLITE_OK || query->code == SQLITE_ROW)
    query->code = sqlite3_step(query->statement);
  return query->code == SQLITE_ROW;
}

/* 0, or what went wrong with the query or before. */
static int end(struct query *query, int result)
{
  if (result == 0 && query->code != SQLITE_DONE)
    result = out_database_fail(query->database);
  sqlite3_reset(query->statement);
  return result;
}

static uint64_t integer(const struct query *query, int column)
{
  return (uint64_t)sqlite3_column_int64(query->statement, column);
}

static double real(const struct query *query, int column)
{
  return sqlite3_column_double(query->statement, column);
}

static const char *string(const struct query *query, int column)
{
  const char *text = (const char *)sqlite3_column_text(query->statement, column);
  return text ? text : "";
}

static int histogram(const struct query *query, int column, struct out_histogram *sum)
{
  const void *bytes = sqlite3_column_blob(query->statement, column);
  int result = out_histogram_decode(sum, bytes, bytes ? (size_t)sqlite3_column_bytes(query->statement, column) : 0);
  /* A database that was written to by others: percentiles of what is added then have all of them. */
  return result == -EINVAL ? 0 : result;
}

static const char *copy(struct callsig_pipeline *sums, const char *text)
{
  return base_arena_copy(&sums->strings, text, strlen(text));
}

/* The last element when it has this name, else a new one. Rows come by name. */
static void *element(struct callsig_pipeline *sums, struct base_vector *list, const char *name)
{
  struct out_named_stats *last = list->count ? base_vector_at(list, list->count - 1) : NULL;
  if (last && strcmp(last->name, name) == 0)
    return last;
  struct out_named_stats *added = base_vector_add(list, 1);
  if (added)
    added->name = copy(sums, name);
  return added && added->name ? added : NULL;
}

static int sum_tasks(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_TASKS, run);
  int result = 0;
  while (result == 0 && next(&query)) {
    struct out_stage *stage = element(sums, &sums->stages, string(&query, 0));
    if (!stage) {
      result = -ENOMEM;
      break;
    }
    stage->stats.num_tasks += integer(&query, 1);
    stage->stats.num_failures += integer(&query, 2);
    stage->stats.dropped += integer(&query, 3);
    stage->stats.total_time += real(&query, 4);
    stage->stats.failed_time += real(&query, 5);
    result = histogram(&query, 6, &stage->times);
  }
  return end(&query, result);
}

static int sum_queues(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_QUEUES, run);
  int result = 0;
  while (result == 0 && next(&query)) {
    struct out_queue *queue = element(sums, &sums->queues, string(&query, 0));
    if (!queue) {
      result = -ENOMEM;
      break;
    }
    queue->stats.num_items += integer(&query, 1);
    queue->stats.puts += integer(&query, 2);
    queue->stats.failed += integer(&query, 3);
    queue->stats.elapsed += real(&query, 4);
    queue->stats.put_time += real(&query, 5);
    queue->stats.get_time += real(&query, 6);
    queue->stats.empty_time += real(&query, 7);
    result = histogram(&query, 8, &queue->put);
    if (result == 0)
      result = histogram(&query, 9, &queue->get);
  }
  return end(&query, result);
}

static int sum_events(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_EVENTS, run);
  int result = 0;
  while (result == 0 && next(&query)) {
    struct callsig_event_stats *event = element(sums, &sums->events, string(&query, 0));
    if (!event) {
      result = -ENOMEM;
      break;
    }
    event->count = integer(&query, 1);
    event->total_time = real(&query, 2);
  }
  return end(&query, result);
}

static int sum_functions(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_FUNCTIONS, run);
  int result = 0;
  while (result == 0 && next(&query)) {
    const struct callsig_function_stats row = {.function = string(&query, 0),
                                               .signature = string(&query, 1),
                                               .stage = string(&query, 2),
                                               .ncalls = (int64_t)integer(&query, 3),
                                               .tottime = real(&query, 4),
                                               .cumtime = real(&query, 5)};
    result = out_function_sums_add(sums, &row);
  }
  sums->has_functions = true;
  return end(&query, result);
}

/* Rows of one key and stage may be several. */
static int sum_counters(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_COUNTERS, run);
  int result = 0;
  while (result == 0 && next(&query)) {
    const char *stage = string(&query, 1);
    const struct callsig_counter_stats row = {.key = string(&query, 0),
                                              .stage = *stage ? stage : NULL,
                                              .is_level = strcmp(string(&query, 2), "level") == 0,
                                              .count = integer(&query, 3)};
    result = out_counters_add_sum(sums, &row, integer(&query, 4));
  }
  return end(&query, result);
}

/* Rows of one thread come one behind the other. */
static int sum_counter_threads(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_COUNTER_THREADS, run);
  int result = 0;
  while (result == 0 && next(&query)) {
    const char *stage = string(&query, 1);
    const struct out_counter_thread row = {.stats = {.key = string(&query, 0),
                                                     .stage = *stage ? stage : NULL,
                                                     .is_level = strcmp(string(&query, 2), "level") == 0,
                                                     .tid = (uint32_t)integer(&query, 4),
                                                     .count = integer(&query, 5)},
                                           .amount = integer(&query, 6),
                                           .serial = integer(&query, 3)};
    result = out_counter_threads_add_sum(sums, &row);
  }
  out_counters_sort(sums);
  return end(&query, result);
}

static int sum_intervals(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  struct query query = begin(database, OUT_SQL_SUM_INTERVALS, run);
  while (next(&query)) {
    sums->info.elapsed = real(&query, 0);
    sums->info.end = real(&query, 1);
  }
  return end(&query, 0);
}

static int find_run(struct out_database *database, const struct out_run *which, uint64_t *id, bool *complete)
{
  struct query query = begin(database, OUT_SQL_FIND_RUN, which->start_ns);
  if (query.code == SQLITE_OK)
    query.code = sqlite3_bind_int64(query.statement, 2, which->pid);
  *id = 0;
  while (next(&query)) {
    *id = integer(&query, 0);
    *complete = integer(&query, 1) != 0;
  }
  return end(&query, 0);
}

static int sum_all(struct out_database *database, uint64_t run, struct callsig_pipeline *sums)
{
  int result = sum_intervals(database, run, sums);
  if (result == 0)
    result = sum_tasks(database, run, sums);
  if (result == 0)
    result = sum_queues(database, run, sums);
  if (result == 0)
    result = sum_events(database, run, sums);
  if (result == 0)
    result = sum_counters(database, run, sums);
  if (result == 0)
    result = sum_counter_threads(database, run, sums);
  return result == 0 ? sum_functions(database, run, sums) : result;
}

int out_database_sums(struct out_database *database, const struct out_run *run, struct callsig_pipeline **summed,
                      bool *complete)
{
  uint64_t id;
  *summed = NULL;
  *complete = false;
  int result = find_run(database, run, &id, complete);
  if (result < 0)
    return out_stats_fail(result, "%s: cannot be read: %s", database->path, database->error);
  if (id == 0)
    return 0;
  struct callsig_pipeline *sums = out_pipeline_new();
  if (!sums)
    return -ENOMEM;
  result = sum_all(database, id, sums);
  if (result < 0) {
    callsig_pipeline_free(sums);
    return result == -ENOMEM ? out_stats_no_memory()
                             : out_stats_fail(result, "%s: cannot be read: %s", database->path, database->error);
  }
  *summed = sums;
  return 0;
}
