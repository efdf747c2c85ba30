/* The SQL of the database: its tables, its statements, and how rows are put into them. */
#include "output/monitor/database_tables.h"

#include <errno.h>
#include <stdio.h>

#include "output/text/message.h"

/* The first three tables and their indexes are SPDL's, column by column, so that what reads those reads these. What
 * belongs to one of their rows and has no column there is in the table *_intervals, under the row's id. */
static const char tables[] =
    "CREATE TABLE IF NOT EXISTS task_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " name TEXT NOT NULL, num_tasks INTEGER NOT NULL, num_failures INTEGER NOT NULL, ave_time REAL NOT NULL,"
    " p90_time REAL NOT NULL, p99_time REAL NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_task_stats_timestamp ON task_stats(timestamp);"
    "CREATE TABLE IF NOT EXISTS queue_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " name TEXT NOT NULL, elapsed REAL NOT NULL, num_items INTEGER NOT NULL, ave_put_time REAL NOT NULL,"
    " ave_get_time REAL NOT NULL, p90_put_time REAL NOT NULL, p99_put_time REAL NOT NULL,"
    " p90_get_time REAL NOT NULL, p99_get_time REAL NOT NULL, occupancy_rate REAL NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_queue_stats_timestamp ON queue_stats(timestamp);"
    "CREATE TABLE IF NOT EXISTS event_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " event_name TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_event_stats_timestamp ON event_stats(timestamp);"

    "CREATE TABLE IF NOT EXISTS callsig_schema (version INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY AUTOINCREMENT, start_ns INTEGER NOT NULL,"
    " pid INTEGER NOT NULL, ppid INTEGER NOT NULL, program TEXT NOT NULL, command TEXT NOT NULL,"
    " recording TEXT NOT NULL, host TEXT NOT NULL, clock TEXT NOT NULL, rank INTEGER, interval REAL,"
    " started REAL NOT NULL, ended REAL, exit_status INTEGER, complete INTEGER NOT NULL, UNIQUE (start_ns, pid));"
    "CREATE TABLE IF NOT EXISTS intervals (id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " run INTEGER NOT NULL REFERENCES runs(id), started REAL NOT NULL, ended REAL NOT NULL, elapsed REAL NOT NULL,"
    " covers INTEGER NOT NULL, final INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_intervals_run ON intervals(run);"
    "CREATE TABLE IF NOT EXISTS task_intervals (task INTEGER PRIMARY KEY REFERENCES task_stats(id),"
    " interval INTEGER NOT NULL REFERENCES intervals(id), dropped INTEGER NOT NULL, open INTEGER NOT NULL,"
    " total_time REAL NOT NULL, failed_time REAL NOT NULL, p50_time REAL NOT NULL, min_time REAL NOT NULL,"
    " max_time REAL NOT NULL, tick REAL NOT NULL, histogram BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_task_intervals_interval ON task_intervals(interval);"
    "CREATE TABLE IF NOT EXISTS queue_intervals (queue INTEGER PRIMARY KEY REFERENCES queue_stats(id),"
    " interval INTEGER NOT NULL REFERENCES intervals(id), puts INTEGER NOT NULL, failed INTEGER NOT NULL,"
    " items INTEGER NOT NULL, capacity INTEGER, high_water INTEGER NOT NULL, put_time REAL NOT NULL,"
    " get_time REAL NOT NULL, empty_time REAL NOT NULL, p50_put_time REAL NOT NULL, min_put_time REAL NOT NULL,"
    " max_put_time REAL NOT NULL, p50_get_time REAL NOT NULL, min_get_time REAL NOT NULL, max_get_time REAL NOT NULL,"
    " tick REAL NOT NULL, put_histogram BLOB NOT NULL, get_histogram BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_queue_intervals_interval ON queue_intervals(interval);"
    "CREATE TABLE IF NOT EXISTS event_intervals (event INTEGER PRIMARY KEY REFERENCES event_stats(id),"
    " interval INTEGER NOT NULL REFERENCES intervals(id), count INTEGER NOT NULL, total_time REAL NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_event_intervals_interval ON event_intervals(interval);"
    "CREATE TABLE IF NOT EXISTS function_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " interval INTEGER NOT NULL REFERENCES intervals(id), function TEXT NOT NULL, signature TEXT NOT NULL,"
    " stage TEXT NOT NULL, ncalls INTEGER NOT NULL, tottime REAL NOT NULL, cumtime REAL NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_function_stats_timestamp ON function_stats(timestamp);"
    "CREATE INDEX IF NOT EXISTS idx_function_stats_interval ON function_stats(interval);"
    "CREATE TABLE IF NOT EXISTS process_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " interval INTEGER NOT NULL REFERENCES intervals(id), minor_faults INTEGER NOT NULL,"
    " major_faults INTEGER NOT NULL, voluntary_switches INTEGER NOT NULL, involuntary_switches INTEGER NOT NULL,"
    " user_time REAL NOT NULL, system_time REAL NOT NULL, read_bytes INTEGER, written_bytes INTEGER,"
    " resident_bytes INTEGER NOT NULL, threads INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_process_stats_timestamp ON process_stats(timestamp);"
    "CREATE INDEX IF NOT EXISTS idx_process_stats_interval ON process_stats(interval);"
    "CREATE TABLE IF NOT EXISTS counter_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " interval INTEGER NOT NULL REFERENCES intervals(id), key TEXT NOT NULL, stage TEXT NOT NULL, kind TEXT NOT NULL,"
    " count INTEGER NOT NULL, amount INTEGER NOT NULL, value INTEGER);"
    "CREATE INDEX IF NOT EXISTS idx_counter_stats_timestamp ON counter_stats(timestamp);"
    "CREATE INDEX IF NOT EXISTS idx_counter_stats_interval ON counter_stats(interval);"
    "CREATE TABLE IF NOT EXISTS counter_threads (counter INTEGER NOT NULL REFERENCES counter_stats(id),"
    " serial INTEGER NOT NULL, tid INTEGER, thread TEXT, count INTEGER NOT NULL, amount INTEGER NOT NULL,"
    " value INTEGER);"
    "CREATE INDEX IF NOT EXISTS idx_counter_threads_counter ON counter_threads(counter);"
    "CREATE TABLE IF NOT EXISTS group_stats (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp REAL NOT NULL,"
    " interval INTEGER NOT NULL REFERENCES intervals(id), pid INTEGER, ppid INTEGER, name TEXT NOT NULL,"
    " processes INTEGER NOT NULL, threads INTEGER NOT NULL, user_time REAL NOT NULL, system_time REAL NOT NULL,"
    " resident_bytes INTEGER NOT NULL, pss_bytes INTEGER, private_bytes INTEGER, read_bytes INTEGER,"
    " written_bytes INTEGER, received_bytes INTEGER, sent_bytes INTEGER);"
    "CREATE INDEX IF NOT EXISTS idx_group_stats_timestamp ON group_stats(timestamp);"
    "CREATE INDEX IF NOT EXISTS idx_group_stats_interval ON group_stats(interval);"
    "DELETE FROM callsig_schema;"
    "INSERT INTO callsig_schema VALUES (3);";

/* The first two are the same for all rows of a statement; the others have the next numbers. */
#define FUNCTION_VALUES "(?1, ?2, ?, ?, ?, ?, ?, ?)"

static const char *const statements[OUT_SQL_COUNT] = {
    [OUT_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [OUT_SQL_COMMIT] = "COMMIT",
    [OUT_SQL_ROLLBACK] = "ROLLBACK",
    [OUT_SQL_FIND_RUN] = "SELECT id, complete FROM runs WHERE start_ns = ?1 AND pid = ?2",
    [OUT_SQL_ADD_RUN] =
        "INSERT INTO runs (start_ns, pid, ppid, program, command, recording, host, clock, rank, interval,"
        " started, complete) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0)",
    [OUT_SQL_UPDATE_RUN] = "UPDATE runs SET ended = ?2, exit_status = ?3, complete = ?4 WHERE id = ?1",
    [OUT_SQL_ADD_INTERVAL] =
        "INSERT INTO intervals (run, started, ended, elapsed, covers, final) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [OUT_SQL_ADD_TASKS] = "INSERT INTO task_stats (timestamp, name, num_tasks, num_failures, ave_time, p90_time,"
                          " p99_time) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [OUT_SQL_ADD_TASK_INTERVAL] =
        "INSERT INTO task_intervals (task, interval, dropped, open, total_time, failed_time, p50_time, min_time,"
        " max_time, tick, histogram) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [OUT_SQL_ADD_QUEUE] =
        "INSERT INTO queue_stats (timestamp, name, elapsed, num_items, ave_put_time, ave_get_time, p90_put_time,"
        " p99_put_time, p90_get_time, p99_get_time, occupancy_rate)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [OUT_SQL_ADD_QUEUE_INTERVAL] =
        "INSERT INTO queue_intervals (queue, interval, puts, failed, items, capacity, high_water, put_time, get_time,"
        " empty_time, p50_put_time, min_put_time, max_put_time, p50_get_time, min_get_time, max_get_time, tick,"
        " put_histogram, get_histogram)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
    [OUT_SQL_ADD_EVENT] = "INSERT INTO event_stats (timestamp, event_name) VALUES (?1, ?2)",
    [OUT_SQL_ADD_EVENT_INTERVAL] =
        "INSERT INTO event_intervals (event, interval, count, total_time) VALUES (?1, ?2, ?3, ?4)",
    [OUT_SQL_ADD_FUNCTION] = "INSERT INTO function_stats (timestamp, interval, function, signature, stage, ncalls,"
                             " tottime, cumtime) VALUES " FUNCTION_VALUES,
    [OUT_SQL_ADD_PROCESS] =
        "INSERT INTO process_stats (timestamp, interval, minor_faults, major_faults, voluntary_switches,"
        " involuntary_switches, user_time, system_time, read_bytes, written_bytes, resident_bytes, threads)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [OUT_SQL_ADD_COUNTER] = "INSERT INTO counter_stats (timestamp, interval, key, stage, kind, count, amount, value)"
                            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [OUT_SQL_ADD_COUNTER_THREAD] = "INSERT INTO counter_threads (counter, serial, tid, thread, count, amount, value)"
                                   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [OUT_SQL_ADD_MEMBER] =
        "INSERT INTO group_stats (timestamp, interval, pid, ppid, name, processes, threads, user_time, system_time,"
        " resident_bytes, pss_bytes, private_bytes, read_bytes, written_bytes, received_bytes, sent_bytes)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    [OUT_SQL_SUM_INTERVALS] = "SELECT SUM(elapsed), MAX(ended) FROM intervals WHERE run = ?1",
    [OUT_SQL_SUM_TASKS] =
        "SELECT name, num_tasks, num_failures, dropped, total_time, failed_time, histogram FROM task_stats"
        " JOIN task_intervals ON task_intervals.task = task_stats.id"
        " JOIN intervals ON intervals.id = task_intervals.interval WHERE intervals.run = ?1 ORDER BY name",
    [OUT_SQL_SUM_QUEUES] =
        "SELECT name, num_items, puts, failed, queue_stats.elapsed, put_time, get_time, empty_time, put_histogram,"
        " get_histogram FROM queue_stats JOIN queue_intervals ON queue_intervals.queue = queue_stats.id"
        " JOIN intervals ON intervals.id = queue_intervals.interval WHERE intervals.run = ?1 ORDER BY name",
    [OUT_SQL_SUM_EVENTS] =
        "SELECT event_name, SUM(count), SUM(total_time) FROM event_stats"
        " JOIN event_intervals ON event_intervals.event = event_stats.id"
        " JOIN intervals ON intervals.id = event_intervals.interval WHERE intervals.run = ?1 GROUP BY event_name",
    [OUT_SQL_SUM_FUNCTIONS] =
        "SELECT function, signature, stage, SUM(ncalls), SUM(tottime), SUM(cumtime) FROM function_stats"
        " JOIN intervals ON intervals.id = function_stats.interval WHERE intervals.run = ?1"
        " GROUP BY function, signature, stage",
    [OUT_SQL_SUM_COUNTERS] = "SELECT key, stage, kind, count, amount FROM counter_stats"
                             " JOIN intervals ON intervals.id = counter_stats.interval WHERE intervals.run = ?1",
    [OUT_SQL_SUM_COUNTER_THREADS] =
        "SELECT key, stage, kind, serial, tid, counter_threads.count, counter_threads.amount FROM counter_threads"
        " JOIN counter_stats ON counter_stats.id = counter"
        " JOIN intervals ON intervals.id = counter_stats.interval WHERE intervals.run = ?1"
        " ORDER BY key, stage, kind, tid, serial",
};

int out_database_fail(struct out_database *database)
{
  snprintf(database->error, sizeof database->error, "%s", sqlite3_errmsg(database->handle));
  switch (sqlite3_errcode(database->handle)) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return -EBUSY;
  case SQLITE_FULL:
    return -ENOSPC;
  case SQLITE_NOMEM:
    return -ENOMEM;
  default:
    return -EIO;
  }
}

/* The one number that a query gives. */
static int query_number(struct out_database *database, const char *query, int *number)
{
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database->handle, query, -1, &statement, NULL) != SQLITE_OK)
    return out_database_fail(database);
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : out_database_fail(database);
  if (result == 0)
    *number = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return result;
}

/* The schema's version, 0 when there is none yet. */
static int read_version(struct out_database *database, int *version)
{
  int there = 0;
  int result = query_number(database, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'callsig_schema'", &there);
  *version = 0;
  if (result == 0 && there > 0)
    result = query_number(database, "SELECT MAX(version) FROM callsig_schema", version);
  return result;
}

int out_database_make_tables(struct out_database *database)
{
  int version;
  int result = read_version(database, &version);
  if (result == 0 && version > OUT_DATABASE_VERSION)
    return out_stats_fail(-ENOTSUP, "%s: written by a newer callsig (schema %d, this one writes %d)", database->path,
                          version, OUT_DATABASE_VERSION);
  if (result == 0 && version == OUT_DATABASE_VERSION)
    return 0;
  if (result == 0 && (sqlite3_exec(database->handle, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
                      sqlite3_exec(database->handle, tables, NULL, NULL, NULL) != SQLITE_OK ||
                      sqlite3_exec(database->handle, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)) {
    result = out_database_fail(database);
    sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
  }
  if (result < 0)
    return out_stats_fail(result, "%s: its tables cannot be made: %s", database->path, database->error);
  return 0;
}

static int prepare(struct out_database *database, enum out_statement which, const char *query)
{
  if (sqlite3_prepare_v3(database->handle, query, -1, SQLITE_PREPARE_PERSISTENT, &database->statements[which], NULL) ==
      SQLITE_OK)
    return 0;
  int result = out_database_fail(database);
  return out_stats_fail(result, "%s: its tables are not callsig's: %s; name another file", database->path,
                        database->error);
}

static int prepare_functions(struct out_database *database)
{
  struct out_text query = {0};
  out_text_puts(&query, statements[OUT_SQL_ADD_FUNCTION]);
  for (unsigned i = 1; i < OUT_DATABASE_FUNCTIONS; i++)
    out_text_puts(&query, ", " FUNCTION_VALUES);
  int result = query.failed ? out_stats_no_memory() : prepare(database, OUT_SQL_ADD_FUNCTIONS, out_text_string(&query));
  out_text_free(&query);
  return result;
}

int out_database_prepare(struct out_database *database)
{
  int result = prepare_functions(database);
  for (unsigned i = 0; i < OUT_SQL_COUNT && result == 0; i++)
    if (statements[i])
      result = prepare(database, i, statements[i]);
  return result;
}
