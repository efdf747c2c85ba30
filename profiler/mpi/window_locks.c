/*
 * Locks of windows' memory. An MPI may take a lock when it is asked for, when it is used first, or when it is given
 * back: so the calls that may have waited for it are several, and when others gave it back tells which of them did.
 */
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/windows.h"

/* Of all ranks, in the place of one of them. */
#define ALL INT_MIN

/* The place of the lock in the list, or its end. Under the window's lock. */
static struct mpi_held **place_of(struct mpi_window *window, int rank)
{
  struct mpi_held **at = &window->held;
  while (*at && (*at)->rank != rank)
    at = &(*at)->next;
  return at;
}

/* That of a rank, which may be one of all ranks'. */
static struct mpi_held *find(struct mpi_window *window, int rank)
{
  struct mpi_held *held = *place_of(window, rank);
  return held || rank == ALL ? held : *place_of(window, ALL);
}

void mpi_window_reached(MPI_Win of, int rank)
{
  struct mpi_window *window = mpi_window_of(of);
  if (!window)
    return;
  pthread_mutex_lock(&window->lock);
  struct mpi_held *held = find(window, rank);
  if (held)
    held->is_reached = true;
  pthread_mutex_unlock(&window->lock);
}

static void describe(struct mpi_call *call, const struct mpi_window *window, int rank)
{
  const struct mpi_comm_facts *facts = window ? window->facts : NULL;
  mpi_call_among(call, facts);
  mpi_call_with(call, facts, rank);
}

/* Asks for a lock. */
static int ask(struct mpi_call call, MPI_Win of, int rank, enum mpi_lock_kind kind)
{
  struct mpi_window *window = mpi_window_of(of);
  struct mpi_held *held = window && window->facts->key && kind != LOCK_NONE ? malloc(sizeof *held) : NULL;
  const uint32_t place = held ? mpi_log_lock() : MPI_NOT_LOGGED;
  describe(&call, window, rank);
  if (place != MPI_NOT_LOGGED)
    mpi_call_waits(&call, MPI_WAITS_FOR_LOCK);
  const int result = mpi_row(&call);
  if (result != MPI_SUCCESS || place == MPI_NOT_LOGGED) {
    free(held);
    return result;
  }
  struct mpi_comm_facts *facts = window->facts;
  /* The log needs them for as long as it is there. */
  if (rank == ALL && facts->ranks)
    mpi_comm_use(facts);
  *mpi_log_lock_at(place) = (struct mpi_lock){.key = facts->key,
                                              .asked = mpi_call_pause(&call),
                                              .used = MPI_NOT_LOGGED,
                                              .ended = MPI_NOT_LOGGED,
                                              .target = rank == ALL ? ALL : mpi_comm_world_rank(facts, rank),
                                              .size = facts->size,
                                              .ranks = facts->ranks,
                                              .kind = kind};
  pthread_mutex_lock(&window->lock);
  *held = (struct mpi_held){.next = window->held, .rank = rank, .place = place};
  window->held = held;
  pthread_mutex_unlock(&window->lock);
  return result;
}

/* Does what was asked for under the lock: the first time it may wait for it. */
static int use(struct mpi_call call, MPI_Win of, int rank)
{
  struct mpi_window *window = mpi_window_of(of);
  uint32_t place = MPI_NOT_LOGGED;
  if (window) {
    pthread_mutex_lock(&window->lock);
    struct mpi_held *held = find(window, rank);
    if (held && held->is_reached && !held->is_used) {
      held->is_used = true;
      place = held->place;
    }
    pthread_mutex_unlock(&window->lock);
  }
  describe(&call, window, rank);
  if (place != MPI_NOT_LOGGED)
    mpi_call_waits(&call, MPI_WAITS_FOR_LOCK);
  const int result = mpi_row(&call);
  if (result == MPI_SUCCESS && place != MPI_NOT_LOGGED)
    mpi_log_lock_at(place)->used = mpi_call_pause(&call);
  return result;
}

/* Gives it back. */
static int give_back(struct mpi_call call, MPI_Win of, int rank)
{
  struct mpi_window *window = mpi_window_of(of);
  struct mpi_held *held = NULL;
  if (window) {
    pthread_mutex_lock(&window->lock);
    struct mpi_held **at = place_of(window, rank);
    if ((held = *at) != NULL)
      *at = held->next;
    pthread_mutex_unlock(&window->lock);
  }
  describe(&call, window, rank);
  if (held)
    mpi_call_waits(&call, MPI_WAITS_FOR_LOCK);
  const int result = mpi_row(&call);
  if (result == MPI_SUCCESS && held) {
    struct mpi_lock *lock = mpi_log_lock_at(held->place);
    lock->ended = mpi_call_pause(&call);
    lock->left = call.enter;
    lock->given = call.exit;
  }
  free(held);
  return result;
}

/* What the program promises not to meet anybody else at is nothing to wait for. */
static enum mpi_lock_kind kind_of(int type, int rank, int promises)
{
  if (rank == MPI_PROC_NULL || promises & MPI_MODE_NOCHECK)
    return LOCK_NONE;
  return type == MPI_LOCK_EXCLUSIVE ? LOCK_EXCLUSIVE : LOCK_SHARED;
}

MPI_WRAP(MPI_Win_lock, (int, type), (int, rank), (int, promises), (MPI_Win, window))
{
  return ask(MPI_CALL(MPI_Win_lock), a->window, a->rank, kind_of(a->type, a->rank, a->promises));
}

MPI_WRAP(MPI_Win_lock_all, (int, promises), (MPI_Win, window))
{
  return ask(MPI_CALL(MPI_Win_lock_all), a->window, ALL, kind_of(MPI_LOCK_SHARED, ALL, a->promises));
}

MPI_WRAP(MPI_Win_flush, (int, rank), (MPI_Win, window))
{
  return use(MPI_CALL(MPI_Win_flush), a->window, a->rank);
}

MPI_WRAP(MPI_Win_flush_local, (int, rank), (MPI_Win, window))
{
  return use(MPI_CALL(MPI_Win_flush_local), a->window, a->rank);
}

MPI_WRAP(MPI_Win_flush_all, (MPI_Win, window))
{
  return use(MPI_CALL(MPI_Win_flush_all), a->window, ALL);
}

MPI_WRAP(MPI_Win_flush_local_all, (MPI_Win, window))
{
  return use(MPI_CALL(MPI_Win_flush_local_all), a->window, ALL);
}

MPI_WRAP(MPI_Win_unlock, (int, rank), (MPI_Win, window))
{
  return give_back(MPI_CALL(MPI_Win_unlock), a->window, a->rank);
}

MPI_WRAP(MPI_Win_unlock_all, (MPI_Win, window))
{
  return give_back(MPI_CALL(MPI_Win_unlock_all), a->window, ALL);
}
