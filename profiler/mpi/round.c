/* Calls of all ranks together, in the log. */
#include "profiler/mpi/round.h"

#include <stdbool.h>
#include <stddef.h>

/* What a rank takes from its neighbours, and gives to them. */
static void meet_neighbours(const struct mpi_round *round, uint64_t enter)
{
  const struct mpi_neighbours *neighbours = round->facts->neighbours;
  const uint64_t key = mpi_comm_channel(round->facts, CHANNEL_NEIGHBOURS, 0);
  const struct mpi_word taken = {.kind = EVENT_RECEIVE, .wait = WAIT_LATE_RANKS, .posted = enter},
                        given = {.kind = EVENT_SEND, .wait = WAIT_LATE_RANKS, .may_pass = true, .posted = enter};
  for (int i = 0; i < neighbours->in + neighbours->out; i++)
    mpi_words_leave(&round->words, i, key, neighbours->ranks[i], i < neighbours->in ? &taken : &given);
}

void mpi_round_come(const struct mpi_round *round, uint64_t enter)
{
  const struct mpi_comm_facts *facts = round->facts;
  if (round->words.count > 0)
    meet_neighbours(round, enter);
  if (round->place == MPI_NOT_LOGGED)
    return;
  *mpi_log_meeting_at(round->place) =
      (struct mpi_meeting){.key = facts->key,
                           .enter = enter,
                           .number = round->number,
                           .leader = mpi_comm_world_rank(facts, (int)(round->number % (uint32_t)facts->size)),
                           .rank = facts->rank,
                           .size = facts->size,
                           .root = round->root,
                           .kind = round->kind,
                           .pause = MPI_NOT_LOGGED};
}

void mpi_round_number(struct mpi_round *round)
{
  struct mpi_comm_facts *facts = round->facts;
  const bool is_logged = facts && facts->key && facts->kind != COMMUNICATOR_INTER && round->kind != MEETING_NONE;
  const bool is_of_all = round->kind != MEETING_NEIGHBOURS;
  round->number = facts ? __atomic_fetch_add(&facts->together, 1, __ATOMIC_RELAXED) : 0;
  round->place = is_logged && is_of_all ? mpi_log_meeting() : MPI_NOT_LOGGED;
  round->words =
      mpi_words_of(is_logged && !is_of_all && facts->neighbours ? facts->neighbours->in + facts->neighbours->out : 0);
}

void mpi_round_waited(const struct mpi_round *round, uint32_t pause)
{
  if (round->place != MPI_NOT_LOGGED)
    mpi_log_meeting_at(round->place)->pause = pause;
  mpi_words_waited(&round->words, pause);
}
