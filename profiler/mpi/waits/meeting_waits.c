/*
 * Ranks that came late to a call of all together.
 *
 * Such calls of a communicator are numbered by its ranks alike. Of call number n one rank, a different one each time,
 * is told by all when they came to it, and tells each until when it had to wait for others.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/mpi/waits/replay.h"

/* What the leader is told: by rank 0's clock. */
struct arrival {
  uint64_t key, enter;
  uint32_t number;
  int32_t rank, size, root;
  uint32_t kind;
  uint32_t from; /* filled by the leader: the rank that tells it */
};

/* All that a leader is told. */
struct told {
  struct arrival *arrivals;
  size_t count, room;
  uint64_t *until; /* for each, in the order in which they came: 0 not known */
  size_t *order;
  bool is_short; /* there was no memory for some */
};

/* This rank's meetings, by their leaders, and how many were answered so far for each of these. */
struct own {
  const struct mpi_waits *waits;
  uint32_t *order;
  uint32_t *first; /* for each leader where its meetings begin in `order`, and at last where they end */
};

static int by_leader(const void *a, const void *b)
{
  const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
  const int32_t x = mpi_log_meeting_at(one)->leader, y = mpi_log_meeting_at(two)->leader;
  if (x != y)
    return x < y ? -1 : 1;
  return (one > two) - (one < two);
}

static void sort(const struct own *own, uint32_t meetings)
{
  const int ranks = own->waits->line->size;
  uint32_t count = 0;
  for (uint32_t i = 0; i < meetings; i++) {
    const struct mpi_meeting *meeting = mpi_log_meeting_at(i);
    if (meeting->kind != MEETING_NONE && meeting->leader >= 0 && meeting->leader < ranks)
      own->order[count++] = i;
  }
  qsort(own->order, count, sizeof *own->order, by_leader);
  int rank = 0;
  for (uint32_t i = 0; i < count; i++)
    while (rank <= mpi_log_meeting_at(own->order[i])->leader)
      own->first[rank++] = i;
  while (rank <= ranks)
    own->first[rank++] = count;
}

static void pack(const struct own *own, struct arrival *arrivals, struct mpi_parcel *parcels)
{
  for (int rank = 0; rank < own->waits->line->size; rank++) {
    const uint32_t begin = own->first[rank], end = own->first[rank + 1];
    for (uint32_t i = begin; i < end; i++) {
      const struct mpi_meeting *meeting = mpi_log_meeting_at(own->order[i]);
      arrivals[i] = (struct arrival){.key = meeting->key,
                                     .enter = mpi_host_clock_of_first(&own->waits->clock, meeting->enter),
                                     .number = meeting->number,
                                     .rank = meeting->rank,
                                     .size = meeting->size,
                                     .root = meeting->root,
                                     .kind = meeting->kind};
    }
    parcels[rank] = (struct mpi_parcel){arrivals + begin, (end - begin) * sizeof *arrivals};
  }
}

static void take_arrivals(void *data, int from, const void *bytes, uint64_t size)
{
  struct told *told = data;
  const size_t count = size / sizeof *told->arrivals;
  if (told->count + count > told->room) {
    const size_t room = (told->count + count) * 2;
    struct arrival *more = realloc(told->arrivals, room * sizeof *more);
    if (!more) {
      told->is_short = true;
      return;
    }
    told->arrivals = more;
    told->room = room;
  }
  memcpy(told->arrivals + told->count, bytes, size);
  for (size_t i = 0; i < count; i++)
    told->arrivals[told->count + i].from = (uint32_t)from;
  told->count += count;
}

static int by_meeting(const void *a, const void *b, void *arrivals)
{
  const struct arrival *x = (struct arrival *)arrivals + *(const size_t *)a,
                       *y = (struct arrival *)arrivals + *(const size_t *)b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  if (x->number != y->number)
    return x->number < y->number ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool is_same_meeting(const struct arrival *a, const struct arrival *b)
{
  return a->key == b->key && a->number == b->number;
}

/* Until when each of the `count` ranks of a meeting, in their order, had to wait; nothing where some are not told of,
 * or do not tell of the same. */
static void compare(const struct told *told, const size_t *order, size_t count)
{
  const struct arrival *first = &told->arrivals[order[0]];
  uint64_t last = 0, at_root = 0;
  if (first->size < 0 || count != (size_t)first->size)
    return;
  for (size_t i = 0; i < count; i++) {
    const struct arrival *arrival = &told->arrivals[order[i]];
    if (arrival->rank != (int32_t)i || arrival->kind != first->kind || arrival->root != first->root)
      return;
    last = arrival->enter > last ? arrival->enter : last;
    at_root = arrival->rank == first->root ? arrival->enter : at_root;
  }
  uint64_t below = 0;
  for (size_t i = 0; i < count; i++) {
    const struct arrival *arrival = &told->arrivals[order[i]];
    below = arrival->enter > below ? arrival->enter : below;
    uint64_t until = arrival->enter;
    if (first->kind == MEETING_ALL || first->kind == MEETING_FENCE ||
        (first->kind == MEETING_TO_ROOT && arrival->rank == first->root))
      until = last;
    else if (first->kind == MEETING_FROM_ROOT)
      until = at_root;
    else if (first->kind == MEETING_BELOW)
      until = below;
    told->until[order[i]] = until;
  }
}

static void compare_all(struct told *told)
{
  for (size_t i = 0; i < told->count; i++)
    told->order[i] = i;
  qsort_r(told->order, told->count, sizeof *told->order, by_meeting, told->arrivals);
  for (size_t i = 0, end; i < told->count; i = end) {
    for (end = i + 1;
         end < told->count && is_same_meeting(&told->arrivals[told->order[i]], &told->arrivals[told->order[end]]);)
      end++;
    compare(told, told->order + i, end - i);
  }
}

/* Notes until when the call that is of the meeting waited. */
static void note(const struct mpi_waits *waits, const struct mpi_meeting *meeting, uint64_t until)
{
  if (meeting->pause == MPI_NOT_LOGGED)
    return;
  /* A call that ended before the others came did not wait for them. */
  struct mpi_pause *pause = mpi_log_pause_at(meeting->pause);
  if (meeting->kind == MEETING_FENCE && mpi_host_clock_own(&waits->clock, until) > pause->exit)
    until = mpi_host_clock_of_first(&waits->clock, pause->enter);
  pause->came_last = meeting->kind == MEETING_ALL && meeting->size > 1 &&
                     until == mpi_host_clock_of_first(&waits->clock, meeting->enter);
  mpi_waits_note(waits, meeting->pause, until, meeting->kind == MEETING_FROM_ROOT ? WAIT_LATE_ROOT : WAIT_LATE_RANKS);
}

/* A leader's answers, in the order in which it was told. */
static void take_answers(void *data, int from, const void *bytes, uint64_t size)
{
  const struct own *own = data;
  const uint64_t *until = bytes;
  const uint32_t begin = own->first[from], count = own->first[from + 1] - begin;
  if (size / sizeof *until != count)
    return;
  for (uint32_t i = 0; i < count; i++) {
    const struct mpi_meeting *meeting = mpi_log_meeting_at(own->order[begin + i]);
    if (until[i])
      note(own->waits, meeting, until[i]);
  }
}

/* Each rank's arrivals lie together. */
static void pack_answers(const struct told *told, struct mpi_parcel *parcels)
{
  for (size_t i = 0; i < told->count; i++) {
    struct mpi_parcel *parcel = &parcels[told->arrivals[i].from];
    if (!parcel->size)
      parcel->bytes = told->until + i;
    parcel->size += sizeof *told->until;
  }
}

int mpi_waits_of_meetings(struct mpi_waits *waits)
{
  uint64_t lost;
  const uint32_t meetings = mpi_log_meetings(&lost);
  const size_t ranks = (size_t)waits->line->size;
  struct own own = {.waits = waits,
                    .order = malloc((meetings + 1) * sizeof *own.order),
                    .first = calloc(ranks + 1, sizeof *own.first)};
  struct arrival *arrivals = malloc((meetings + 1) * sizeof *arrivals);
  const bool can = own.order && own.first && arrivals;
  struct told told = {.count = 0};
  memset(waits->parcels, 0, ranks * sizeof *waits->parcels);
  if (can) {
    sort(&own, meetings);
    pack(&own, arrivals, waits->parcels);
  }
  int error = mpi_exchange(waits->line, waits->parcels, waits->numbers, take_arrivals, &told);
  told.until = calloc(told.count + 1, sizeof *told.until);
  told.order = malloc((told.count + 1) * sizeof *told.order);
  memset(waits->parcels, 0, ranks * sizeof *waits->parcels);
  if (told.until && told.order && !told.is_short) {
    compare_all(&told);
    pack_answers(&told, waits->parcels);
  }
  if (error == 0)
    error = mpi_exchange(waits->line, waits->parcels, waits->numbers, can ? take_answers : NULL, &own);
  free(told.arrivals);
  free(told.order);
  mpi_exchange_release(told.until, error);
  mpi_exchange_release(arrivals, error);
  free(own.order);
  free(own.first);
  return error;
}
