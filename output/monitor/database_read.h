/*
 * Opens databases to read them, of callsig or SPDL.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_DATABASE_READ_H
#define CALLSIG_OUTPUT_MONITOR_DATABASE_READ_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Has SQLite run nothing that the database itself brings: a view in place of a table may have rows without end, and a
 * trigger may do as much for each row that is written. */
void out_database_distrust(sqlite3 *handle);

/* -EIO after a message. The handle is to be closed in any case. */
int out_database_open_to_read(const char *path, sqlite3 **handle);

/* Tells why it cannot be read. */
void out_database_tell_unreadable(sqlite3 *handle, const char *path);

/* 0 or -EIO, without a message. */
int out_database_has_table(sqlite3 *handle, const char *name, bool *has);

/* Makes CALLSIG_LAST_RUN the number of that; 0 stays. -ENOENT, after a message, when there is no such run; -EIO. */
int out_database_choose_run(sqlite3 *handle, const char *path, uint64_t *run);

#endif
