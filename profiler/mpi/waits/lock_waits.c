/*
 * Locks of windows' memory that others held.
 *
 * Whose memory it is knows nothing of who locks it. So each rank tells that one, at the end, from when to when it had
 * its locks of it, and that one tells each when the one before it gave the lock back: who gives it back later had it
 * later, where two cannot have it at once.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/mpi/waits/replay.h"

/* A lock, as whose memory it is of is told of it: by rank 0's clock. */
struct held {
  uint64_t key, left, given; /* as of a lock */
  uint64_t back;             /* when it was to be had by others, as far as that is known */
  uint32_t is_exclusive;
  uint32_t from; /* filled by who is told: the rank that tells it */
};

/* When it was given back by the one before; 0: there is none. */
struct before {
  uint64_t left, back; /* as of that one */
};

/* All that a rank is told, and what it answers. */
struct told {
  struct held *held;
  struct before *before; /* for each, in the order in which they came */
  size_t *order;
  size_t count, room;
  bool is_short; /* there was no memory for some */
};

/* This rank's locks, by whose memory they are of; one of all ranks' is there for each. */
struct own {
  const struct mpi_waits *waits;
  uint32_t *order; /* numbers in the log */
  size_t *first;   /* for each rank where its locks begin in `order`, and at last where they end */
  struct held *held;
};

/* Can it be told of? One that was never given back was never waited for. */
static bool is_complete(const struct mpi_lock *lock)
{
  return lock->kind != LOCK_NONE && lock->given != 0;
}

static int32_t rank_of(const struct mpi_lock *lock, int32_t number)
{
  return lock->ranks ? lock->ranks[number] : number;
}

/* Calls `add` for each rank in whose memory a lock is. */
static void for_targets(struct own *own, uint32_t number, void (*add)(struct own *, int32_t target, uint32_t number))
{
  const struct mpi_lock *lock = mpi_log_lock_at(number);
  if (!is_complete(lock))
    return;
  for (int32_t i = 0; lock->target < 0 && i < lock->size; i++)
    add(own, rank_of(lock, i), number);
  if (lock->target >= 0)
    add(own, lock->target, number);
}

static bool is_rank(const struct own *own, int32_t target)
{
  return target >= 0 && target < own->waits->line->size;
}

static void count_one(struct own *own, int32_t target, uint32_t number)
{
  (void)number;
  if (is_rank(own, target))
    own->first[target + 1]++;
}

static void place_one(struct own *own, int32_t target, uint32_t number)
{
  if (is_rank(own, target))
    own->order[own->first[target]++] = number;
}

/* Sorts them. False: there is no memory. */
static bool sort(struct own *own, uint32_t locks)
{
  const int ranks = own->waits->line->size;
  own->first = calloc((size_t)ranks + 1, sizeof *own->first);
  if (!own->first)
    return false;
  for (uint32_t i = 0; i < locks; i++)
    for_targets(own, i, count_one);
  for (int rank = 0; rank < ranks; rank++)
    own->first[rank + 1] += own->first[rank];
  own->order = malloc((own->first[ranks] + 1) * sizeof *own->order);
  own->held = malloc((own->first[ranks] + 1) * sizeof *own->held);
  if (!own->order || !own->held)
    return false;
  for (uint32_t i = 0; i < locks; i++)
    for_targets(own, i, place_one);
  /* Each is where the next one began. */
  memmove(own->first + 1, own->first, (size_t)ranks * sizeof *own->first);
  own->first[0] = 0;
  return true;
}

/* When others could have it: when its rank came to give it back, if it had it by then. One that may have been taken as
 * late as that was to be had when that call had ended. */
static uint64_t back_at(const struct mpi_lock *lock)
{
  return lock->used != MPI_NOT_LOGGED ? lock->left : lock->given;
}

static void pack(const struct own *own, struct mpi_parcel *parcels)
{
  const struct mpi_host_clock *clock = &own->waits->clock;
  for (int rank = 0; rank < own->waits->line->size; rank++) {
    const size_t begin = own->first[rank], end = own->first[rank + 1];
    for (size_t i = begin; i < end; i++) {
      const struct mpi_lock *lock = mpi_log_lock_at(own->order[i]);
      own->held[i] = (struct held){.key = lock->key,
                                   .left = mpi_host_clock_of_first(clock, lock->left),
                                   .given = mpi_host_clock_of_first(clock, lock->given),
                                   .back = mpi_host_clock_of_first(clock, back_at(lock)),
                                   .is_exclusive = lock->kind == LOCK_EXCLUSIVE};
    }
    parcels[rank] = (struct mpi_parcel){own->held + begin, (end - begin) * sizeof *own->held};
  }
}

static void take_held(void *data, int from, const void *bytes, uint64_t size)
{
  struct told *told = data;
  const size_t count = size / sizeof *told->held;
  if (told->count + count > told->room) {
    const size_t room = (told->count + count) * 2;
    struct held *more = realloc(told->held, room * sizeof *more);
    if (!more) {
      told->is_short = true;
      return;
    }
    told->held = more;
    told->room = room;
  }
  memcpy(told->held + told->count, bytes, size);
  for (size_t i = 0; i < count; i++)
    told->held[told->count + i].from = (uint32_t)from;
  told->count += count;
}

static int by_given(const void *a, const void *b, void *held)
{
  const struct held *x = (struct held *)held + *(const size_t *)a, *y = (struct held *)held + *(const size_t *)b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->given > y->given) - (x->given < y->given);
}

/* Of each lock the one before that it could not be held beside, of the same window. */
static void find_before(struct told *told)
{
  const struct held *exclusive = NULL, *last = NULL;
  for (size_t i = 0; i < told->count; i++)
    told->order[i] = i;
  qsort_r(told->order, told->count, sizeof *told->order, by_given, told->held);
  for (size_t i = 0; i < told->count; i++) {
    const struct held *held = &told->held[told->order[i]];
    if (last && last->key != held->key)
      exclusive = last = NULL;
    const struct held *before = held->is_exclusive ? last : exclusive;
    if (before)
      told->before[told->order[i]] = (struct before){before->left, before->back};
    last = held;
    exclusive = held->is_exclusive ? held : exclusive;
  }
}

static void pack_answers(const struct told *told, struct mpi_parcel *parcels)
{
  for (size_t i = 0; i < told->count; i++) {
    struct mpi_parcel *parcel = &parcels[told->held[i].from];
    if (!parcel->size)
      parcel->bytes = told->before + i;
    parcel->size += sizeof *told->before;
  }
}

/* Notes of a call that it waited until the other gave the lock back, if it did: not if it had ended before the other
 * came to do that. */
static void note(const struct mpi_waits *waits, uint32_t pause, const struct before *before)
{
  if (pause == MPI_NOT_LOGGED)
    return;
  const struct mpi_pause *waited = mpi_log_pause_at(pause);
  const bool did_wait = before->back && mpi_host_clock_own(&waits->clock, before->left) <= waited->exit;
  mpi_waits_note(waits, pause, did_wait ? before->back : mpi_host_clock_of_first(&waits->clock, waited->enter),
                 WAIT_LATE_UNLOCK);
}

static void note_all(const struct mpi_waits *waits, const struct mpi_lock *lock, const struct before *before)
{
  note(waits, lock->asked, before);
  note(waits, lock->used, before);
  note(waits, lock->ended, before);
}

/* Answers, in the order in which the rank was told. */
static void take_answers(void *data, int from, const void *bytes, uint64_t size)
{
  const struct own *own = data;
  const struct before *before = bytes;
  const size_t begin = own->first[from], count = own->first[from + 1] - begin;
  for (size_t i = 0; size / sizeof *before == count && i < count; i++)
    note_all(own->waits, mpi_log_lock_at(own->order[begin + i]), &before[i]);
}

/* Nobody held a lock that others could not hold as well. */
static void note_none(const struct mpi_waits *waits, uint32_t locks)
{
  const struct before none = {0, 0};
  for (uint32_t i = 0; i < locks; i++)
    note_all(waits, mpi_log_lock_at(i), &none);
}

static bool has_exclusive(uint32_t locks)
{
  uint32_t i = 0;
  while (i < locks && mpi_log_lock_at(i)->kind != LOCK_EXCLUSIVE)
    i++;
  return i < locks;
}

/* Tells whose memory it is, and hears from it. */
static int ask(struct mpi_waits *waits, uint32_t locks)
{
  const size_t ranks = (size_t)waits->line->size;
  struct own own = {.waits = waits};
  struct told told = {.count = 0};
  const bool can = sort(&own, locks);
  memset(waits->parcels, 0, ranks * sizeof *waits->parcels);
  if (can)
    pack(&own, waits->parcels);
  int error = mpi_exchange(waits->line, waits->parcels, waits->numbers, take_held, &told);
  told.before = calloc(told.count + 1, sizeof *told.before);
  told.order = malloc((told.count + 1) * sizeof *told.order);
  memset(waits->parcels, 0, ranks * sizeof *waits->parcels);
  if (told.before && told.order && !told.is_short) {
    find_before(&told);
    pack_answers(&told, waits->parcels);
  }
  if (error == 0)
    error = mpi_exchange(waits->line, waits->parcels, waits->numbers, can ? take_answers : NULL, &own);
  free(told.held);
  free(told.order);
  mpi_exchange_release(told.before, error);
  mpi_exchange_release(own.held, error);
  free(own.order);
  free(own.first);
  return error;
}

int mpi_waits_of_locks(struct mpi_waits *waits)
{
  uint64_t lost;
  const uint32_t locks = mpi_log_locks(&lost);
  bool none = true;
  const int error = mpi_waits_all_say(waits->line, !has_exclusive(locks), &none);
  if (error < 0)
    return error;
  if (none) {
    note_none(waits, locks);
    return 0;
  }
  return ask(waits, locks);
}
