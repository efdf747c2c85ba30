/* Opens databases to read them, and finds the run that was asked for. */
#include "output/monitor/database_read.h"

#include <errno.h>
#include <inttypes.h>

#include "callsig/pipeline.h"
#include "output/text/message.h"

/* How long a writer of the file is waited for. */
enum { BUSY_MS = 2000 };

void out_database_distrust(sqlite3 *handle)
{
  static const struct {
    int option, value;
  } settings[] = {{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                  {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                  {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                  {SQLITE_DBCONFIG_DEFENSIVE, 1}};
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
    sqlite3_db_config(handle, settings[i].option, settings[i].value, NULL);
}

/* Refuses a database that has a view in the place of a table, which SQLite would say in other words of each. */
static int refuse_views(sqlite3 *handle, const char *path)
{
  static const char query[] =
      "SELECT name FROM sqlite_master WHERE type = 'view' AND name IN ('runs', 'intervals', 'task_stats',"
      " 'task_intervals', 'queue_stats', 'queue_intervals', 'event_stats', 'event_intervals', 'counter_stats',"
      " 'group_stats')";
  sqlite3_stmt *statement;
  /* What is no database at all is told by who reads it. */
  if (sqlite3_prepare_v2(handle, query, -1, &statement, NULL) != SQLITE_OK)
    return 0;
  const bool has_view = sqlite3_step(statement) == SQLITE_ROW;
  if (has_view)
    out_stats_message("%s: cannot be read as a database of intervals: its %s is a view, and no table", path,
                      (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return has_view ? -EIO : 0;
}

int out_database_open_to_read(const char *path, sqlite3 **handle)
{
  if (sqlite3_open_v2(path, handle, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
    out_database_tell_unreadable(*handle, path);
    return -EIO;
  }
  out_database_distrust(*handle);
  sqlite3_busy_timeout(*handle, BUSY_MS);
  return refuse_views(*handle, path);
}

void out_database_tell_unreadable(sqlite3 *handle, const char *path)
{
  out_stats_message("%s: cannot be read as a database of intervals: %s", path,
                    handle ? sqlite3_errmsg(handle) : "out of memory");
}

int out_database_has_table(sqlite3 *handle, const char *name, bool *has)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(handle, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1", -1, &statement,
                         NULL) != SQLITE_OK)
    return -EIO;
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  int code = sqlite3_step(statement);
  *has = code == SQLITE_ROW;
  sqlite3_finalize(statement);
  return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : -EIO;
}

/* The run's number again, or that of the last one; 0: there is none. */
static int find_run(sqlite3 *handle, uint64_t wanted, uint64_t *found)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(handle, "SELECT MAX(id) FROM runs WHERE ?1 IN (id, -1)", -1, &statement, NULL) != SQLITE_OK)
    return -EIO;
  sqlite3_bind_int64(statement, 1, (sqlite3_int64)wanted);
  int code = sqlite3_step(statement);
  *found = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
  sqlite3_finalize(statement);
  return code == SQLITE_ROW ? 0 : -EIO;
}

int out_database_choose_run(sqlite3 *handle, const char *path, uint64_t *run)
{
  bool has_runs = false;
  uint64_t found = 0;
  if (*run == 0)
    return 0;
  int result = out_database_has_table(handle, "runs", &has_runs);
  if (result == 0 && has_runs)
    result = find_run(handle, *run, &found);
  if (result < 0)
    out_database_tell_unreadable(handle, path);
  else if (found == 0 && *run == CALLSIG_LAST_RUN)
    result = out_stats_fail(-ENOENT, "%s: there are no runs in it", path);
  else if (found == 0)
    result = out_stats_fail(-ENOENT, "%s: there is no run %" PRIu64 " in it", path, *run);
  *run = found;
  return result;
}
