/* The last rank takes four times as long for large n; each prints what it took for each n, as its own clock saw it.
 * With an argument the last rank comes late to each of twenty barriers. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long rounds;

__attribute__((noinline)) long work(int n)
{
  volatile long sum = 0;
  for (long i = 0; i < n * rounds; i++)
    sum += i;
  return sum;
}

static double now(void) __attribute__((no_instrument_function));
static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20 && argc > 1; i++) {
    if (rank == size - 1)
      usleep(20000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (argc > 1) {
    MPI_Finalize();
    return 0;
  }
  for (int n = 1024; n <= 8192; n *= 2) {
    rounds = n >= 4096 && rank == size - 1 ? 16000 : 4000;
    const double begin = now();
    for (int i = 0; i < 10; i++)
      work(n);
    printf("rank %d n %d took %.9f\n", rank, n, now() - begin);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
