/*
 * Waiting that ends: what other ranks are waited for is a request, and not for ever.
 */
#ifndef CALLSIG_PROFILER_MPI_PATIENCE_H
#define CALLSIG_PROFILER_MPI_PATIENCE_H

#include <mpi.h>

/* Waits until the request is done, up to `seconds` in which this process ran: what it was stopped for is not counted.
 * 0; -EPIPE: MPI failed; -ETIMEDOUT: the request is there still. `status` may be MPI_STATUS_IGNORE. After a moment it
 * sleeps between looks, so that ranks that share a processor leave it to each other. */
int mpi_wait(MPI_Request *request, int seconds, MPI_Status *status);

#endif
