/*
 * The SQLite database that intervals go to: docs/sqlite.md describes its tables.
 *
 * Every statement is prepared when the database is opened. One thread at a time.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_DATABASE_H
#define CALLSIG_OUTPUT_MONITOR_DATABASE_H

#include "output/pipeline/pipeline.h"

struct out_database;

/* Whose intervals: one process as its recording's header describes it. */
struct out_run {
  uint64_t start_ns; /* CLOCK_REALTIME; with pid what a run is known by */
  unsigned pid, ppid;
  unsigned clock; /* enum fmt_clock_kind */
  const char *program, *command, *recording, *host;
  bool has_rank;
  int64_t rank;
  double interval; /* seconds; 0: none was asked for */
  bool has_exit_status;
  int exit_status; /* as wait() gives it */
  struct base_arena strings;
};

/* Reads the run from a recording's header; `recording->path` is made absolute. 0 or -ENOMEM after a message. Owned
 * strings are freed by base_arena_free(&run->strings). */
int out_run_read(struct out_recording *recording, double interval, struct out_run *run);

/* Opens the database at `path`, and makes it and its tables when they are not there. A negative errno after a message
 * that names the file. */
int out_database_open(const char *path, struct out_database **database);
/* NULL is allowed. */
void out_database_close(struct out_database *database);

/* Writes the intervals, and the run when it is new, in one transaction: all of it or nothing. -EBUSY when the database
 * is locked, -ENOSPC when the disk is full, -EIO for other errors; out_database_error() says which. No message. */
int out_database_write(struct out_database *database, const struct out_run *run,
                       const struct callsig_pipeline *const *intervals, size_t count);
/* Why the last call failed; valid until the next one. */
const char *out_database_error(const struct out_database *database);

/* What the database has of the run so far, as out_pipeline_delta() subtracts it; NULL in `*sums` when it has nothing.
 * `*complete`: its last interval is there. -EIO or -ENOMEM after a message. */
int out_database_sums(struct out_database *database, const struct out_run *run, struct callsig_pipeline **sums,
                      bool *complete);

#endif
