/*
 * How a statement of the database is given its values, and run.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_DATABASE_BINDER_H
#define CALLSIG_OUTPUT_MONITOR_DATABASE_BINDER_H

#include "output/monitor/database_tables.h"

/* A statement that is being given its values, from left to right. The first failure stays in `result`. */
struct out_binder {
  struct out_database *database;
  sqlite3_stmt *statement;
  int next, result;
};

static inline struct out_binder out_binder_begin(struct out_database *database, enum out_statement which)
{
  struct out_binder binder = {.database = database, .statement = database->statements[which], .next = 1};
  sqlite3_reset(binder.statement);
  sqlite3_clear_bindings(binder.statement);
  return binder;
}

static inline void out_binder_note(struct out_binder *binder, int code)
{
  if (code != SQLITE_OK && binder->result == 0)
    binder->result = out_database_fail(binder->database);
  binder->next++;
}

static inline void out_bind_integer(struct out_binder *binder, uint64_t value)
{
  out_binder_note(binder, sqlite3_bind_int64(binder->statement, binder->next, (sqlite3_int64)value));
}

/* NULL for what is unknown. */
static inline void out_bind_known(struct out_binder *binder, bool known, uint64_t value)
{
  out_binder_note(binder, known ? sqlite3_bind_int64(binder->statement, binder->next, (sqlite3_int64)value)
                                : sqlite3_bind_null(binder->statement, binder->next));
}

static inline void out_bind_real(struct out_binder *binder, double value)
{
  out_binder_note(binder, sqlite3_bind_double(binder->statement, binder->next, value));
}

/* The text must stay until the statement was run. */
static inline void out_bind_text(struct out_binder *binder, const char *text)
{
  out_binder_note(binder, sqlite3_bind_text(binder->statement, binder->next, text, -1, SQLITE_STATIC));
}

/* Runs a statement that gives no rows. */
static inline int out_binder_run(struct out_binder *binder)
{
  if (binder->result == 0 && sqlite3_step(binder->statement) != SQLITE_DONE)
    binder->result = out_database_fail(binder->database);
  sqlite3_reset(binder->statement);
  return binder->result;
}

#endif
