/*
 * Cristian's algorithm (Probabilistic clock synchronization, 1989): a rank asks rank 0 for its time, and takes the
 * answer that came back soonest, whose time lies in the middle but for half of the way there and back at the most.
 * Ranks of one machine, and in one time namespace, read the same clock and ask nothing.
 *
 * That tells how the clocks lie at the end. How they drifted before follows from the calls of all ranks together that
 * the program made itself: neither of two ranks leaves one before the other has come to it, so the clocks lie within
 * bounds at that time (Duda and others, Estimating global time in distributed systems, 1987). A question of our own at
 * the beginning would be a call that a rank without this library never makes.
 */
#include "profiler/mpi/waits/host_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "format/hash.h"
#include "profiler/mpi/waits/log.h"
#include "profiler/mpi/waits/patience.h"

enum { QUESTIONS = 64, TAG_TIME = 31, TAG_MEETINGS = 32 };

/* The first calls of all ranks together that rank 0 made, by key and number. They say the most of what clocks drifted,
 * as they are the farthest from the end. */
enum { MEETINGS_MOST = 1024 };
struct met {
  uint64_t key, enter, exit;
  uint64_t number;
};
static struct {
  uint64_t count;
  struct met met[MEETINGS_MOST];
} meetings;

/* What clocks of machines drift against each other at the most: what is measured worse than that is taken for it. */
#define LIKELY_DRIFT 1e-3

static uint64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* What the machine's clock is known by: it starts anew with the machine, and may be moved for a group of processes. */
static uint64_t name_of_clock(void)
{
  char name[256];
  ssize_t size = 0;
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    size = read(fd, name, sizeof name / 2);
    close(fd);
  }
  /* Where it cannot be read, each rank's clock is one of its own. */
  if (size <= 0)
    return now() ^ (uint64_t)getpid() << 32;
  const ssize_t space = readlink("/proc/self/ns/time", name + size, sizeof name / 2);
  return fmt_hash(name, (size_t)size + (space > 0 ? (size_t)space : 0));
}

static int by_number(const void *a, const void *b)
{
  const struct met *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* One in which each waits for all, and which ended when all had come. False: it is none. */
static bool find_met(struct met *met, uint32_t place)
{
  const struct mpi_meeting *meeting = mpi_log_meeting_at(place);
  if (meeting->kind != MEETING_ALL || meeting->pause == MPI_NOT_LOGGED)
    return false;
  const struct mpi_pause *pause = mpi_log_pause_at(meeting->pause);
  *met = (struct met){.key = meeting->key, .enter = meeting->enter, .exit = pause->exit, .number = meeting->number};
  return true;
}

/* Collects them, in rank 0. */
static void collect_meetings(void)
{
  uint64_t lost;
  const uint32_t logged = mpi_log_meetings(&lost);
  meetings.count = 0;
  for (uint32_t i = 0; i < logged && meetings.count < MEETINGS_MOST; i++)
    meetings.count += find_met(&meetings.met[meetings.count], i);
  qsort(meetings.met, meetings.count, sizeof *meetings.met, by_number);
}

/* What the drift may be, by what is known so far. */
struct drifts {
  double least, most;
  uint64_t first; /* the earliest time that a bound is of */
};

/* A difference of two times. */
static double less(uint64_t a, uint64_t b)
{
  return (double)(int64_t)(a - b);
}

/* Narrows it by a call that both ranks made. Each left it when the other had come to it. */
static void narrow(struct drifts *drifts, const struct mpi_host_clock *clock, const struct met *own,
                   const struct met *first)
{
  const double ahead = (double)clock->ahead, error = (double)clock->error;
  const double since_enter = less(clock->at, own->enter), since_exit = less(clock->at, own->exit);
  if (since_exit <= 0)
    return;
  const double least = (ahead - less(first->exit, own->enter) - error) / since_enter,
               most = (ahead - less(first->enter, own->exit) + error) / since_exit;
  drifts->least = least > drifts->least ? least : drifts->least;
  drifts->most = most < drifts->most ? most : drifts->most;
  drifts->first = own->enter < drifts->first ? own->enter : drifts->first;
}

/* Finds what this rank's clock drifted against that of rank 0, whose meetings are there. */
static void find_drift(struct mpi_host_clock *clock)
{
  uint64_t lost;
  const uint32_t logged = mpi_log_meetings(&lost);
  struct drifts drifts = {-1, 1, clock->at};
  struct met own;
  for (uint32_t i = 0; i < logged; i++) {
    const struct met *first =
        find_met(&own, i) ? bsearch(&own, meetings.met, meetings.count, sizeof own, by_number) : NULL;
    if (first)
      narrow(&drifts, clock, &own, first);
  }
  const double least = drifts.least > -LIKELY_DRIFT ? drifts.least : -LIKELY_DRIFT,
               most = drifts.most < LIKELY_DRIFT ? drifts.most : LIKELY_DRIFT;
  if (least <= most) {
    drifts.least = least;
    drifts.most = most;
  }
  clock->drift = (drifts.least + drifts.most) / 2;
  /* Of clocks that did not drift evenly bounds may cross, by as much as that. */
  const double width = drifts.most > drifts.least ? drifts.most - drifts.least : drifts.least - drifts.most;
  clock->error += (uint64_t)(width / 2 * less(clock->at, drifts.first));
}

uint64_t mpi_host_clock_of_first(const struct mpi_host_clock *clock, uint64_t own)
{
  return own + (uint64_t)clock->ahead + (uint64_t)(int64_t)(clock->drift * less(own, clock->at));
}

uint64_t mpi_host_clock_own(const struct mpi_host_clock *clock, uint64_t first)
{
  const uint64_t even = first - (uint64_t)clock->ahead;
  return even - (uint64_t)(int64_t)(clock->drift / (1 + clock->drift) * less(even, clock->at));
}

static int answer(struct mpi_line *line, int from)
{
  int error = 0;
  for (int i = 0; i < QUESTIONS && error == 0; i++) {
    error = mpi_line_receive(line, from, TAG_TIME, &line->number, sizeof line->number);
    line->number = now();
    if (error == 0)
      error = mpi_line_send(line, from, TAG_TIME, &line->number, sizeof line->number);
  }
  return error < 0 ? error : mpi_line_send(line, from, TAG_MEETINGS, &meetings, sizeof meetings);
}

static int ask(struct mpi_line *line, struct mpi_host_clock *clock)
{
  uint64_t soonest = UINT64_MAX;
  for (int i = 0; i < QUESTIONS; i++) {
    const uint64_t asked = now();
    int error = mpi_line_send(line, 0, TAG_TIME, &line->number, sizeof line->number);
    if (error == 0)
      error = mpi_line_receive(line, 0, TAG_TIME, &line->number, sizeof line->number);
    if (error < 0)
      return error;
    const uint64_t took = now() - asked;
    if (took >= soonest)
      continue;
    soonest = took;
    clock->at = asked + took / 2;
    clock->ahead = (int64_t)(line->number - clock->at);
    clock->error = took / 2 + 1;
  }
  const int error = mpi_line_receive(line, 0, TAG_MEETINGS, &meetings, sizeof meetings);
  if (error == 0)
    find_drift(clock);
  return error;
}

/* Rank 0 learns who has another clock than it. `others`: room for what each says. */
static int find_others(struct mpi_line *line, uint64_t own, int *others)
{
  MPI_Request request;
  line->number = own;
  if (PMPI_Ibcast(&line->number, 1, MPI_UINT64_T, 0, line->communicator, &request) != MPI_SUCCESS)
    return -EPIPE;
  int error = mpi_wait(&request, line->patience, MPI_STATUS_IGNORE);
  if (error < 0)
    return error;
  line->own_word = own != line->number;
  if (PMPI_Igather(&line->own_word, 1, MPI_INT, others, 1, MPI_INT, 0, line->communicator, &request) != MPI_SUCCESS)
    return -EPIPE;
  return mpi_wait(&request, line->patience, MPI_STATUS_IGNORE);
}

int mpi_host_clock_find(struct mpi_line *line, int *others, struct mpi_host_clock *clock)
{
  *clock = (struct mpi_host_clock){.ahead = 0};
  int error = find_others(line, name_of_clock(), others);
  const bool is_other = line->own_word;
  if (line->rank == 0)
    collect_meetings();
  for (int i = 1; line->rank == 0 && error == 0 && i < line->size; i++)
    if (others[i])
      error = answer(line, i);
  if (error == 0 && is_other)
    error = ask(line, clock);
  return error;
}
