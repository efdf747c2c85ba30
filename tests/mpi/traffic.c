/* Calls of MPI of every kind that a program makes, the same in each run; or delays that are planted by sleeping. */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static long long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void around(MPI_Comm ring, int count)
{
  int me, all;
  double out[4096] = {0}, in[2][4096];
  MPI_Comm_rank(ring, &me);
  MPI_Comm_size(ring, &all);
  const int next = (me + 1) % all, previous = (me + all - 1) % all;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  int index, indices[4], done, flag;
  MPI_Sendrecv(out, count, MPI_DOUBLE, next, 1, in[0], count, MPI_DOUBLE, previous, 1, ring, MPI_STATUS_IGNORE);
  MPI_Irecv(in[0], count, MPI_DOUBLE, previous, 2, ring, &requests[0]);
  MPI_Irecv(in[1], count, MPI_DOUBLE, MPI_ANY_SOURCE, 3, ring, &requests[1]);
  MPI_Isend(out, count, MPI_DOUBLE, next, 2, ring, &requests[2]);
  MPI_Isend(out, count / 2, MPI_DOUBLE, next, 3, ring, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(in[0], count, MPI_INT, previous, 4, ring, &requests[0]);
  MPI_Issend(out, count, MPI_INT, next, 4, ring, &requests[1]);
  MPI_Waitany(2, requests, &index, &statuses[0]);
  MPI_Wait(&requests[1 - index], MPI_STATUS_IGNORE);
  MPI_Irecv(in[0], count, MPI_CHAR, previous, 5, ring, &requests[0]);
  MPI_Send(out, count, MPI_CHAR, next, 5, ring);
  MPI_Waitsome(1, requests, &done, indices, statuses);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  if (me == 0) {
    MPI_Ssend(out, count, MPI_FLOAT, next, 6, ring);
  } else if (me == 1) {
    MPI_Probe(previous, MPI_ANY_TAG, ring, &statuses[0]);
    MPI_Recv(in[0], 4096, MPI_FLOAT, statuses[0].MPI_SOURCE, statuses[0].MPI_TAG, ring, &statuses[1]);
  }
  MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, ring);
}

/* Requests that are made once and started often. */
static void persistent(void)
{
  long out = rank, in = 0;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_LONG, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_LONG, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void together(MPI_Comm ranks, int count)
{
  int me, all;
  MPI_Comm_rank(ranks, &me);
  MPI_Comm_size(ranks, &all);
  double *out = calloc((size_t)count * (size_t)all, sizeof *out), *in = calloc((size_t)count * (size_t)all, sizeof *in);
  int *counts = calloc((size_t)all, sizeof *counts), *places = calloc((size_t)all, sizeof *places);
  for (int i = 0; i < all; i++) {
    counts[i] = count;
    places[i] = i * count;
  }
  MPI_Barrier(ranks);
  MPI_Bcast(out, count, MPI_DOUBLE, 0, ranks);
  MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, all - 1, ranks);
  MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_MAX, ranks);
  MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_DOUBLE, MPI_MAX, ranks);
  MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, ranks);
  MPI_Gatherv(out, count, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 0, ranks);
  MPI_Scatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, ranks);
  MPI_Scatterv(out, counts, places, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, ranks);
  MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, ranks);
  MPI_Allgatherv(out, count, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, ranks);
  MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, ranks);
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, ranks);
  MPI_Scan(out, in, count, MPI_DOUBLE, MPI_SUM, ranks);
  MPI_Exscan(out, in, count, MPI_DOUBLE, MPI_SUM, ranks);
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, ranks);
  MPI_Reduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, ranks);
  MPI_Request request;
  MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, ranks, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(ranks, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(out);
  free(in);
  free(counts);
  free(places);
}

static void traffic(void)
{
  MPI_Comm half, twin;
  MPI_Datatype triple;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  for (int count = 2; count <= 4096; count *= 8) {
    around(MPI_COMM_WORLD, count);
    around(twin, count);
    together(MPI_COMM_WORLD, count);
    together(half, count);
    together(MPI_COMM_SELF, count);
  }
  persistent();
  MPI_Type_contiguous(3, MPI_INT, &triple);
  MPI_Type_commit(&triple);
  int numbers[6] = {0};
  MPI_Bcast(numbers, 2, triple, 0, MPI_COMM_WORLD);
  MPI_Type_free(&triple);
  MPI_Comm_free(&half);
  MPI_Comm_free(&twin);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void delay(int milliseconds)
{
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* Says when this rank came to do what, by the machine's clock. */
static void came(const char *what, int turn)
{
  printf("came %d %s %d %lld\n", rank, what, turn, now());
}

/* Rank 0 sends late, or rank 1 receives late; both by calls that end with the message and by requests. */
static void late_message(int turn)
{
  double data[8] = {0};
  MPI_Request request;
  if (rank == 0) {
    delay(turn == 0 ? 200 : 100);
    came("send", turn);
    MPI_Send(data, 8, MPI_DOUBLE, 1, turn, MPI_COMM_WORLD);
  } else if (rank == 1 && turn == 0) {
    came("receive", turn);
    MPI_Recv(data, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Irecv(data, 8, MPI_DOUBLE, 0, turn, MPI_COMM_WORLD, &request);
    came("receive", turn);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
}

static void late_receiver(int turn)
{
  double data[8] = {0};
  if (rank == 0) {
    came("ssend", turn);
    MPI_Ssend(data, 8, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
  } else if (rank == 1) {
    delay(300);
    came("late receive", turn);
    MPI_Recv(data, 8, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void late_ranks(int turn)
{
  double one = 1, sum = 0;
  if (rank == size - 1)
    delay(250);
  came("allreduce", turn);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    delay(150);
  came("bcast", turn);
  MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0)
    delay(120);
  came("reduce", turn);
  MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void delays(void)
{
  for (int turn = 0; turn < 2; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    late_message(turn);
    MPI_Barrier(MPI_COMM_WORLD);
    late_receiver(turn);
    MPI_Barrier(MPI_COMM_WORLD);
    late_ranks(turn);
  }
}

/* ------------------------------------------------------------------------------------------------------------------ */

enum { THREADS = 4, MESSAGES = 500 };

static void *talk(void *data)
{
  const int tag = (int)(long)data, other = rank ^ 1;
  long out = tag, in;
  for (int i = 0; i < MESSAGES && other < size; i++) {
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_LONG, other, tag, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_LONG, other, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (in != tag)
      abort();
  }
  return NULL;
}

static void threads(void)
{
  pthread_t ids[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&ids[i], NULL, talk, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(ids[i], NULL);
}

/* Rank 0 sends one number, long after rank 1 said that it comes to receive it. */
static void send_late(int tag)
{
  int number = 7;
  MPI_Recv(&number, 1, MPI_INT, 1, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  delay(300);
  MPI_Send(&number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

/* Short messages there and back, by calls that wait for both; rank 1 comes late. */
static void both_ways(void)
{
  long out = rank, in = 0;
  MPI_Request requests[2];
  for (int turn = 0; turn < 2 && rank < 2; turn++) {
    if (rank == 1)
      usleep(200000);
    if (turn == 0) {
      MPI_Sendrecv(&out, 1, MPI_LONG, 1 - rank, 1, &in, 1, MPI_LONG, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Isend(&out, 1, MPI_LONG, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&in, 1, MPI_LONG, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
  }
}

/* A receive that is cancelled and freed unseen, one that is too short for what comes, and a type of many bytes. */
static void odd(void)
{
  int numbers[4] = {1, 2, 3, 4};
  MPI_Request request;
  MPI_Datatype huge;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    MPI_Send(numbers, 4, MPI_INT, 1, 7, MPI_COMM_WORLD);
    send_late(5);
    send_late(7);
  } else if (rank == 1) {
    MPI_Irecv(numbers, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    MPI_Send(numbers, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Recv(numbers, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (MPI_Recv(numbers, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS)
      abort();
    MPI_Send(numbers, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    MPI_Irecv(numbers, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &huge);
  MPI_Type_commit(&huge);
  MPI_Ssend(numbers, 1, huge, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
  MPI_Type_free(&huge);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  int level = 0;
  MPI_Init_thread(&argc, &argv, strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "delays") == 0)
    delays();
  else if (strcmp(mode, "threads") == 0)
    threads();
  else if (strcmp(mode, "both ways") == 0)
    both_ways();
  else if (strcmp(mode, "odd") == 0)
    odd();
  else
    traffic();
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
