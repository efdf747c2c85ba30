/*
 * What ranks record after MPI_Finalize, the samples of their runs and the processes that they start come into FILE when
 * they have ended: `callsig run` of each has its part in that, where they all record in one folder.
 *
 * FILE is made anew, of the ranks' own recordings, along the tree by which MPI_Finalize made it. Nobody waits for
 * anybody: of the two that meet at a node of the tree the first leaves what it has there, and the other makes one of
 * both and goes on. Who comes to the root puts it in FILE's place, which is whole at every moment.
 */
#ifndef CALLSIG_CLI_RUN_MPI_END_H
#define CALLSIG_CLI_RUN_MPI_END_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cli_mpi_end {
  const char *joined;    /* FILE, absolute */
  const char *recording; /* this rank's own; nothing may lie there */
  uint32_t rank, ranks;
  bool folds;          /* ranks become one process */
  char own[PATH_MAX];  /* private files of this rank, whose names nobody else has: what it has so far, ... */
  char peer[PATH_MAX]; /* ... and what it found */
};

/* Takes this rank's recording, which is sealed, as far up as others have come. Where that fails FILE stays as it was,
 * after a message, and so it does for the others, who leave nothing beside it either. */
void cli_mpi_end_complete(struct cli_mpi_end *end);

#endif
