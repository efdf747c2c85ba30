/* Calls of all ranks together, in the log. */
#include "profiler/mpi/round.h"

#include <stdbool.h>
#include <stddef.h>

void mpi_round_come(const struct mpi_round *round, uint64_t enter)
{
  const struct mpi_comm_facts *facts = round->facts;
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
  round->number = facts ? __atomic_fetch_add(&facts->together, 1, __ATOMIC_RELAXED) : 0;
  round->place = is_logged ? mpi_log_meeting() : MPI_NOT_LOGGED;
}
