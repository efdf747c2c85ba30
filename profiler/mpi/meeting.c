/* Calls of all ranks of a communicator together, numbered by each rank alike, since all make them in one order. */
#include "profiler/mpi/meeting.h"

#include <stddef.h>

bool mpi_is_root(const struct mpi_comm_facts *facts, int root)
{
  /* MPI_ROOT is that of an intercommunicator, where a number is that of a rank of the other side. */
  return root == MPI_ROOT || (facts && facts->kind != COMMUNICATOR_INTER && root == facts->rank);
}

struct mpi_share mpi_share_of(int64_t count, MPI_Datatype type)
{
  return (struct mpi_share){.count = count, .type = type};
}

/* Ranks that data is for. */
static int ranks_of(const struct mpi_comm_facts *facts)
{
  return facts ? facts->other_size : 0;
}

static struct mpi_share sum_of(int ranks, const int *counts, int each, MPI_Datatype type)
{
  struct mpi_share share = {.type = type};
  for (int i = 0; counts && i < ranks; i++)
    share.count += counts[i];
  if (!counts)
    share.count = (int64_t)ranks * each;
  return share;
}

struct mpi_share mpi_shares_of(const struct mpi_comm_facts *facts, const int *counts, int each, MPI_Datatype type)
{
  return sum_of(ranks_of(facts), counts, each, type);
}

struct mpi_share mpi_shares_within(const struct mpi_comm_facts *facts, const int *counts, int each, MPI_Datatype type)
{
  return sum_of(facts ? facts->size : 0, counts, each, type);
}

struct mpi_share mpi_mixed_shares_of(const struct mpi_comm_facts *facts, const int *counts, const MPI_Datatype *types)
{
  struct mpi_share share = {.type = MPI_DATATYPE_NULL};
  for (int i = 0; i < ranks_of(facts); i++) {
    struct mpi_call part = {.count = 0};
    mpi_call_moves(&part, counts[i], types[i]);
    share.count += part.count;
    share.bytes += part.bytes;
  }
  return share;
}

static void leave(struct mpi_call *call, uint32_t place, const struct mpi_comm_facts *facts, uint32_t number,
                  enum mpi_meeting_kind kind, int root)
{
  *mpi_log_meeting_at(place) =
      (struct mpi_meeting){.key = facts->key,
                           .enter = call->enter,
                           .number = number,
                           .leader = mpi_comm_world_rank(facts, (int)(number % (uint32_t)facts->size)),
                           .rank = facts->rank,
                           .size = facts->size,
                           .root = root,
                           .kind = kind,
                           .pause = mpi_call_pause(call)};
}

/* *number: of the communicator's calls. */
static int make_call(struct mpi_call *call, const struct mpi_share *share, struct mpi_comm_facts *facts,
                     enum mpi_meeting_kind kind, int root, uint32_t *number)
{
  mpi_call_among(call, facts);
  if (share) {
    mpi_call_moves(call, share->count, share->type);
    if (share->type == MPI_DATATYPE_NULL)
      call->bytes = share->bytes;
  }
  call->root = mpi_is_root(facts, root) ? ROOT_SELF : ROOT_OTHER;
  *number = facts ? __atomic_fetch_add(&facts->together, 1, __ATOMIC_RELAXED) : 0;
  const bool is_logged = facts && facts->key && facts->kind != COMMUNICATOR_INTER && kind != MEETING_NONE;
  const uint32_t place = is_logged ? mpi_log_meeting() : MPI_NOT_LOGGED;
  int result = mpi_row(call);
  if (result != MPI_SUCCESS)
    return result;
  if (share)
    mpi_count_bytes(call->function, call->bytes);
  if (place != MPI_NOT_LOGGED)
    leave(call, place, facts, *number, kind, root);
  return result;
}

int mpi_meet(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
             const struct mpi_share *share)
{
  uint32_t number;
  return make_call(&call, share, facts, kind, root, &number);
}

int mpi_meet_to_make(struct mpi_call call, MPI_Comm communicator, const MPI_Comm *made)
{
  uint32_t number;
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  int result = make_call(&call, NULL, facts, MEETING_ALL, -1, &number);
  if (result == MPI_SUCCESS && *made != MPI_COMM_NULL)
    mpi_comm_made(*made, facts, number);
  return result;
}
