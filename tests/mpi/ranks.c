/* Counts its own calls; what happens beside is said by its argument. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long counted[2];

__attribute__((noinline)) long leaf(int n)
{
  counted[0]++;
  return n * 3L;
}
__attribute__((noinline)) long work(int n)
{
  long sum = 0;
  counted[1]++;
  for (int i = 0; i < n; i++)
    sum += leaf(i % 4);
  return sum;
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  int rank, size, level;
  const char *number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  /* Before the others can meet it. */
  if (strcmp(mode, "never") == 0 && number && atoi(number) == 1)
    raise(SIGKILL);
  if (strcmp(mode, "multiple") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i <= rank; i++)
    work(1000 * (rank + 1));
  for (int i = 0; strcmp(mode, "long") == 0 && i < 300; i++)
    work(10000);
  if (strcmp(mode, "split") == 0) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    long mine = work(7), sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, half);
    MPI_Comm_free(&half);
  }
  if (strcmp(mode, "kill") == 0 && rank == size - 1)
    raise(SIGKILL);
  /* A launcher that gives a job up kills what it started, which is not this process. */
  if (strcmp(mode, "orphan") == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(mode, "orphan") == 0 && rank == size - 1)
    kill(getppid(), SIGKILL);
  while (strcmp(mode, "orphan") == 0)
    work(1);
  if (strcmp(mode, "abort") == 0 && rank == size - 1)
    MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(mode, "exit") == 0 && rank == size - 1)
    exit(0);
  if (strcmp(mode, "nofinal") == 0)
    exit(0);
  if (strcmp(mode, "late") == 0 && rank == size - 1)
    sleep(4);
  /* The shell's parent is this process. */
  if (strcmp(mode, "stop") == 0 && rank == size - 1 && system("(sleep 5; kill -CONT $PPID) >/dev/null 2>&1 &") == 0)
    raise(SIGSTOP);
  printf("rank %d leaf %ld work %ld\n", rank, counted[0], counted[1]);
  fflush(stdout);
  MPI_Finalize();
  if (strcmp(mode, "early") == 0)
    work(5);
  return 0;
}
