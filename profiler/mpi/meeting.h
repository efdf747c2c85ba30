/*
 * Calls of all ranks of a communicator together: what a rank hands in, and what it leaves in the log.
 */
#ifndef CALLSIG_PROFILER_MPI_MEETING_H
#define CALLSIG_PROFILER_MPI_MEETING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "profiler/mpi/calls_common.h"

/* What a rank hands in; the root of a scatter what it gives to all, and other ranks what they get of it. */
struct mpi_share {
  int64_t count;
  MPI_Datatype type; /* MPI_DATATYPE_NULL: of several */
  int64_t bytes;     /* where there are several */
};

/* Is this rank the root? `facts` may be NULL. */
bool mpi_is_root(const struct mpi_comm_facts *facts, int root);

struct mpi_share mpi_share_of(int64_t count, MPI_Datatype type);
/* For each rank as many as `counts` says, or `each` where that is NULL. */
struct mpi_share mpi_shares_of(const struct mpi_comm_facts *facts, const int *counts, int each, MPI_Datatype type);
/* The same for the ranks of the own side of an intercommunicator. */
struct mpi_share mpi_shares_within(const struct mpi_comm_facts *facts, const int *counts, int each, MPI_Datatype type);
struct mpi_share mpi_mixed_shares_of(const struct mpi_comm_facts *facts, const int *counts, const MPI_Datatype *types);

/* Makes the call, number so many of the communicator's. `kind`: who waits for whom. `root`: -1 for none. `share`: NULL
 * for a call without data. */
int mpi_meet(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
             const struct mpi_share *share);

/* The same for a call that makes a communicator of others; *made is there when it has ended, MPI_COMM_NULL for none. */
int mpi_meet_to_make(struct mpi_call call, MPI_Comm communicator, const MPI_Comm *made);

#endif
