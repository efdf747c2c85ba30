/*
 * What is known of the windows of memory that ranks share: kept with each as an attribute.
 */
#ifndef CALLSIG_PROFILER_MPI_WINDOWS_H
#define CALLSIG_PROFILER_MPI_WINDOWS_H

#include <mpi.h>

#include "profiler/mpi/communicators.h"
#include "profiler/mpi/rows.h"

/* The ranks of the window, with calls of all together of their own; NULL: it was made where nobody saw it, or there is
 * no memory. Any thread. */
struct mpi_comm_facts *mpi_window_facts(MPI_Win window);

/* Makes the call of all ranks of the communicator by which there is a window, *window when it has ended. */
int mpi_window_make(struct mpi_call call, MPI_Comm communicator, const MPI_Win *window);

#endif
