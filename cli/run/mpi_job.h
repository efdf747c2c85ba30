/*
 * `callsig run --mpi`: the library that puts the recordings of an MPI job's ranks together, and what is said of a rank
 * that did not come so far.
 */
#ifndef CALLSIG_CLI_RUN_MPI_JOB_H
#define CALLSIG_CLI_RUN_MPI_JOB_H

#include <limits.h>

#include "cli/run/libraries.h"
#include "cli/run/recording_place.h"
#include "format/rank.h"

struct cli_mpi_job {
  char library[PATH_MAX]; /* what to preload */
  char joined[PATH_MAX];  /* FILE, absolute; "": the process is no rank of a job */
  int signal;             /* that ended the rank; 0: none did */
};

/* Finds the library for the MPI that is among `libraries` of the program `image`. Returns 0, or a negative errno after
 * a message: there is none, or callsig was built without its library. */
int cli_mpi_find(const char *image, const struct cli_libraries *libraries, struct cli_mpi_job *job);

/* Makes ready what the rank tells of itself: `place` is taken for its own recording. Rank 0 removes an older recording
 * at FILE. 0, or a negative errno after a message. */
int cli_mpi_begin(struct cli_mpi_job *job, const struct cli_recording_place *place, const struct fmt_rank *rank);

/* Says whether the rank's calls are missing in FILE, now that the program has ended with `status`, as wait() gives it,
 * or has its part in making FILE what the ranks recorded until then; removes what it left. */
void cli_mpi_end(struct cli_mpi_job *job, const struct cli_recording_place *place, const struct fmt_rank *rank,
                 const char *shown, int status);

/* Ends this process by the signal that ended the rank, if one did: a launcher of MPI gives up a job of which a process
 * is killed, and may wait for one that exits before its MPI_Init. To be called last. */
void cli_mpi_leave(const struct cli_mpi_job *job);

#endif
