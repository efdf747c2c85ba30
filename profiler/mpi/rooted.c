/* Calls of all ranks together of which one is the root. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "profiler/mpi/meeting.h"

/* In an intercommunicator's call the data's type means nothing where no data is: it may be no type at all. */
static int meet(struct mpi_call call, struct mpi_comm_facts *facts, enum mpi_meeting_kind kind, int root,
                const struct mpi_share *share)
{
  const struct mpi_share nothing = {.type = MPI_DATATYPE_NULL};
  return mpi_meet(call, facts, kind, root, root == MPI_PROC_NULL ? &nothing : share);
}

/* What a rank gives to a gathering root, by what it sends, or by what it receives if its part lies there already. The
 * root of an intercommunicator's call gives nothing. */
static struct mpi_share given(const void *out, int root, struct mpi_share sent, struct mpi_share in_place)
{
  if (root == MPI_ROOT)
    return (struct mpi_share){.type = MPI_DATATYPE_NULL};
  return out == MPI_IN_PLACE ? in_place : sent;
}

MPI_CLOSURE(MPI_Bcast, void *buffer; int count; MPI_Datatype type; int root; MPI_Comm communicator;
            , a->buffer, a->count, a->type, a->root, a->communicator)
MPI_EXPORTED int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator)
{
  struct MPI_Bcast_arguments a = {buffer, count, type, root, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return meet(mpi_call_of(OF_MPI_Bcast, run_MPI_Bcast, &a), facts, MEETING_FROM_ROOT, root, &share);
}

MPI_CLOSURE(MPI_Reduce, const void *out; void *in; int count; MPI_Datatype type; MPI_Op operation; int root;
            MPI_Comm communicator;, a->out, a->in, a->count, a->type, a->operation, a->root, a->communicator)
MPI_EXPORTED int MPI_Reduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op operation, int root,
                            MPI_Comm communicator)
{
  struct MPI_Reduce_arguments a = {out, in, count, type, operation, root, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return meet(mpi_call_of(OF_MPI_Reduce, run_MPI_Reduce, &a), facts, MEETING_TO_ROOT, root, &share);
}

MPI_CLOSURE(MPI_Gather, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; int root; MPI_Comm communicator;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->root, a->communicator)
MPI_EXPORTED int MPI_Gather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                            MPI_Datatype in_type, int root, MPI_Comm communicator)
{
  struct MPI_Gather_arguments a = {out, out_count, out_type, in, in_count, in_type, root, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = given(out, root, mpi_share_of(out_count, out_type), mpi_share_of(in_count, in_type));
  return meet(mpi_call_of(OF_MPI_Gather, run_MPI_Gather, &a), facts, MEETING_TO_ROOT, root, &share);
}

MPI_CLOSURE(MPI_Gatherv, const void *out; int out_count; MPI_Datatype out_type; void *in; const int *in_counts;
            const int *in_places; MPI_Datatype in_type; int root; MPI_Comm communicator;
            , a->out, a->out_count, a->out_type, a->in, a->in_counts, a->in_places, a->in_type, a->root,
            a->communicator)
MPI_EXPORTED int MPI_Gatherv(const void *out, int out_count, MPI_Datatype out_type, void *in, const int *in_counts,
                             const int *in_places, MPI_Datatype in_type, int root, MPI_Comm communicator)
{
  struct MPI_Gatherv_arguments a = {out, out_count, out_type, in, in_counts, in_places, in_type, root, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const int own_count = out == MPI_IN_PLACE && root != MPI_ROOT ? in_counts[facts ? facts->rank : 0] : 0;
  const struct mpi_share share = given(out, root, mpi_share_of(out_count, out_type), mpi_share_of(own_count, in_type));
  return meet(mpi_call_of(OF_MPI_Gatherv, run_MPI_Gatherv, &a), facts, MEETING_TO_ROOT, root, &share);
}

MPI_CLOSURE(MPI_Scatter, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; int root; MPI_Comm communicator;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->root, a->communicator)
MPI_EXPORTED int MPI_Scatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                             MPI_Datatype in_type, int root, MPI_Comm communicator)
{
  struct MPI_Scatter_arguments a = {out, out_count, out_type, in, in_count, in_type, root, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      mpi_is_root(facts, root) ? mpi_shares_of(facts, NULL, out_count, out_type) : mpi_share_of(in_count, in_type);
  return meet(mpi_call_of(OF_MPI_Scatter, run_MPI_Scatter, &a), facts, MEETING_FROM_ROOT, root, &share);
}

MPI_CLOSURE(MPI_Scatterv, const void *out; const int *out_counts; const int *out_places; MPI_Datatype out_type;
            void *in; int in_count; MPI_Datatype in_type; int root; MPI_Comm communicator;
            , a->out, a->out_counts, a->out_places, a->out_type, a->in, a->in_count, a->in_type, a->root,
            a->communicator)
MPI_EXPORTED int MPI_Scatterv(const void *out, const int *out_counts, const int *out_places, MPI_Datatype out_type,
                              void *in, int in_count, MPI_Datatype in_type, int root, MPI_Comm communicator)
{
  struct MPI_Scatterv_arguments a = {out, out_counts, out_places, out_type, in, in_count, in_type, root, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      mpi_is_root(facts, root) ? mpi_shares_of(facts, out_counts, 0, out_type) : mpi_share_of(in_count, in_type);
  return meet(mpi_call_of(OF_MPI_Scatterv, run_MPI_Scatterv, &a), facts, MEETING_FROM_ROOT, root, &share);
}

MPI_CLOSURE(MPI_Ibcast, void *buffer; int count; MPI_Datatype type; int root; MPI_Comm communicator;
            MPI_Request * request;, a->buffer, a->count, a->type, a->root, a->communicator, a->request)
MPI_EXPORTED int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                            MPI_Request *request)
{
  struct MPI_Ibcast_arguments a = {buffer, count, type, root, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return meet(mpi_call_of(OF_MPI_Ibcast, run_MPI_Ibcast, &a), facts, MEETING_NONE, root, &share);
}

MPI_CLOSURE(MPI_Ireduce, const void *out; void *in; int count; MPI_Datatype type; MPI_Op operation; int root;
            MPI_Comm communicator; MPI_Request * request;
            , a->out, a->in, a->count, a->type, a->operation, a->root, a->communicator, a->request)
MPI_EXPORTED int MPI_Ireduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op operation, int root,
                             MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Ireduce_arguments a = {out, in, count, type, operation, root, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return meet(mpi_call_of(OF_MPI_Ireduce, run_MPI_Ireduce, &a), facts, MEETING_NONE, root, &share);
}

MPI_CLOSURE(MPI_Igather, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; int root; MPI_Comm communicator; MPI_Request * request;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->root, a->communicator, a->request)
MPI_EXPORTED int MPI_Igather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                             MPI_Datatype in_type, int root, MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Igather_arguments a = {out, out_count, out_type, in, in_count, in_type, root, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = given(out, root, mpi_share_of(out_count, out_type), mpi_share_of(in_count, in_type));
  return meet(mpi_call_of(OF_MPI_Igather, run_MPI_Igather, &a), facts, MEETING_NONE, root, &share);
}

MPI_CLOSURE(MPI_Iscatter, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; int root; MPI_Comm communicator; MPI_Request * request;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->root, a->communicator, a->request)
MPI_EXPORTED int MPI_Iscatter(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                              MPI_Datatype in_type, int root, MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Iscatter_arguments a = {out, out_count, out_type, in, in_count, in_type, root, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      mpi_is_root(facts, root) ? mpi_shares_of(facts, NULL, out_count, out_type) : mpi_share_of(in_count, in_type);
  return meet(mpi_call_of(OF_MPI_Iscatter, run_MPI_Iscatter, &a), facts, MEETING_NONE, root, &share);
}
