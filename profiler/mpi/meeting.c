/* Calls of all ranks of a communicator together, made and left in the log. */
#include "profiler/mpi/meeting.h"

#include <stddef.h>

#include "profiler/mpi/requests.h"
#include "profiler/mpi/round.h"

bool mpi_is_root(const struct mpi_comm_facts *facts, int root)
{
  /* MPI_ROOT is that of an intercommunicator, where a number is that of a rank of the other side. */
  return root == MPI_ROOT || (facts && facts->kind != COMMUNICATOR_INTER && root == facts->rank);
}

/* Makes the call of a round. */
static int make_call(struct mpi_call *call, const struct mpi_share *share, struct mpi_round *round)
{
  mpi_call_among(call, round->facts);
  if (share) {
    mpi_call_moves(call, share->count, share->type);
    if (share->type == MPI_DATATYPE_NULL)
      call->bytes = share->bytes;
  }
  call->root = mpi_is_root(round->facts, round->root) ? ROOT_SELF : ROOT_OTHER;
  mpi_round_number(round);
  return mpi_row(call);
}

/* Makes one that ends when the ranks have met. */
static int meet(struct mpi_call *call, const struct mpi_share *share, struct mpi_round *round)
{
  mpi_call_waits(call, round->kind == MEETING_NONE        ? MPI_WAITS_FOR_NOBODY
                       : round->kind == MEETING_FROM_ROOT ? MPI_WAITS_FOR_ROOT
                                                          : MPI_WAITS_FOR_RANKS);
  const int result = make_call(call, share, round);
  if (result != MPI_SUCCESS)
    return result;
  if (share)
    mpi_count_bytes(call->function, call->bytes);
  mpi_round_come(round, call->enter);
  if (round->place != MPI_NOT_LOGGED || round->words.count > 0)
    mpi_round_waited(round, mpi_call_pause(call));
  return result;
}

int mpi_meet(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
             const struct mpi_share *share)
{
  struct mpi_round round = {.facts = facts, .kind = kind, .root = root};
  return meet(&call, share, &round);
}

int mpi_meet_begin(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
                   const struct mpi_share *share, const MPI_Request *request)
{
  struct mpi_round round = {.facts = facts, .kind = kind, .root = root};
  const int result = make_call(&call, share, &round);
  if (result != MPI_SUCCESS)
    return result;
  if (share)
    mpi_count_bytes(call.function, call.bytes);
  mpi_round_come(&round, call.enter);
  struct mpi_request_facts made = mpi_request_of(call.function, facts);
  made.meeting = round.place;
  made.words = round.words;
  mpi_request_put(*request, &made);
  return result;
}

int mpi_meet_prepare(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
                     const struct mpi_share *share, const MPI_Request *request)
{
  /* That the ranks come to this call is nothing that one has to wait for. */
  struct mpi_round round = {.facts = facts, .kind = MEETING_NONE, .root = root};
  const int result = make_call(&call, share, &round);
  if (result != MPI_SUCCESS)
    return result;
  /* Ranks need not start their requests in one order: what is started is counted for each request by itself. */
  struct mpi_comm_facts *own = mpi_comm_like(facts, round.number);
  struct mpi_request_facts made = mpi_request_of(OF_MPI_Start, own);
  made.is_persistent = made.is_together = true;
  made.kind = kind;
  made.rank = root;
  made.bytes = call.bytes;
  mpi_request_put(*request, &made);
  mpi_comm_leave(own);
  return result;
}

int mpi_meet_for(struct mpi_call call, struct mpi_comm_facts *facts, uint32_t *number)
{
  struct mpi_round round = {.facts = facts, .kind = MEETING_ALL, .root = -1};
  const int result = meet(&call, NULL, &round);
  *number = round.number;
  return result;
}

int mpi_meet_to_make(struct mpi_call call, MPI_Comm communicator, const MPI_Comm *made)
{
  uint32_t number;
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const int result = mpi_meet_for(call, facts, &number);
  if (result == MPI_SUCCESS && *made != MPI_COMM_NULL)
    mpi_comm_made(*made, facts, number);
  return result;
}
