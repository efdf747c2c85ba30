/*
 * The tables and the statements of the database, in one place each.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_DATABASE_TABLES_H
#define CALLSIG_OUTPUT_MONITOR_DATABASE_TABLES_H

#include <sqlite3.h>

#include "output/monitor/database.h"

#define OUT_DATABASE_VERSION   3
#define OUT_DATABASE_FUNCTIONS 64

enum out_statement {
  OUT_SQL_BEGIN,
  OUT_SQL_COMMIT,
  OUT_SQL_ROLLBACK,
  OUT_SQL_FIND_RUN,
  OUT_SQL_ADD_RUN,
  OUT_SQL_UPDATE_RUN,
  OUT_SQL_ADD_INTERVAL,
  OUT_SQL_ADD_TASKS,
  OUT_SQL_ADD_TASK_INTERVAL,
  OUT_SQL_ADD_QUEUE,
  OUT_SQL_ADD_QUEUE_INTERVAL,
  OUT_SQL_ADD_EVENT,
  OUT_SQL_ADD_EVENT_INTERVAL,
  OUT_SQL_ADD_FUNCTION,
  OUT_SQL_ADD_FUNCTIONS, /* OUT_DATABASE_FUNCTIONS at once: each statement costs as much as several rows */
  OUT_SQL_ADD_PROCESS,
  OUT_SQL_ADD_COUNTER,
  OUT_SQL_ADD_COUNTER_THREAD,
  OUT_SQL_ADD_MEMBER,
  OUT_SQL_SUM_INTERVALS,
  OUT_SQL_SUM_TASKS,
  OUT_SQL_SUM_QUEUES,
  OUT_SQL_SUM_EVENTS,
  OUT_SQL_SUM_FUNCTIONS,
  OUT_SQL_SUM_COUNTERS,
  OUT_SQL_SUM_COUNTER_THREADS,
  OUT_SQL_COUNT
};

struct out_database {
  char *path;
  sqlite3 *handle;
  sqlite3_stmt *statements[OUT_SQL_COUNT];
  char error[256];
};

/* Makes the tables that are missing, in one transaction; -ENOTSUP after a message when a newer version made them. */
int out_database_make_tables(struct out_database *database);

/* Prepares all statements. A negative errno after a message. */
int out_database_prepare(struct out_database *database);

/* The errno that is nearest to what SQLite says, which is kept for out_database_error(). */
int out_database_fail(struct out_database *database);

#endif
