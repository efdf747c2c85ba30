/* Two groups of ranks, rank 0 and the others, in calls between them whose arguments are wrong where they mean nothing;
 * and, of two ranks with the argument "large", a message of more bytes than an int tells. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void large(int rank)
{
  MPI_Datatype mebibyte;
  const size_t size = (size_t)2049 << 20;
  char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MPI_Type_contiguous(1 << 20, MPI_BYTE, &mebibyte);
  MPI_Type_commit(&mebibyte);
  if (rank == 0)
    MPI_Send(bytes, 2049, mebibyte, 1, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(bytes, 2049, mebibyte, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&mebibyte);
}

static void between(int rank, int size)
{
  MPI_Comm own, other;
  MPI_Datatype none;
  int in = 0, sum = 0, value = rank + 1;
  const int numbers[] = {1, 2, 3, 4};
  int *counts = malloc((size_t)(rank ? size - 1 : 1) * sizeof *counts);
  /* The first of the many is the root, and the lone one takes from it, or gives to it. */
  const int root = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
  memset(&none, 0, sizeof none);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 9, &other);
  MPI_Gather(rank == 0 ? &value : NULL, rank == 0, rank == 0 ? MPI_INT : none, rank == 1 ? &in : NULL, rank == 1,
             rank == 1 ? MPI_INT : none, root, other);
  MPI_Scatter(rank == 1 ? &value : NULL, rank == 1, rank == 1 ? MPI_INT : none, rank == 0 ? &in : NULL, rank == 0,
              rank == 0 ? MPI_INT : none, root, other);
  for (int i = 0; i < (rank ? size - 1 : 1); i++)
    counts[i] = rank ? 1 : size - 1;
  int sums[4] = {0};
  MPI_Reduce_scatter(numbers, sums, counts, MPI_INT, MPI_SUM, other);
  sum = sums[0];
  printf("rank %d in %d sum %d\n", rank, in, sum);
  free(counts);
  MPI_Comm_free(&other);
  MPI_Comm_free(&own);
}

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1)
    large(rank);
  else
    between(rank, size);
  MPI_Finalize();
  return 0;
}
