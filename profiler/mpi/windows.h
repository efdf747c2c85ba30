/*
 * What is known of the windows of memory that ranks share: kept with each as an attribute.
 */
#ifndef CALLSIG_PROFILER_MPI_WINDOWS_H
#define CALLSIG_PROFILER_MPI_WINDOWS_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "profiler/mpi/communicators.h"
#include "profiler/mpi/rows.h"

/* A lock that this rank asked for. */
struct mpi_held {
  struct mpi_held *next;
  int rank;        /* of the window; INT_MIN for all of them */
  uint32_t place;  /* in the log */
  bool is_reached; /* there is something that has to be done under it ... */
  bool is_used;    /* ... and was: so it is held */
};

/* Ranks that a window is opened to, or that it is reached in. */
struct mpi_ranks {
  int count;
  int *ranks; /* in MPI_COMM_WORLD, -1 for others */
};

struct mpi_window {
  struct mpi_comm_facts *facts;     /* its ranks, with calls of all together of their own */
  struct mpi_ranks started, posted; /* of MPI_Win_start and MPI_Win_post, until MPI_Win_complete and MPI_Win_wait */
  pthread_mutex_t lock;             /* of the next */
  struct mpi_held *held;            /* locks that were not given back yet */
};

/* NULL: it was made where nobody saw it, or there is no memory. Any thread. */
struct mpi_window *mpi_window_of(MPI_Win window);

/* Its ranks; NULL likewise. */
struct mpi_comm_facts *mpi_window_facts(MPI_Win window);

/* Makes the call of all ranks of the communicator by which there is a window, *window when it has ended. */
int mpi_window_make(struct mpi_call call, MPI_Comm communicator, const MPI_Win *window);

/* Forgets them. */
void mpi_ranks_forget(struct mpi_ranks *ranks);

/* A call that reaches into the memory of rank `rank` of the window: a lock of it has to be there before it is done. */
void mpi_window_reached(MPI_Win window, int rank);

#endif
