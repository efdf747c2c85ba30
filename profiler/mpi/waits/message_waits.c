/*
 * Late senders and late receivers.
 *
 * Messages of one sender, communicator and tag come to their receiver's calls in the order in which both made theirs
 * (MPI's rule that messages do not overtake one another): the first that was sent is the first that was asked for. So a
 * rank sends each other rank what it logged of messages between the two, sorted by communicator and tag, and the two
 * lists lie beside each other.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/mpi/waits/replay.h"

/* A side of a message, as the other side is told of it. */
struct side {
  uint64_t key, posted; /* as of an event; posted by rank 0's clock */
  int32_t tag;
  uint32_t bytes;
  uint32_t is_send;
  uint32_t reserved;
};

/* This rank's events, by the other side's rank, then those that it sent, then the rest, each in the order of messages.
 */
struct own {
  const struct mpi_waits *waits;
  uint32_t *order; /* numbers in the log */
  uint32_t *first; /* for each rank where its events begin in `order`, and at last where they end */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
  return (a > b) - (a < b);
}

static int by_message(const void *a, const void *b)
{
  const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
  const struct mpi_event *x = mpi_log_event_at(one), *y = mpi_log_event_at(two);
  if (x->peer != y->peer)
    return x->peer < y->peer ? -1 : 1;
  const bool x_sends = x->kind == EVENT_SEND, y_sends = y->kind == EVENT_SEND;
  if (x_sends != y_sends)
    return x_sends ? -1 : 1;
  if (x->key != y->key)
    return compare_numbers(x->key, y->key);
  if (x->tag != y->tag)
    return x->tag < y->tag ? -1 : 1;
  return compare_numbers(one, two);
}

/* Of two messages: -1, 0 or 1 where the first one's communicator and tag come before, are the same, or come after. */
static int compare_channels(const struct mpi_event *own, const struct side *other)
{
  if (own->key != other->key)
    return compare_numbers(own->key, other->key);
  return own->tag == other->tag ? 0 : own->tag < other->tag ? -1 : 1;
}

/* Notes what is known of the own side by the other. */
static void note(const struct own *own, const struct mpi_event *event, const struct side *other)
{
  const uint64_t posted = mpi_host_clock_own(&own->waits->clock, other->posted);
  if (event->pause == MPI_NOT_LOGGED)
    return;
  const struct mpi_pause *pause = mpi_log_pause_at(event->pause);
  /* A send that ended before its receiver came did not wait for that one. */
  const uint64_t ready = event->may_pass && posted > pause->exit
                             ? mpi_host_clock_of_first(&own->waits->clock, pause->enter)
                             : other->posted;
  mpi_waits_note(own->waits, event->pause, ready, event->wait);
}

/* The own events order[from] to before order[to], all sent or all received, and the other side's. */
static void match(const struct own *own, uint32_t from, uint32_t to, const struct side *others, size_t count)
{
  size_t other = 0;
  const struct side *channel = NULL; /* that the last message was of */
  bool is_lost = false;              /* that of the channel does not lie beside each other */
  for (; from < to; from++) {
    const struct mpi_event *event = mpi_log_event_at(own->order[from]);
    while (other < count && compare_channels(event, &others[other]) > 0)
      other++;
    if (other == count || compare_channels(event, &others[other]) != 0)
      continue;
    if (!channel || compare_channels(event, channel) != 0)
      is_lost = false;
    channel = &others[other];
    const uint32_t bytes = event->bytes, other_bytes = others[other].bytes;
    if (bytes != MPI_BYTES_UNKNOWN && other_bytes != MPI_BYTES_UNKNOWN && bytes != other_bytes)
      is_lost = true;
    if (!is_lost)
      note(own, event, &others[other]);
    if (event->kind != EVENT_PROBE)
      other++;
  }
}

static void take(void *data, int from, const void *bytes, uint64_t size)
{
  const struct own *own = data;
  const struct side *others = bytes;
  const size_t count = size / sizeof *others;
  size_t sent = 0;
  while (sent < count && others[sent].is_send)
    sent++;
  uint32_t begin = own->first[from], middle = begin;
  const uint32_t end = own->first[from + 1];
  while (middle < end && mpi_log_event_at(own->order[middle])->kind == EVENT_SEND)
    middle++;
  match(own, begin, middle, others + sent, count - sent);
  match(own, middle, end, others, sent);
}

/* Sorts what is complete in the log. */
static void sort(const struct own *own, uint32_t events)
{
  const int ranks = own->waits->line->size;
  uint32_t count = 0;
  for (uint32_t i = 0; i < events; i++) {
    const struct mpi_event *event = mpi_log_event_at(i);
    if (event->kind != EVENT_NONE && event->peer >= 0 && event->peer < ranks)
      own->order[count++] = i;
  }
  qsort(own->order, count, sizeof *own->order, by_message);
  int rank = 0;
  for (uint32_t i = 0; i < count; i++)
    while (rank <= mpi_log_event_at(own->order[i])->peer)
      own->first[rank++] = i;
  while (rank <= ranks)
    own->first[rank++] = count;
}

static void pack(const struct own *own, struct side *sides, struct mpi_parcel *parcels)
{
  struct side *side = sides;
  for (int rank = 0; rank < own->waits->line->size; rank++) {
    const struct side *begin = side;
    for (uint32_t i = own->first[rank]; i < own->first[rank + 1]; i++) {
      const struct mpi_event *event = mpi_log_event_at(own->order[i]);
      if (event->kind == EVENT_PROBE)
        continue;
      *side++ = (struct side){.key = event->key,
                              .posted = mpi_host_clock_of_first(&own->waits->clock, event->posted),
                              .tag = event->tag,
                              .bytes = event->bytes,
                              .is_send = event->kind == EVENT_SEND};
    }
    parcels[rank] = (struct mpi_parcel){begin, (uint64_t)(side - begin) * sizeof *side};
  }
}

int mpi_waits_of_messages(struct mpi_waits *waits)
{
  uint64_t lost;
  const uint32_t events = mpi_log_events(&lost);
  struct own own = {.waits = waits,
                    .order = malloc((events + 1) * sizeof *own.order),
                    .first = calloc((size_t)waits->line->size + 1, sizeof *own.first)};
  struct side *sides = malloc((events + 1) * sizeof *sides);
  /* Without memory nothing is given, and of what others give nothing is found here. */
  memset(waits->parcels, 0, (size_t)waits->line->size * sizeof *waits->parcels);
  const bool can = own.order && own.first && sides;
  if (can) {
    sort(&own, events);
    pack(&own, sides, waits->parcels);
  }
  int error = mpi_exchange(waits->line, waits->parcels, waits->numbers, can ? take : NULL, &own);
  free(own.order);
  free(own.first);
  mpi_exchange_release(sides, error);
  return error;
}
