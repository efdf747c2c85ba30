/*
 * A window's memory that is opened to some ranks and closed again. Of two that meet there each tells the other: who
 * opens it, those who reach into it, which wait for that; and these, when they are done, who opened it, which waits for
 * all of them.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/windows.h"
#include "profiler/mpi/words.h"

/* The ranks of the group, by those of MPI_COMM_WORLD. */
static struct mpi_ranks ranks_of(MPI_Group group)
{
  MPI_Group world = MPI_GROUP_NULL;
  int count = 0;
  if (PMPI_Group_size(group, &count) != MPI_SUCCESS || count <= 0 ||
      PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
    return (struct mpi_ranks){.count = 0};
  int *ranks = malloc(2 * (size_t)count * sizeof *ranks);
  for (int i = 0; ranks && i < count; i++)
    ranks[count + i] = i;
  bool is_complete = ranks && PMPI_Group_translate_ranks(group, count, ranks + count, world, ranks) == MPI_SUCCESS;
  PMPI_Group_free(&world);
  if (!is_complete) {
    free(ranks);
    return (struct mpi_ranks){.count = 0};
  }
  for (int i = 0; i < count; i++)
    ranks[i] = ranks[i] == MPI_UNDEFINED ? -1 : ranks[i];
  return (struct mpi_ranks){.count = count, .ranks = ranks};
}

/* Words to or from these ranks, in one of the window's channels. */
struct talk {
  const struct mpi_window *window;
  const struct mpi_ranks *ranks;
  enum mpi_channel channel;
  struct mpi_words words;
};

static struct talk begin_talk(const struct mpi_window *window, const struct mpi_ranks *ranks, enum mpi_channel channel)
{
  const int count = window && window->facts->key ? ranks->count : 0;
  return (struct talk){.window = window, .ranks = ranks, .channel = channel, .words = mpi_words_of(count)};
}

/* Leaves them in the log, with the ended call that waited for them. */
static void leave(const struct talk *talk, enum mpi_event_kind kind, bool may_pass, struct mpi_call *call)
{
  if (talk->words.count == 0)
    return;
  const struct mpi_word word = {.kind = kind, .wait = WAIT_LATE_RANKS, .may_pass = may_pass, .posted = call->enter};
  const uint64_t key = mpi_comm_channel(talk->window->facts, talk->channel, 0);
  for (int i = 0; i < talk->ranks->count; i++)
    mpi_words_leave(&talk->words, i, key, talk->ranks->ranks[i], &word);
  if (kind != EVENT_SEND && call->wait_count > 0)
    mpi_words_waited(&talk->words, mpi_call_pause(call));
}

/* Describes the call. */
static struct mpi_window *among(struct mpi_call *call, MPI_Win window, bool waits)
{
  struct mpi_window *of = mpi_window_of(window);
  mpi_call_among(call, of ? of->facts : NULL);
  if (waits)
    mpi_call_waits(call, MPI_WAITS_FOR_RANKS);
  return of;
}

MPI_WRAP(MPI_Win_post, (MPI_Group, group), (int, promises), (MPI_Win, window))
{
  struct mpi_call call = MPI_CALL(MPI_Win_post);
  struct mpi_window *window = among(&call, a->window, false);
  if (!window)
    return mpi_row(&call);
  mpi_ranks_forget(&window->posted);
  window->posted = ranks_of(a->group);
  const struct talk post = begin_talk(window, &window->posted, CHANNEL_POST);
  const int result = mpi_row(&call);
  if (result == MPI_SUCCESS)
    leave(&post, EVENT_SEND, true, &call);
  return result;
}

/* An MPI may wait here for the others to post, or in MPI_Win_complete: both have looked for it then, and the latter has
 * it. */
MPI_WRAP(MPI_Win_start, (MPI_Group, group), (int, promises), (MPI_Win, window))
{
  struct mpi_call call = MPI_CALL(MPI_Win_start);
  struct mpi_window *window = among(&call, a->window, true);
  if (!window)
    return mpi_row(&call);
  mpi_ranks_forget(&window->started);
  window->started = ranks_of(a->group);
  const struct talk post = begin_talk(window, &window->started, CHANNEL_POST);
  const int result = mpi_row(&call);
  if (result == MPI_SUCCESS)
    leave(&post, EVENT_PROBE, true, &call);
  return result;
}

MPI_WRAP(MPI_Win_complete, (MPI_Win, window))
{
  struct mpi_call call = MPI_CALL(MPI_Win_complete);
  struct mpi_window *window = among(&call, a->window, true);
  if (!window)
    return mpi_row(&call);
  const struct talk post = begin_talk(window, &window->started, CHANNEL_POST),
                    done = begin_talk(window, &window->started, CHANNEL_COMPLETE);
  const int result = mpi_row(&call);
  if (result != MPI_SUCCESS)
    return result;
  leave(&post, EVENT_RECEIVE, true, &call);
  leave(&done, EVENT_SEND, true, &call);
  mpi_ranks_forget(&window->started);
  return result;
}

/* Those who reached into the window's memory are waited for, or looked for: they have come when `*come`. */
static int wait_for_others(struct mpi_call call, MPI_Win of, const int *come)
{
  struct mpi_window *window = among(&call, of, come == NULL);
  if (!window)
    return mpi_row(&call);
  const struct talk done = begin_talk(window, &window->posted, CHANNEL_COMPLETE);
  const int result = mpi_row(&call);
  if (result != MPI_SUCCESS || (come && !*come))
    return result;
  leave(&done, EVENT_RECEIVE, false, &call);
  mpi_ranks_forget(&window->posted);
  return result;
}

MPI_WRAP(MPI_Win_wait, (MPI_Win, window))
{
  return wait_for_others(MPI_CALL(MPI_Win_wait), a->window, NULL);
}

MPI_WRAP(MPI_Win_test, (MPI_Win, window), (int *, flag))
{
  return wait_for_others(MPI_CALL(MPI_Win_test), a->window, a->flag);
}
