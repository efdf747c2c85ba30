/* SPDL's summary of a database: of callsig's, or of one that SPDL wrote. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "output/monitor/database_read.h"
#include "output/pipeline/pipeline.h"
#include "output/pipeline/pipeline_text.h"

/* Means are sums over counts; of rows that SPDL wrote, which have no sums, weighted by what the row counts, as SPDL's
 * are. The rate is the sum of items over the sum of time. ?1: a run, 0 for all rows. */
#define OF_RUN(TABLE)                                                                                                  \
  " WHERE ?1 = 0 OR id IN (SELECT " TABLE " FROM " TABLE "_intervals JOIN intervals ON intervals.id = interval"        \
  " WHERE run = ?1)"
#define GROUPED " GROUP BY name ORDER BY MIN(id)"
static const char spdl_tasks[] =
    "SELECT name, SUM(num_tasks), SUM(num_failures), SUM(ave_time * num_tasks) / SUM(num_tasks), COUNT(*)"
    " FROM task_stats" GROUPED;
static const char spdl_queues[] =
    "SELECT name, SUM(num_items), SUM(num_items) / SUM(elapsed), SUM(ave_put_time * num_items) / SUM(num_items),"
    " SUM(ave_get_time * num_items) / SUM(num_items), SUM(occupancy_rate * num_items) / SUM(num_items), COUNT(*)"
    " FROM queue_stats" GROUPED;
static const char tasks_query[] =
    "SELECT name, SUM(num_tasks), SUM(num_failures), SUM(IFNULL(total_time, ave_time * num_tasks)) /"
    " NULLIF(SUM(num_tasks - IIF(total_time IS NULL, 0, num_failures)), 0), COUNT(*)"
    " FROM task_stats LEFT JOIN task_intervals ON task = id" OF_RUN("task") GROUPED;
static const char queues_query[] =
    "SELECT name, SUM(num_items), SUM(num_items) / SUM(elapsed),"
    " SUM(IFNULL(put_time, ave_put_time * num_items)) / NULLIF(SUM(IFNULL(puts, num_items)), 0),"
    " SUM(IFNULL(get_time, ave_get_time * num_items)) / NULLIF(SUM(num_items), 0),"
    " 1 - SUM(IFNULL(empty_time, elapsed * (1 - occupancy_rate))) / SUM(elapsed), COUNT(*)"
    " FROM queue_stats LEFT JOIN queue_intervals ON queue = id" OF_RUN("queue") GROUPED;
/* A bare column beside MAX() is that of its row. */
static const char counters_query[] =
    "SELECT key, kind, stage, SUM(count), TOTAL(amount), value, MAX(counter_stats.id) FROM counter_stats"
    " JOIN intervals ON intervals.id = interval WHERE ?1 = 0 OR run = ?1 GROUP BY key, kind, stage"
    " ORDER BY key, kind, stage";
/* Of processes that others monitored too, their own run tells nothing new. Another process may have had their parent's
 * pid before or after it. */
static const char group_query[] =
    "SELECT name, group_stats.pid, MAX(processes), MAX(threads), SUM(user_time + system_time), MAX(resident_bytes),"
    " MAX(pss_bytes), MAX(private_bytes), SUM(read_bytes), SUM(written_bytes), SUM(received_bytes), SUM(sent_bytes), "
    "run"
    " FROM group_stats JOIN intervals ON intervals.id = group_stats.interval JOIN runs ON runs.id = run"
    " WHERE CASE ?1 WHEN 0 THEN NOT EXISTS (SELECT 1 FROM runs AS parent WHERE parent.pid = runs.ppid"
    " AND parent.host = runs.host AND parent.started <= IFNULL(runs.ended, parent.started)"
    " AND runs.started <= IFNULL(parent.ended, runs.started)) ELSE run = ?1 END"
    " GROUP BY run, group_stats.pid ORDER BY run, group_stats.pid IS NULL, group_stats.pid";

/* A name out of somebody's database, as it may be printed. */
static void put_name(struct out_text *text, const char *before, sqlite3_stmt *row)
{
  const char *name = (const char *)sqlite3_column_text(row, 0);
  out_text_puts(text, before);
  out_text_printable(text, name ? name : "?", name ? strlen(name) : 1);
  out_text_putc(text, '\n');
}

static void put_mean(struct out_text *text, const char *what, sqlite3_stmt *row, int column)
{
  out_put_mean(text, what, sqlite3_column_type(row, column) != SQLITE_NULL, sqlite3_column_double(row, column));
}

static void put_tasks(struct out_text *text, sqlite3_stmt *row)
{
  sqlite3_int64 tasks = sqlite3_column_int64(row, 1), failures = sqlite3_column_int64(row, 2);
  put_name(text, "\n  Stage: ", row);
  out_text_printf(text, "    Total tasks processed: %lld\n    Total failures: %lld\n", tasks, failures);
  put_mean(text, "Average task time", row, 3);
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
  put_mean(text, "Average put time", row, 3);
  put_mean(text, "Average get time", row, 4);
  out_put_percent(text, "    Average occupancy rate: ", sqlite3_column_double(row, 5), "\n");
  out_text_printf(text, "    Number of log entries: %lld\n", sqlite3_column_int64(row, 6));
}

static void put_counter(struct out_text *text, sqlite3_stmt *row)
{
  const char *kind = (const char *)sqlite3_column_text(row, 1), *stage = (const char *)sqlite3_column_text(row, 2);
  const bool is_level = kind && strcmp(kind, "level") == 0;
  const sqlite3_int64 count = sqlite3_column_int64(row, 3);
  const double amount = sqlite3_column_double(row, 4);
  put_name(text, is_level ? "\n  Level: " : "\n  Counter: ", row);
  out_text_puts(text, "    ");
  out_text_printable(text, stage && *stage ? stage : "outside of stages",
                     strlen(stage && *stage ? stage : "outside of stages"));
  if (is_level) {
    out_text_printf(text, ": %lld, set %lld times", sqlite3_column_int64(row, 5), count);
    out_put_number(text, ", mean ", count > 0 ? amount / (double)count : 0, 2, "\n");
  } else {
    out_put_number(text, ": ", amount, 0, "");
    out_text_printf(text, " in %lld calls\n", count);
  }
}

/* Bytes as MiB; nothing where they are not known. */
static void put_bytes(struct out_text *text, const char *what, sqlite3_stmt *row, int column)
{
  if (sqlite3_column_type(row, column) == SQLITE_NULL)
    return;
  out_text_printf(text, ", %s ", what);
  out_put_number(text, "", sqlite3_column_double(row, column) / 1048576, 1, " MiB");
}

static void put_member(struct out_text *text, sqlite3_stmt *row)
{
  const bool is_group = sqlite3_column_type(row, 1) == SQLITE_NULL;
  const char *name = (const char *)sqlite3_column_text(row, 0);
  if (is_group)
    out_text_printf(text, "\n  The group of run %lld: at most %lld processes and %lld threads",
                    sqlite3_column_int64(row, 12), sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3));
  else {
    out_text_printf(text, "\n  Process %lld (", sqlite3_column_int64(row, 1));
    out_text_printable(text, name ? name : "?", name ? strlen(name) : 1);
    out_text_printf(text, "): at most %lld threads", sqlite3_column_int64(row, 3));
  }
  out_put_number(text, ", ", sqlite3_column_double(row, 4), 2, " s of a processor\n    most memory");
  put_bytes(text, "resident", row, 5);
  put_bytes(text, "its share (pss)", row, 6);
  put_bytes(text, "private", row, 7);
  out_text_puts(text, "\n    storage");
  put_bytes(text, "read", row, 8);
  put_bytes(text, "written", row, 9);
  if (sqlite3_column_type(row, 10) != SQLITE_NULL)
    out_text_puts(text, "\n    network of its machine or container, whichever process used it");
  put_bytes(text, "received", row, 10);
  put_bytes(text, "sent", row, 11);
  out_text_putc(text, '\n');
}

static void put_run(struct out_text *text, sqlite3_stmt *row)
{
  const char *program = (const char *)sqlite3_column_text(row, 1);
  out_text_printf(text, "  Run %lld: ", sqlite3_column_int64(row, 0));
  out_text_printable(text, program ? program : "?", program ? strlen(program) : 1);
  out_text_printf(text, " (%lld), %lld intervals\n", sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3));
}

static int put_rows(sqlite3 *handle, const char *query, uint64_t run,
                    void (*put)(struct out_text *text, sqlite3_stmt *row), struct out_text *text)
{
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(handle, query, -1, &statement, NULL);
  if (code != SQLITE_OK)
    return -EIO;
  if (sqlite3_bind_parameter_count(statement) > 0)
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)run);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW)
    put(text, statement);
  return sqlite3_finalize(statement) == SQLITE_OK && code == SQLITE_DONE ? 0 : -EIO;
}

/* The same with a heading, where there are rows at all. */
static int put_part(sqlite3 *handle, const char *table, const char *heading, const char *query, uint64_t run,
                    void (*put)(struct out_text *text, sqlite3_stmt *row), struct out_text *text)
{
  struct out_text rows = {0};
  bool has;
  int result = out_database_has_table(handle, table, &has);
  if (result == 0 && has)
    result = put_rows(handle, query, run, put, &rows);
  if (rows.length > 0) {
    out_put_part_heading(text, heading);
    out_text_add(text, rows.data, rows.length);
  }
  text->failed |= rows.failed;
  out_text_free(&rows);
  return result;
}

/* Runs, where one of several may be chosen. */
static int put_runs(sqlite3 *handle, struct out_text *text)
{
  struct out_text runs = {0};
  int result = put_rows(handle,
                        "SELECT runs.id, program, pid, COUNT(*) FROM runs JOIN intervals ON run = runs.id"
                        " GROUP BY runs.id ORDER BY runs.id",
                        0, put_run, &runs);
  if (result == 0 && runs.data && strchr(runs.data, '\n') + 1 < runs.data + runs.length) {
    out_put_part_heading(text, "Runs, of which all of this is the sum (--run chooses one):");
    out_text_add(text, runs.data, runs.length);
  }
  text->failed |= runs.failed;
  out_text_free(&runs);
  return result;
}

static int put_all(sqlite3 *handle, uint64_t run, struct out_text *text)
{
  bool has_runs = false;
  int result = out_database_has_table(handle, "runs", &has_runs);
  out_put_heading(text);
  if (result == 0)
    result = put_rows(handle, has_runs ? tasks_query : spdl_tasks, run, put_tasks, text);
  out_put_queue_heading(text);
  if (result == 0)
    result = put_rows(handle, has_runs ? queues_query : spdl_queues, run, put_queue, text);
  if (result == 0)
    result = put_part(handle, "counter_stats", "Counters and levels:", counters_query, run, put_counter, text);
  if (result == 0)
    result = put_part(handle, "group_stats", "Process group:", group_query, run, put_member, text);
  return result == 0 && has_runs && run == 0 ? put_runs(handle, text) : result;
}

int callsig_monitor_print_run(const char *database, uint64_t run, FILE *out)
{
  sqlite3 *handle = NULL;
  struct out_text text = {0};
  int result = out_database_open_to_read(database, &handle);
  if (result == 0)
    result = out_database_choose_run(handle, database, &run);
  if (result == 0 && (result = put_all(handle, run, &text)) < 0)
    out_database_tell_unreadable(handle, database);
  sqlite3_close(handle);
  if (result < 0)
    out_text_free(&text);
  return result < 0 ? result : out_pipeline_write(&text, out);
}

int callsig_monitor_print(const char *database, FILE *out)
{
  return callsig_monitor_print_run(database, 0, out);
}
