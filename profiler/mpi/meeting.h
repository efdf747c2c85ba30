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

/* Makes the call, number so many of the communicator's. `kind`: who waits for whom. `root`: -1 for none. `share`: NULL
 * for a call without data. */
int mpi_meet(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
             const struct mpi_share *share);

/* The same for a call that begins to; *request is there when it has ended, and who waits for it waits for the others.
 */
int mpi_meet_begin(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
                   const struct mpi_share *share, const MPI_Request *request);

/* The same for a call that makes a request, which is started as often as the program likes. */
int mpi_meet_prepare(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
                     const struct mpi_share *share, const MPI_Request *request);

/* The same for a call without data that makes something which all ranks know by that call; *number: of the
 * communicator's calls. */
int mpi_meet_for(struct mpi_call call, struct mpi_comm_facts *facts, uint32_t *number);

/* The same for a call that makes a communicator of others; *made is there when it has ended, MPI_COMM_NULL for none. */
int mpi_meet_to_make(struct mpi_call call, MPI_Comm communicator, const MPI_Comm *made);

#endif
