/*
 * Cristian's algorithm (Probabilistic clock synchronization, 1989): a rank asks rank 0 for its time, and takes the
 * answer that came back soonest, whose time lies in the middle but for half of the way there and back at the most.
 * Ranks of one machine, and in one time namespace, read the same clock and ask nothing.
 */
#include "profiler/mpi/host_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "format/hash.h"
#include "profiler/mpi/patience.h"

enum { QUESTIONS = 64, TAG_TIME = 31 };

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

static int answer(struct mpi_line *line, int from)
{
  int error = 0;
  for (int i = 0; i < QUESTIONS && error == 0; i++) {
    error = mpi_line_receive(line, from, TAG_TIME, &line->number, sizeof line->number);
    line->number = now();
    if (error == 0)
      error = mpi_line_send(line, from, TAG_TIME, &line->number, sizeof line->number);
  }
  return error;
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
    clock->ahead = (int64_t)(line->number - (asked + took / 2));
    clock->error = took / 2 + 1;
  }
  return 0;
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
  for (int i = 1; line->rank == 0 && error == 0 && i < line->size; i++)
    if (others[i])
      error = answer(line, i);
  if (error == 0 && is_other)
    error = ask(line, clock);
  return error;
}
