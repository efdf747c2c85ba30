/* mpi_calls CALLS REPETITIONS: nanoseconds of calls of MPI that a rank makes with itself, so that none waits for
 * another, as JSON: of each kind one number a repetition. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long out[1024], in[1024];

static void probe(void)
{
  int flag;
  MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}
static void barrier(void)
{
  MPI_Barrier(MPI_COMM_SELF);
}
static void allreduce(void)
{
  MPI_Allreduce(out, in, 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
}
static void exchange(void)
{
  MPI_Sendrecv(out, 1, MPI_LONG, 0, 1, in, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void requests(void)
{
  MPI_Request both[2];
  MPI_Irecv(in, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, &both[0]);
  MPI_Isend(out, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static double measure(void (*call)(void), long calls)
{
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long i = 0; i < calls; i++)
    call();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / (double)calls;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*call)(void);
  } kinds[] = {{"iprobe", probe},
               {"barrier", barrier},
               {"allreduce", allreduce},
               {"sendrecv", exchange},
               {"isend_irecv_waitall", requests}};
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
  MPI_Init(&argc, &argv);
  printf("{");
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    printf("%s\"%s\": [", i ? ", " : "", kinds[i].name);
    for (int j = 0; j < repetitions; j++)
      printf("%s%.1f", j ? ", " : "", measure(kinds[i].call, calls));
    printf("]");
  }
  printf("}\n");
  MPI_Finalize();
  return 0;
}
