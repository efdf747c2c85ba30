/* SPDL's summary of a database: of callsig's, or of one that SPDL wrote. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "output/pipeline/pipeline.h"
#include "output/pipeline/pipeline_text.h"
#include "output/stats/columns.h"
#include "output/text/message.h"

/* Means weighted by what each row counts; the rate is the sum of items over the sum of time. */
static const char tasks_query[] =
    "SELECT name, SUM(num_tasks), SUM(num_failures), SUM(ave_time * num_tasks) / SUM(num_tasks), COUNT(*)"
    " FROM task_stats GROUP BY name ORDER BY MIN(id)";
static const char queues_query[] =
    "SELECT name, SUM(num_items), SUM(num_items) / SUM(elapsed), SUM(ave_put_time * num_items) / SUM(num_items),"
    " SUM(ave_get_time * num_items) / SUM(num_items), SUM(occupancy_rate * num_items) / SUM(num_items), COUNT(*)"
    " FROM queue_stats GROUP BY name ORDER BY MIN(id)";

/* A name out of somebody's database, as it may be printed. */
static void put_name(struct out_text *text, const char *before, sqlite3_stmt *row)
{
  const char *name = (const char *)sqlite3_column_text(row, 0);
  out_text_puts(text, before);
  out_text_printable(text, name ? name : "?", name ? strlen(name) : 1);
  out_text_putc(text, '\n');
}

static void put_tasks(struct out_text *text, sqlite3_stmt *row)
{
  sqlite3_int64 tasks = sqlite3_column_int64(row, 1), failures = sqlite3_column_int64(row, 2);
  put_name(text, "\n  Stage: ", row);
  out_text_printf(text, "    Total tasks processed: %lld\n    Total failures: %lld\n", tasks, failures);
  out_put_number(text, "    Average task time: ", sqlite3_column_double(row, 3), 4, "s\n");
  if (tasks > 0)
    out_put_percent(text, "    Success rate: ", (double)(tasks - failures) / (double)tasks, "\n");
  else
    out_text_puts(text, "    Success rate: unknown\n");
  out_text_printf(text, "    Number of log entries: %lld\n", sqlite3_column_int64(row, 4));
}

static void put_queue(struct out_text *text, sqlite3_stmt *row)
{
  put_name(text, "\n  Queue: ", row);
  out_text_printf(text, "    Total items processed: %lld\n", sqlite3_column_int64(row, 1));
  out_put_number(text, "    Average QPS: ", sqlite3_column_double(row, 2), 2, "\n");
  out_put_number(text, "    Average put time: ", sqlite3_column_double(row, 3), 4, "s\n");
  out_put_number(text, "    Average get time: ", sqlite3_column_double(row, 4), 4, "s\n");
  out_put_percent(text, "    Average occupancy rate: ", sqlite3_column_double(row, 5), "\n");
  out_text_printf(text, "    Number of log entries: %lld\n", sqlite3_column_int64(row, 6));
}

static int put_rows(sqlite3 *handle, const char *query, void (*put)(struct out_text *text, sqlite3_stmt *row),
                    struct out_text *text)
{
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(handle, query, -1, &statement, NULL);
  if (code != SQLITE_OK)
    return -EIO;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW)
    put(text, statement);
  return sqlite3_finalize(statement) == SQLITE_OK && code == SQLITE_DONE ? 0 : -EIO;
}

int callsig_monitor_print(const char *database, FILE *out)
{
  enum { BUSY_MS = 2000 };
  sqlite3 *handle = NULL;
  struct out_text text = {0};
  int result = sqlite3_open_v2(database, &handle, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK ? 0 : -EIO;
  if (result == 0) {
    sqlite3_busy_timeout(handle, BUSY_MS);
    out_put_heading(&text);
    result = put_rows(handle, tasks_query, put_tasks, &text);
  }
  if (result == 0) {
    out_put_queue_heading(&text);
    result = put_rows(handle, queues_query, put_queue, &text);
  }
  if (result < 0) {
    out_stats_message("%s: cannot be read as a database of intervals: %s", database,
                      handle ? sqlite3_errmsg(handle) : "out of memory");
    out_text_free(&text);
  }
  sqlite3_close(handle);
  return result < 0 ? result : out_pipeline_write(&text, out);
}
