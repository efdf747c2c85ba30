/* Reads the rows of counters and levels as series over time. */
#include "output/monitor/counter_rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char query[] =
    "SELECT key, stage, kind, COUNT(*) OVER (PARTITION BY key, stage, kind), started, ended, count, amount, value"
    " FROM counter_stats JOIN intervals ON intervals.id = interval WHERE run = ?1"
    " ORDER BY key, stage, kind, counter_stats.id";

/* Neighbours that become one point. */
struct joined {
  uint64_t rows;
  double from, until, count, amount, last;
};

static const char *string(sqlite3_stmt *row, int column)
{
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text ? text : "";
}

static int end_point(struct joined *joined, struct out_series *series)
{
  struct out_point *point = joined->rows > 0 ? base_vector_add(&series->points, 1) : NULL;
  if (joined->rows == 0)
    return 0;
  if (!point)
    return -ENOMEM;
  *point = (struct out_point){.from = joined->from, .until = fmax(joined->from, joined->until)};
  for (unsigned i = 0; i < OUT_MEASURES; i++)
    point->values[i] = NAN;
  point->values[OUT_COUNTER_COUNT] = joined->count;
  if (series->kind == OUT_SERIES_LEVEL) {
    point->values[OUT_COUNTER_MEAN] = joined->count > 0 ? joined->amount / joined->count : NAN;
    point->values[OUT_COUNTER_LAST] = joined->last;
  } else {
    point->values[OUT_COUNTER_AMOUNT] = joined->amount;
    if (point->until > point->from)
      point->values[OUT_COUNTER_RATE] = joined->amount / (point->until - point->from);
  }
  series->intervals += joined->rows;
  *joined = (struct joined){0};
  return 0;
}

static void join(struct joined *joined, sqlite3_stmt *row)
{
  if (joined->rows++ == 0)
    joined->from = sqlite3_column_double(row, 4);
  joined->until = sqlite3_column_double(row, 5);
  joined->count += (double)(uint64_t)sqlite3_column_int64(row, 6);
  joined->amount += (double)sqlite3_column_int64(row, 7);
  joined->last = sqlite3_column_double(row, 8);
}

/* Rows of one key and stage come one behind the other. */
static int add_all(sqlite3_stmt *statement, uint64_t most, struct out_course *course)
{
  struct joined joined = {0};
  struct out_series *series = NULL;
  char *known = NULL;
  uint64_t each = 1;
  int result = 0, code = SQLITE_ROW;
  while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    char *name = sqlite3_mprintf("%s%c%s%c%s", string(statement, 0), 1, string(statement, 1), 1, string(statement, 2));
    if (!name || !known || strcmp(known, name) != 0) {
      result = series ? end_point(&joined, series) : 0;
      const uint64_t rows = (uint64_t)sqlite3_column_int64(statement, 3);
      each = most > 0 ? (rows + most - 1) / most : 1;
      series = name ? out_course_add_counter(course, string(statement, 0), string(statement, 1),
                                             strcmp(string(statement, 2), "level") == 0)
                    : NULL;
      if (!series)
        result = -ENOMEM;
    }
    sqlite3_free(known);
    known = name;
    if (result == 0)
      join(&joined, statement);
    if (result == 0 && joined.rows >= each)
      result = end_point(&joined, series);
  }
  if (result == 0 && series)
    result = end_point(&joined, series);
  sqlite3_free(known);
  return result < 0 || code == SQLITE_DONE ? result : -EIO;
}

int out_counter_rows(sqlite3 *handle, uint64_t run, uint64_t most, struct out_course *course)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(handle, query, -1, &statement, NULL) != SQLITE_OK)
    return -EIO;
  int result = sqlite3_bind_int64(statement, 1, (sqlite3_int64)run) == SQLITE_OK ? 0 : -EIO;
  if (result == 0)
    result = add_all(statement, most, course);
  sqlite3_finalize(statement);
  return result;
}
