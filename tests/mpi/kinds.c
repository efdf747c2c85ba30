/*
 * Calls of MPI of the kinds that few programs make, each a known number of times: into the memory of other ranks, among
 * neighbours, of all together by requests, by requests that are started again, in parts, and with counts of 64 bits.
 * Some of them come late by a known time.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };
static int rank, size, next, previous;
static double out[8 * MOST], in[8 * MOST];

static void check(int holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void delay(int milliseconds)
{
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* Says when this rank came to do what, by the machine's clock. */
static void came(const char *what)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  printf("came %d %s %lld\n", rank, what, time.tv_sec * 1000000000LL + time.tv_nsec);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void shared_memory(void)
{
  double *memory, one = 1, got = 0;
  MPI_Win window;
  MPI_Request request;
  MPI_Win_allocate(MOST * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, MOST * sizeof *memory);
  MPI_Win_fence(0, window);
  if (rank == 0)
    delay(200);
  came("fence");
  MPI_Win_fence(0, window);
  MPI_Put(out, 4, MPI_DOUBLE, next, 0, 4, MPI_DOUBLE, window);
  MPI_Put(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, 4, MPI_DOUBLE, window);
  MPI_Accumulate(&one, 1, MPI_DOUBLE, previous, 8, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  check(memory[8] == 1, "what was accumulated is not there");
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  MPI_Get(in, 2, MPI_DOUBLE, next, 0, 2, MPI_DOUBLE, window);
  MPI_Fetch_and_op(&one, &got, MPI_DOUBLE, next, 9, MPI_SUM, window);
  MPI_Win_flush(next, window);
  MPI_Rput(out, 2, MPI_DOUBLE, next, 16, 2, MPI_DOUBLE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(next, window);
  MPI_Win_lock_all(0, window);
  MPI_Get_accumulate(&one, 1, MPI_DOUBLE, &got, 1, MPI_DOUBLE, rank, 24, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void among_neighbours(void)
{
  const int ring = 1, all = size;
  MPI_Comm line;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &ring, 0, &line);
  MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, line);
  MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
  MPI_Ineighbor_alltoall(out, 5, MPI_INT, in, 5, MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  /* A communicator of another one, whose waits are known. */
  if (rank == 0)
    delay(150);
  came("cart");
  MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, line);
  MPI_Comm_free(&line);
}

static void by_requests(void)
{
  MPI_Request requests[2];
  int which;
  if (rank == 0)
    delay(200);
  came("iallreduce");
  MPI_Iallreduce(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Waitany(1, requests, &which, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    delay(150);
  came("ibcast");
  MPI_Ibcast(out, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Iscan(out, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Ireduce_scatter_block(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* ------------------------------------------------------------------------------------------------------------------ */

#if MPI_VERSION >= 4
static void started_again(void)
{
  MPI_Request requests[2];
  int which, place;
  MPI_Allreduce_init(out, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(in + MOST, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  if (rank == 0)
    delay(200);
  came("start");
  MPI_Start(&requests[0]);
  MPI_Waitsome(1, requests, &which, &place, MPI_STATUSES_IGNORE);
  MPI_Start(&requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void in_parts(void)
{
  MPI_Request requests[2];
  int is_there = 0;
  MPI_Psend_init(out, 4, 8, MPI_DOUBLE, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 4, 8, MPI_DOUBLE, previous, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready(0, requests[0]);
  MPI_Pready_range(1, 3, requests[0]);
  MPI_Parrived(requests[1], 0, &is_there);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* Messages of one tag by all kinds of calls, the last of which comes late: so each has to be known. */
static void of_large_counts(void)
{
  MPI_Request requests[2];
  MPI_Sendrecv_c(out, 1, MPI_DOUBLE, next, 7, in, 1, MPI_DOUBLE, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isendrecv(out, 1, MPI_DOUBLE, next, 7, in, 1, MPI_DOUBLE, previous, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Irecv_c(in, 1, MPI_DOUBLE, previous, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 1, MPI_DOUBLE, next, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce_c(out, in, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    delay(250);
    came("send");
    MPI_Send_c(out, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  } else if (rank == 1) {
    came("receive");
    MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
#endif

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  shared_memory();
  among_neighbours();
  by_requests();
#if MPI_VERSION >= 4
  started_again();
  in_parts();
  of_large_counts();
#endif
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
