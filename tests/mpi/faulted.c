/* Calls of MPI of each kind that the library keeps something of, and a number of calls of its own, which it says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long counted;
__attribute__((noinline)) long leaf(long n)
{
  counted++;
  return n * 3;
}

int main(int argc, char **argv)
{
  int rank, size, mine, got = -1, sides[2] = {-1, -1}, ring = 1, sum = 0;
  MPI_Comm line, half;
  MPI_Win window;
  MPI_Request requests[2], many[40];
  int *memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mine = rank;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Irecv(&got, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 20; i++) {
    MPI_Irecv(&got, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &many[i]);
    MPI_Isend(&mine, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &many[20 + i]);
  }
  MPI_Waitall(40, many, MPI_STATUSES_IGNORE);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ring, 0, &line);
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, sides, 1, MPI_INT, line);
  MPI_Comm_free(&line);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, half);
  MPI_Comm_free(&half);
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Win_fence(0, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Accumulate(&ring, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Win_post(world, 0, window);
  MPI_Win_start(world, 0, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&world);
  MPI_Barrier(MPI_COMM_WORLD);
  const int reached = rank == 0 ? *memory : 0;
  MPI_Win_free(&window);
  for (long i = 0; i < 100 * (rank + 1); i++)
    leaf(i % 4);
  printf("rank %d leaf %ld got %d %d %d sum %d reached %d\n", rank, counted, got, sides[0], sides[1], sum, reached);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
