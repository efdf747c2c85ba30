/*
 * The ranks' recordings become one, along a binary tree: in step k rank r, a multiple of 2^(k+1), receives what rank
 * r + 2^k has put together, and adds it to its own. After log2(N) steps rank 0 has all.
 *
 * With the bytes goes a set of the ranks that they have, so that rank 0 can name those that are missing.
 */
#include "profiler/mpi/reduce.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiler/mpi/nodes.h"
#include "profiler/mpi/parts.h"
#include "profiler/mpi/waits/message.h"
#include "profiler/mpi/waits/patience.h"
#include "profiler/mpi/waits/transfer.h"
#include "profiler/mpi/waits/waits.h"

enum tag { TAG_RANKS = 4, TAG_HERE, TAG_GO, TAG_WHOLE };

/* Seconds that ranks are waited for that are not known to take part; and how many times as long where it is known, for
 * each message: the other one may have a merge before it. */
enum { DEFAULT_WAIT = 60, LONGEST_WAIT = 1000000, MERGE_FACTOR = 10 };

/* Of more ranks than that FILE does not tell each by itself, so that it does not grow with their number. */
enum { DEFAULT_APART = 16, MOST_APART = 1000000 };

/* Lies in memory of its own, that stays for MPI where a rank did not answer. */
struct reduction {
  struct mpi_line line;
  struct mpi_parts parts;
  uint8_t *ranks;    /* a bit a rank: whose calls are in what this rank has */
  uint8_t *received; /* the same of another rank */
  int set_size;      /* bytes of each */
  size_t mapped_size;
  bool is_lost;        /* a rank did not answer */
  MPI_Request opening; /* of the line's communicator */
};

static void add_rank(uint8_t *set, int rank)
{
  set[rank / 8] = (uint8_t)(set[rank / 8] | 1u << rank % 8);
}

static bool has_rank(const uint8_t *set, int rank)
{
  return set[rank / 8] >> rank % 8 & 1;
}

/* Why a transfer failed, in words. */
static const char *why(int error)
{
  return error == -EPIPE ? "MPI failed" : error == -ETIMEDOUT ? "it does not answer" : strerror(-error);
}

/* Sends what this rank has to rank `to`. */
static void send_part(struct reduction *reduction, int to)
{
  struct mpi_line *line = &reduction->line;
  int error = mpi_transfer_send(line, to, reduction->parts.has_own ? reduction->parts.own : NULL);
  if (error < 0)
    mpi_message("rank %d: what it has cannot be sent to rank %d: %s", line->rank, to, why(error));
  if (!mpi_line_is_lost(error))
    error = mpi_line_send(line, to, TAG_RANKS, reduction->ranks, (size_t)reduction->set_size);
  reduction->is_lost |= mpi_line_is_lost(error);
}

/* Receives what rank `from` has, and adds it. */
static void receive_part(struct reduction *reduction, int from)
{
  struct mpi_line *line = &reduction->line;
  bool is_file = false;
  int fd = mpi_parts_receive(&reduction->parts);
  int error = mpi_transfer_receive(line, from, fd, &is_file);
  if (fd >= 0 && close(fd) != 0 && error == 0)
    error = -errno;
  if (!mpi_line_is_lost(error)) {
    const int told = mpi_line_receive(line, from, TAG_RANKS, reduction->received, (size_t)reduction->set_size);
    error = told < 0 ? told : error;
  }
  reduction->is_lost |= mpi_line_is_lost(error);
  if (fd < 0 && !mpi_line_is_lost(error))
    error = fd;
  if (error < 0)
    mpi_message("rank %d: what rank %d has cannot be kept: %s: %s", line->rank, from, reduction->parts.peer,
                why(error));
  if (error == 0 && is_file)
    error = mpi_parts_join(&reduction->parts);
  else if (fd >= 0)
    unlink(reduction->parts.peer);
  for (int i = 0; error == 0 && i < reduction->set_size; i++)
    reduction->ranks[i] |= reduction->received[i];
}

/* Lists the first of the ranks that are not in the set; the result is how many there are. */
static int list_others(char list[256], const uint8_t *set, int size)
{
  size_t length = 0;
  int others = 0;
  list[0] = '\0';
  for (int rank = 0; rank < size; rank++) {
    if (has_rank(set, rank))
      continue;
    others++;
    if (length < 256 - 24)
      length += (size_t)snprintf(list + length, 256 - length, "%s%d", others > 1 ? ", " : "", rank);
    else if (list[length - 1] != '.')
      length += (size_t)snprintf(list + length, 256 - length, ", ...");
  }
  return others;
}

/* Says of which ranks FILE lacks the calls. False: of some. */
static bool tell_missing(const struct reduction *reduction)
{
  char list[256];
  const int missing = list_others(list, reduction->ranks, reduction->line.size);
  if (missing > 0)
    mpi_message("%s: lacks %d of %d ranks (%s), whose recordings are %s.rankN alone", reduction->parts.joined, missing,
                reduction->line.size, list, reduction->parts.joined);
  return missing == 0;
}

/* The ranks that this one receives from in turn, up to what the result is: it is this one's `line->rank + step` for
 * steps 1, 2, 4, ... below it. */
static int64_t last_step(const struct mpi_line *line)
{
  int64_t step = 1;
  while (step < line->size && !(line->rank & step))
    step *= 2;
  return step;
}

/* Is everybody there still? Who came late to find that the others gave up learns it here, before it has anything to
 * send. `seconds`: what a word is waited for. */
static bool agree(struct reduction *reduction, int seconds)
{
  struct mpi_line *line = &reduction->line;
  const int64_t end = last_step(line);
  const int parent = (int)(line->rank - end);
  bool all = true;
  int silent = -1;
  line->patience = seconds;
  for (int64_t step = 1; step < end && line->rank + step < line->size; step *= 2) {
    if (mpi_line_receive(line, (int)(line->rank + step), TAG_HERE, &line->ready, sizeof line->ready) < 0)
      silent = (int)(line->rank + step);
    else
      all &= line->ready;
  }
  all &= silent < 0;
  line->ready = all;
  if (line->rank > 0) {
    line->patience = 2 * seconds;
    if (mpi_line_send(line, parent, TAG_HERE, &line->ready, sizeof line->ready) < 0 ||
        mpi_line_receive(line, parent, TAG_GO, &line->ready, sizeof line->ready) < 0)
      silent = parent;
    all &= silent < 0 && line->ready;
    line->ready = all;
  }
  for (int64_t step = 1; step < end && line->rank + step < line->size; step *= 2)
    (void)mpi_line_send(line, (int)(line->rank + step), TAG_GO, &line->ready, sizeof line->ready);
  if (silent >= 0)
    mpi_message("rank %d: rank %d does not answer: the ranks' recordings stay apart", line->rank, silent);
  reduction->is_lost |= silent >= 0;
  return all;
}

/* Rank 0 tells all whether FILE has all of them, and whether they all record beside it: what they do after MPI_Finalize
 * comes into it then. A rank hears of it when all merges above its own are done. */
static void hear_whole(struct reduction *reduction)
{
  struct mpi_line *line = &reduction->line;
  const int64_t end = last_step(line);
  const int once = line->patience, parent = (int)(line->rank - end);
  for (int64_t step = 1; step < line->size; step *= 2)
    line->patience += once;
  if (line->rank > 0 && !reduction->is_lost &&
      mpi_line_receive(line, parent, TAG_WHOLE, &line->ready, sizeof line->ready) < 0) {
    mpi_message("rank %d: rank %d does not answer: what ranks do after MPI_Finalize is in %s.rankN alone", line->rank,
                parent, reduction->parts.joined);
    reduction->is_lost = true;
  }
  line->ready &= !reduction->is_lost;
  line->patience = once / MERGE_FACTOR;
  for (int64_t step = 1; step < end && line->rank + step < line->size; step *= 2)
    reduction->is_lost |=
        mpi_line_is_lost(mpi_line_send(line, (int)(line->rank + step), TAG_WHOLE, &line->ready, sizeof line->ready));
  if (line->ready)
    mpi_parts_tell_whole(&reduction->parts, line->size);
}

static void climb(struct reduction *reduction)
{
  struct mpi_line *line = &reduction->line;
  const int error = mpi_waits_find(line);
  if (mpi_line_is_lost(error)) {
    mpi_message("rank %d: what calls of MPI waited for is not known: %s: the ranks' recordings stay apart", line->rank,
                error == -EPIPE ? why(error) : "a rank does not answer");
    reduction->is_lost = true;
    return;
  }
  if (mpi_parts_begin(&reduction->parts) == 0)
    add_rank(reduction->ranks, line->rank);
  const int64_t end = last_step(line);
  for (int64_t step = 1; step < end && line->rank + step < line->size; step *= 2)
    receive_part(reduction, (int)(line->rank + step));
  if (line->rank > 0)
    send_part(reduction, (int)(line->rank - end));
  line->ready = line->rank == 0 && mpi_parts_place(&reduction->parts) == 0 && tell_missing(reduction) &&
                mpi_parts_started(&reduction->parts, line->size, false, reduction->received) == line->size;
  mpi_parts_end(&reduction->parts);
  hear_whole(reduction);
}

/* The memory that a reduction takes, apart from the program's heap; NULL: there is none. */
static struct reduction *map(int rank, int size)
{
  const size_t set_size = ((size_t)size + 7) / 8, head = (sizeof(struct reduction) + 63) / 64 * 64,
               mapped_size = head + MPI_TRANSFER_CHUNK + 2 * set_size;
  char *mapped = mmap(NULL, mapped_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return NULL;
  struct reduction *reduction = (struct reduction *)(void *)mapped;
  *reduction = (struct reduction){
      .line = {.communicator = MPI_COMM_NULL, .rank = rank, .size = size, .chunk = mapped + head},
      .ranks = (uint8_t *)mapped + head + MPI_TRANSFER_CHUNK,
      .received = (uint8_t *)mapped + head + MPI_TRANSFER_CHUNK + set_size,
      .set_size = (int)set_size,
      .mapped_size = mapped_size,
  };
  return reduction;
}

/* A number from the environment, from `least` to `most`; else `standard`. */
static int number_of(const char *name, int least, int most, int standard)
{
  const char *value = secure_getenv(name);
  char *end;
  if (!value || !*value)
    return standard;
  const long number = strtol(value, &end, 10);
  if (*end == '\0' && number >= least && number <= most)
    return (int)number;
  mpi_message("%s=%s is no number from %d to %d: it is taken for %d", name, value, least, most, standard);
  return standard;
}

/* The first of the ranks in the set, which speaks for all of them. */
static bool is_first(const uint8_t *set, int rank)
{
  int first = 0;
  while (first < rank && !has_rank(set, first))
    first++;
  return first == rank;
}

/* Says for whom this one waits no longer: the ranks that are not in `received`. */
static void tell_waited(const struct reduction *reduction, int seconds)
{
  char list[256];
  const int others = list_others(list, reduction->received, reduction->line.size);
  mpi_message(
      "not all ranks came to MPI_Finalize within %d s (CALLSIG_MPI_WAIT)%s%s%s: the ranks' recordings stay apart",
      seconds, others == 0 ? "" : ", and nothing beside this one's recording tells of rank",
      others == 0   ? ""
      : others == 1 ? " "
                    : "s ",
      list);
}

/* Waits for all ranks to come to MPI_Finalize as this one does. A rank that runs without this library never will, and
 * the others cannot see that it does not: so they wait for ever only while each is known to take part, by what it left
 * beside the recordings. */
static int wait_for_all(struct reduction *reduction, int seconds)
{
  const struct mpi_line *line = &reduction->line;
  int error;
  while ((error = mpi_wait(&reduction->opening, seconds, MPI_STATUS_IGNORE)) == -ETIMEDOUT) {
    if (mpi_parts_started(&reduction->parts, line->size, true, reduction->received) == line->size)
      continue;
    mpi_parts_started(&reduction->parts, line->size, false, reduction->received);
    add_rank(reduction->received, line->rank);
    if (is_first(reduction->received, line->rank))
      tell_waited(reduction, seconds);
    return error;
  }
  return error;
}

/* Messages that the program has not received cannot meet those of a communicator that nobody else has. Where a rank is
 * gone, MPI_COMM_WORLD's own handler would end this one. */
static int open_line(struct reduction *reduction, bool *agreed)
{
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  struct mpi_line *line = &reduction->line;
  const int seconds = number_of("CALLSIG_MPI_WAIT", 1, LONGEST_WAIT, DEFAULT_WAIT);
  const bool has_handler = PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) == MPI_SUCCESS;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int error = -EPIPE;
  if (PMPI_Comm_idup(MPI_COMM_WORLD, &line->communicator, &reduction->opening) == MPI_SUCCESS)
    error = wait_for_all(reduction, seconds);
  if (has_handler) {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    PMPI_Errhandler_free(&handler);
  }
  if (error == 0) {
    PMPI_Comm_set_errhandler(line->communicator, MPI_ERRORS_RETURN);
    *agreed = agree(reduction, seconds);
  }
  line->patience = seconds * MERGE_FACTOR;
  return error;
}

/* Does a rank of this machine run without this library? It will come to no collective call of it, and the others would
 * wait for it. What was started on other machines may record where nobody here sees it. */
static bool lacks_rank(const struct reduction *reduction)
{
  const struct mpi_line *line = &reduction->line;
  const int here = mpi_nodes_here(),
            started = mpi_parts_started(&reduction->parts, line->size, false, reduction->received);
  if (started < 0 || here > line->size || started >= here)
    return false;
  if (is_first(reduction->received, line->rank))
    mpi_message(
        "%d of the job's ranks on this machine were not started by 'callsig run --mpi', so the ranks' recordings "
        "stay apart",
        here - started);
  return true;
}

static void put_together(struct reduction *reduction)
{
  struct mpi_line *line = &reduction->line;
  if (lacks_rank(reduction))
    return;
  bool agreed = false;
  const int error = open_line(reduction, &agreed);
  if (error == -EPIPE)
    mpi_message("rank %d: MPI does not reach every rank, so the ranks' recordings stay apart", line->rank);
  if (agreed)
    climb(reduction);
  reduction->is_lost |= mpi_line_is_lost(error);
  if (!reduction->is_lost)
    PMPI_Comm_free(&line->communicator);
}

void mpi_reduce_begin(void)
{
  struct mpi_parts parts;
  int rank = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && mpi_parts_find(&parts, rank))
    mpi_parts_tell(&parts, FMT_MPI_RUNNING);
}

void mpi_reduce(void)
{
  struct mpi_parts parts;
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool is_named = mpi_parts_find(&parts, rank);
  /* A program that is no parallel job has its one recording where it belongs. */
  if (size == 1 && !is_named)
    return;
  struct reduction *reduction = is_named ? map(rank, size) : NULL;
  mpi_parts_tell(&parts, reduction ? FMT_MPI_JOINING : FMT_MPI_DONE);
  if (!reduction) {
    mpi_message("rank %d: %s, so the ranks' recordings stay apart", rank,
                is_named ? "there is no memory" : "its recording is not called FILE.rankN, with its rank in the job");
    return;
  }
  reduction->parts = parts;
  reduction->parts.folds = size > number_of("CALLSIG_MPI_APART", 1, MOST_APART, DEFAULT_APART);
  put_together(reduction);
  mpi_parts_tell(&parts, FMT_MPI_DONE);
  if (!reduction->is_lost)
    munmap(reduction, reduction->mapped_size);
}
