/*
 * The SQLite database that intervals go to: docs/sqlite.md describes its tables.
 *
 * Every statement is prepared when the database is opened. One thread at a time.
 */
#ifndef CALLSIG_OUTPUT_DATABASE_H
#define CALLSIG_OUTPUT_DATABASE_H

#include "pipeline.h"

struct cs_database;

/* Whose intervals: one process as its recording's header describes it. */
struct cs_run {
  uint64_t start_ns; /* CLOCK_REALTIME; with pid what a run is known by */
  unsigned pid, ppid;
  unsigned clock; /* enum cs_clock_kind */
  const char *program, *command, *recording, *host;
  bool has_rank;
  int64_t rank;
  double interval; /* seconds; 0: none was asked for */
  bool has_exit_status;
  int exit_status; /* as wait() gives it */
  struct cs_arena strings;
};

/* Reads the run from a recording's header; `recording->path` is made absolute. 0 or -ENOMEM after a message. Owned
 * strings are freed by cs_arena_free(&run->strings). */
int cs_run_read(struct cs_recording *recording, double interval, struct cs_run *run);

/* Opens the database at `path`, and makes it and its tables when they are not there. A negative errno after a message
 * that names the file. */
int cs_database_open(const char *path, struct cs_database **database);
/* NULL is allowed. */
void cs_database_close(struct cs_database *database);

/* Writes the intervals, and the run when it is new, in one transaction: all of it or nothing. -EBUSY when the database
 * is locked, -ENOSPC when the disk is full, -EIO for other errors; cs_database_error() says which. No message. */
int cs_database_write(struct cs_database *database, const struct cs_run *run,
                      const struct callsig_pipeline *const *intervals, size_t count);
/* Why the last call failed; valid until the next one. */
const char *cs_database_error(const struct cs_database *database);

/* What the database has of the run so far, as cs_pipeline_delta() subtracts it; NULL in `*sums` when it has nothing.
 * `*complete`: its last interval is there. -EIO or -ENOMEM after a message. */
int cs_database_sums(struct cs_database *database, const struct cs_run *run, struct callsig_pipeline **sums,
                     bool *complete);

#endif
