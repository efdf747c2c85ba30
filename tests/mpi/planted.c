/*
 * Waits that are planted, each some times: one rank comes late to what the others wait for. Every rank says by its own
 * clock when it came to each call and when it left it, so that what was planted is what happened, and not what sleep
 * was asked for. With "spawn" the ranks also start two more before, which do nothing.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TURNS = 2, SHORT = 8, LONG = 1 << 17, MOST = 200 };
static int rank, size, milliseconds;
static double out[LONG], in[LONG];

/* Who waits for whom: all for all, all for rank 0, or rank 0 for all. */
static struct stay {
  const char *what, *function, *whom;
  int turn;
  long long came, left;
} stays[MOST];
static int count, turn;

static long long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void came(const char *what, const char *function, const char *whom)
{
  stays[count] = (struct stay){.what = what, .function = function, .whom = whom, .turn = turn};
  stays[count].came = now();
}

static void left(void)
{
  stays[count++].left = now();
}

/* The call is `function`, and one of those that are told apart as `what`. */
#define CALL(what, function, whom, ...)                                                                                \
  do {                                                                                                                 \
    came(what, #function, whom);                                                                                       \
    function(__VA_ARGS__);                                                                                             \
    left();                                                                                                            \
  } while (0)

/* By a function that is planted nowhere: its waits are no others'. */
static void meet(void)
{
  int one = 1, all[64], counts[64], places[64];
  for (int i = 0; i < size; i++) {
    counts[i] = 1;
    places[i] = i;
  }
  MPI_Allgatherv(&one, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void late(int is_late)
{
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  meet();
  if (is_late)
    nanosleep(&time, NULL);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void send_to_1(const char *what, int tag)
{
  late(rank == 0);
  if (rank == 0)
    CALL(what, MPI_Send, "all", out, SHORT, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
}

/* Rank 0 sends late. */
static void late_sender(void)
{
  MPI_Request request;
  send_to_1("receive", 1);
  if (rank == 1)
    CALL("receive", MPI_Recv, "all", in, SHORT, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1)
    MPI_Irecv(in, SHORT, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &request);
  send_to_1("request", 2);
  if (rank == 1)
    CALL("request", MPI_Wait, "all", &request, MPI_STATUS_IGNORE);
  send_to_1("probe", 3);
  if (rank == 1) {
    CALL("probe", MPI_Probe, "all", 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, SHORT, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  late(rank == 0);
  if (rank < 2)
    CALL("both", MPI_Sendrecv, "all", out, SHORT, MPI_DOUBLE, 1 - rank, 4, in, SHORT, MPI_DOUBLE, 1 - rank, 4,
         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_late(const char *what, int length, int tag)
{
  if (rank == 1)
    CALL(what, MPI_Recv, "all", in, length, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 receives late. */
static void late_receiver(void)
{
  MPI_Request request;
  MPI_Status status;
  late(rank == 1);
  receive_late("synchronous", SHORT, 5);
  if (rank == 0)
    CALL("synchronous", MPI_Ssend, "all", out, SHORT, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
  late(rank == 1);
  receive_late("long", LONG, 6);
  if (rank == 0)
    CALL("long", MPI_Send, "all", out, LONG, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
  late(rank == 1);
  receive_late("begun", SHORT, 7);
  if (rank == 0) {
    MPI_Issend(out, SHORT, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
    CALL("begun", MPI_Waitall, "all", 1, &request, &status);
  }
}

/* The last rank comes late to what all wait for. */
static void late_rank(void)
{
  MPI_Comm twin;
  const int last = size - 1;
  late(rank == last);
  CALL("barrier", MPI_Barrier, "all", MPI_COMM_WORLD);
  late(rank == last);
  CALL("sum", MPI_Allreduce, "all", out, in, SHORT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  late(rank == last);
  CALL("exchange", MPI_Alltoall, "all", out, SHORT, MPI_DOUBLE, in, SHORT, MPI_DOUBLE, MPI_COMM_WORLD);
  late(rank == last);
  CALL("gathering", MPI_Allgather, "all", out, SHORT, MPI_DOUBLE, in, SHORT, MPI_DOUBLE, MPI_COMM_WORLD);
  late(rank == last);
  CALL("twin", MPI_Comm_dup, "all", MPI_COMM_WORLD, &twin);
  MPI_Comm_free(&twin);
}

/* Rank 0 comes late to what it gives to all, and all others to what it takes from them. */
static void late_root(void)
{
  late(rank == 0);
  CALL("broadcast", MPI_Bcast, "0", out, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  late(rank == 0);
  CALL("scatter", MPI_Scatter, "0", out, SHORT, MPI_DOUBLE, in, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  late(rank != 0);
  CALL("reduction", MPI_Reduce, "by 0", out, in, SHORT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  late(rank != 0);
  CALL("gather", MPI_Gather, "by 0", out, SHORT, MPI_DOUBLE, in, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
  MPI_Comm others = MPI_COMM_NULL;
  char *const words[] = {NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&others);
  const int is_spawned = others != MPI_COMM_NULL;
  if (argc > 1 && strcmp(argv[1], "spawn") == 0)
    MPI_Comm_spawn(argv[0], (char **)words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  if (others != MPI_COMM_NULL)
    MPI_Comm_disconnect(&others);
  for (turn = 0; turn < TURNS && !is_spawned; turn++) {
    milliseconds = 80 + 40 * turn;
    late_sender();
    late_receiver();
    late_rank();
    late_root();
  }
  for (int i = 0; i < count; i++)
    printf("came %d %s %d %s %lld %lld %s\n", rank, stays[i].what, stays[i].turn, stays[i].function, stays[i].came,
           stays[i].left, stays[i].whom);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
