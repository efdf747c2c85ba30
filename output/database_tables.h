/*
 * The tables and the statements of the database, in one place each.
 */
#ifndef CALLSIG_OUTPUT_DATABASE_TABLES_H
#define CALLSIG_OUTPUT_DATABASE_TABLES_H

#include <sqlite3.h>

#include "database.h"

#define CS_DATABASE_VERSION 1

enum cs_statement {
  CS_SQL_BEGIN,
  CS_SQL_COMMIT,
  CS_SQL_ROLLBACK,
  CS_SQL_FIND_RUN,
  CS_SQL_ADD_RUN,
  CS_SQL_UPDATE_RUN,
  CS_SQL_ADD_INTERVAL,
  CS_SQL_ADD_TASKS,
  CS_SQL_ADD_TASK_INTERVAL,
  CS_SQL_ADD_QUEUE,
  CS_SQL_ADD_QUEUE_INTERVAL,
  CS_SQL_ADD_EVENT,
  CS_SQL_ADD_EVENT_INTERVAL,
  CS_SQL_ADD_FUNCTION,
  CS_SQL_ADD_PROCESS,
  CS_SQL_SUM_INTERVALS,
  CS_SQL_SUM_TASKS,
  CS_SQL_SUM_QUEUES,
  CS_SQL_SUM_EVENTS,
  CS_SQL_SUM_FUNCTIONS,
  CS_SQL_COUNT
};

struct cs_database {
  char *path;
  sqlite3 *handle;
  sqlite3_stmt *statements[CS_SQL_COUNT];
  char error[256];
};

/* Makes the tables that are missing, in one transaction; -ENOTSUP after a message when a newer version made them. */
int cs_database_make_tables(struct cs_database *database);

/* Prepares all statements. A negative errno after a message. */
int cs_database_prepare(struct cs_database *database);

/* The errno that is nearest to what SQLite says, which is kept for cs_database_error(). */
int cs_database_fail(struct cs_database *database);

#endif
