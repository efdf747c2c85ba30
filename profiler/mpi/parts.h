/*
 * The files that a rank works on while the ranks' recordings are put together, all beside its own recording
 * FILE.rankN: what it has so far, and what another rank sent. They are private, new, and never reached through a link.
 */
#ifndef CALLSIG_PROFILER_MPI_PARTS_H
#define CALLSIG_PROFILER_MPI_PARTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/mpi_state.h"

struct mpi_parts {
  const char *recording; /* of this rank; NULL: it has none */
  bool folds;            /* ranks become one process, whose rows keep what they were over them */
  char joined[PATH_MAX]; /* where the ranks' recording goes: FILE */
  char own[PATH_MAX];    /* what this rank has so far ... */
  bool has_own;          /* ... which is there */
  char peer[PATH_MAX];   /* what was received last */
  char state[PATH_MAX];  /* FMT_MPI_STATE: where `callsig run` reads how far it came */
};

/* Finds the names for rank `rank` of its MPI_COMM_WORLD. False: recordings of this job's ranks are not told apart by
 * their names (nothing is recorded, or the process was not started as that rank). Its strings are valid while the
 * process's environment and recording are. */
bool mpi_parts_find(struct mpi_parts *parts, int rank);

/* How many of the job's `size` ranks were started by `callsig run --mpi` and record where this one does: before a
 * rank's program runs there is a file that tells how far it came. Sets their bits in `seen`. A negative errno where
 * that is not known, as of programs that are started by themselves. With `taking_part`, only those that are sure to
 * come to MPI_Finalize as this one does, or wait there. */
int mpi_parts_started(const struct mpi_parts *parts, int size, bool taking_part, uint8_t *seen);

/* For each of the job's `size` ranks the number of its `callsig run`, where there is a file that tells how far it came;
 * 0 for others. */
void mpi_parts_runs(const struct mpi_parts *parts, int size, uint64_t *runs);

/* The mark of the machine that a rank runs on, by that file; 0: it is not known. */
uint64_t mpi_parts_machine(const struct mpi_parts *parts, int rank, uint64_t run);

/* Takes the rank's own recording as it is now. 0, also when it has none; or a negative errno after a message. */
int mpi_parts_begin(struct mpi_parts *parts);

/* Makes `peer` and opens it to be written; a negative errno without a message. */
int mpi_parts_receive(const struct mpi_parts *parts);

/* Adds what lies in `peer` to what this rank has, and removes it. 0, or a negative errno after a message: then this
 * rank has what it had. */
int mpi_parts_join(struct mpi_parts *parts);

/* Puts what this rank has where FILE is to be, where nothing may lie. 0, or a negative errno after a message. */
int mpi_parts_place(struct mpi_parts *parts);

/* Removes what this rank does not need any more. */
void mpi_parts_end(struct mpi_parts *parts);

/* Tells `callsig run` that FILE has all of the job's `size` ranks, and that they all record beside it: then FILE
 * becomes what they recorded until their end. Before mpi_parts_tell(). */
void mpi_parts_tell_whole(const struct mpi_parts *parts, int size);

/* Tells `callsig run` how far it came. */
void mpi_parts_tell(const struct mpi_parts *parts, enum fmt_mpi_state state);

#endif
