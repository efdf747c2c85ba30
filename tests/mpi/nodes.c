/* Each rank sends to the next one, and to the last of a communicator of its own, backwards. */
#include <mpi.h>

int main(int argc, char **argv)
{
  int rank, size, mine = 1, got = 0;
  MPI_Comm turned;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  if (rank == size - 1) {
    for (int i = 1; i < size; i++)
      MPI_Send(&mine, 1, MPI_INT, i, 0, turned);
    MPI_Send(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, turned);
  } else {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, turned, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return 0;
}
