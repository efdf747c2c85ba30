/*
 * Calls in which a rank waits for some of the others: neighbours, who opens its memory to them or locks it, and
 * messages in parts. Each comes late once, by a known time, and says when it came.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64 };
static int rank, size;
static double out[8 * MOST], in[8 * MOST];

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

/* The one that is late, and when. */
static void late(int who, int milliseconds, const char *what)
{
  if (rank == who)
    delay(milliseconds);
  came(what);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A line in which rank 1 lies between 0 and 2, and others behind. */
static void in_line(void)
{
  const int open = 0, all = size;
  MPI_Comm line;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &open, 0, &line);
  late(0, 200, "line");
  MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, line);
  /* A message of the same communicator, which is none of these. */
  if (rank == 0)
    MPI_Send(out, 1, MPI_INT, 1, 0, line);
  else if (rank == 1)
    MPI_Recv(in, 1, MPI_INT, 0, 0, line, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  late(2, 150, "begun line");
  MPI_Ineighbor_alltoall(out, 5, MPI_INT, in, 5, MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 gives to all others, who give to nobody. */
static void from_one(void)
{
  const int zero = 0;
  int *others = malloc((size_t)size * sizeof *others);
  MPI_Comm star;
  for (int i = 0; i < size; i++)
    others[i] = i + 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &zero, MPI_UNWEIGHTED, rank ? 0 : size - 1, others,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
  late(0, 180, "star");
  MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, star);
  MPI_Comm_free(&star);
  free(others);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Rank 0 opens its memory late, and one of those who reach into it is late to be done. */
static void opened(MPI_Win window)
{
  MPI_Group world, group;
  const int zero = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (rank == 0)
    MPI_Group_excl(world, 1, &zero, &group);
  else
    MPI_Group_incl(world, 1, &zero, &group);
  for (int turn = 0; turn < 2; turn++) {
    if (rank == 0) {
      late(turn == 0 ? 0 : -1, 200, turn ? "post again" : "post");
      MPI_Win_post(group, 0, window);
      came(turn ? "wait again" : "wait");
      MPI_Win_wait(window);
    } else {
      came(turn ? "start again" : "start");
      MPI_Win_start(group, 0, window);
      MPI_Put(out, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
      late(turn == 1 ? size - 1 : -1, 250, turn ? "complete again" : "complete");
      MPI_Win_complete(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

/* Rank 1 has the lock of rank 0's memory when another one asks for it: `ask` says how. */
static void locked(MPI_Win window, const char *kept, const char *asked, void (*ask)(MPI_Win))
{
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(out, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
    MPI_Win_flush(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    delay(220);
    came(kept);
    MPI_Win_unlock(0, window);
  } else if (rank == 2) {
    came(asked);
    ask(window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ask_for_one(MPI_Win window)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(out, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, window);
  MPI_Win_flush(0, window);
  MPI_Win_unlock(0, window);
}

static void ask_for_all(MPI_Win window)
{
  MPI_Win_lock_all(0, window);
  MPI_Get(in, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, window);
  MPI_Win_flush_all(window);
  MPI_Win_unlock_all(window);
}

/* Two that do not keep each other waiting. */
static void shared_locks(MPI_Win window)
{
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(in, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, window);
  delay(50);
  MPI_Win_unlock(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void memory(void)
{
  double *shared;
  MPI_Win window;
  MPI_Win_allocate(MOST * (MPI_Aint)sizeof *shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  opened(window);
  shared_locks(window);
  locked(window, "unlock", "lock", ask_for_one);
  locked(window, "unlock again", "lock all", ask_for_all);
  MPI_Win_free(&window);
}

/* ------------------------------------------------------------------------------------------------------------------ */

#if MPI_VERSION >= 4
/* The first request is of other messages of the same tag, and the last part of the second is late. */
static void in_parts(void)
{
  MPI_Request requests[2];
  if (rank > 1)
    return;
  for (int i = 0; i < 2; i++)
    if (rank == 0)
      MPI_Psend_init(out, 4, 8, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
    else
      MPI_Precv_init(in, 4, 8, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int turn = 0; turn < 3; turn++) {
    const int which = turn == 1;
    MPI_Request *request = &requests[which];
    MPI_Start(request);
    if (rank == 0) {
      MPI_Pready_range(0, 2, *request);
      if (turn == 1)
        delay(230);
      if (turn == 1)
        came("ready");
      MPI_Pready(3, *request);
    } else if (turn == 1) {
      came("parts");
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; i++)
    MPI_Request_free(&requests[i]);
}
#endif

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in_line();
  from_one();
  memory();
#if MPI_VERSION >= 4
  in_parts();
#endif
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
