/* A parent that spawns two of the program named by its argument, which count and end; all come to MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>

static long counted;

__attribute__((noinline)) long leaf(int n)
{
  counted++;
  return n * 3L;
}

int main(int argc, char **argv)
{
  MPI_Comm other = MPI_COMM_NULL;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&other);
  const int is_child = other != MPI_COMM_NULL;
  for (int i = 0; i < (is_child ? 70 : 40) + rank; i++)
    leaf(i % 4);
  if (!is_child)
    MPI_Comm_spawn(argv[1], argc > 2 ? argv + 2 : MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&other);
  printf("%s %d leaf %ld\n", is_child ? "child" : "parent", rank, counted);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
