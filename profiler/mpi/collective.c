/* Calls of all ranks together, without a root. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "profiler/mpi/meeting.h"

MPI_CLOSURE(MPI_Allreduce, const void *out; void *in; int count; MPI_Datatype type; MPI_Op operation;
            MPI_Comm communicator;, a->out, a->in, a->count, a->type, a->operation, a->communicator)
MPI_EXPORTED int MPI_Allreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op operation,
                               MPI_Comm communicator)
{
  struct MPI_Allreduce_arguments a = {out, in, count, type, operation, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return mpi_meet(mpi_call_of(OF_MPI_Allreduce, run_MPI_Allreduce, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Allgather, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; MPI_Comm communicator;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->communicator)
MPI_EXPORTED int MPI_Allgather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                               MPI_Datatype in_type, MPI_Comm communicator)
{
  struct MPI_Allgather_arguments a = {out, out_count, out_type, in, in_count, in_type, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      out == MPI_IN_PLACE ? mpi_share_of(in_count, in_type) : mpi_share_of(out_count, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Allgather, run_MPI_Allgather, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Allgatherv, const void *out; int out_count; MPI_Datatype out_type; void *in; const int *in_counts;
            const int *in_places; MPI_Datatype in_type; MPI_Comm communicator;
            , a->out, a->out_count, a->out_type, a->in, a->in_counts, a->in_places, a->in_type, a->communicator)
MPI_EXPORTED int MPI_Allgatherv(const void *out, int out_count, MPI_Datatype out_type, void *in, const int *in_counts,
                                const int *in_places, MPI_Datatype in_type, MPI_Comm communicator)
{
  struct MPI_Allgatherv_arguments a = {out, out_count, out_type, in, in_counts, in_places, in_type, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = out == MPI_IN_PLACE ? mpi_share_of(in_counts[facts ? facts->rank : 0], in_type)
                                                     : mpi_share_of(out_count, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Allgatherv, run_MPI_Allgatherv, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Alltoall, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; MPI_Comm communicator;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->communicator)
MPI_EXPORTED int MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                              MPI_Datatype in_type, MPI_Comm communicator)
{
  struct MPI_Alltoall_arguments a = {out, out_count, out_type, in, in_count, in_type, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = out == MPI_IN_PLACE ? mpi_shares_of(facts, NULL, in_count, in_type)
                                                     : mpi_shares_of(facts, NULL, out_count, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Alltoall, run_MPI_Alltoall, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Alltoallv, const void *out; const int *out_counts; const int *out_places; MPI_Datatype out_type;
            void *in; const int *in_counts; const int *in_places; MPI_Datatype in_type; MPI_Comm communicator;
            , a->out, a->out_counts, a->out_places, a->out_type, a->in, a->in_counts, a->in_places, a->in_type,
            a->communicator)
MPI_EXPORTED int MPI_Alltoallv(const void *out, const int *out_counts, const int *out_places, MPI_Datatype out_type,
                               void *in, const int *in_counts, const int *in_places, MPI_Datatype in_type,
                               MPI_Comm communicator)
{
  struct MPI_Alltoallv_arguments a = {out,       out_counts, out_places, out_type,    in,
                                      in_counts, in_places,  in_type,    communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      out == MPI_IN_PLACE ? mpi_shares_of(facts, in_counts, 0, in_type) : mpi_shares_of(facts, out_counts, 0, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Alltoallv, run_MPI_Alltoallv, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Alltoallw, const void *out; const int *out_counts; const int *out_places; const MPI_Datatype *out_types;
            void *in; const int *in_counts; const int *in_places; const MPI_Datatype *in_types; MPI_Comm communicator;
            , a->out, a->out_counts, a->out_places, a->out_types, a->in, a->in_counts, a->in_places, a->in_types,
            a->communicator)
MPI_EXPORTED int MPI_Alltoallw(const void *out, const int *out_counts, const int *out_places,
                               const MPI_Datatype *out_types, void *in, const int *in_counts, const int *in_places,
                               const MPI_Datatype *in_types, MPI_Comm communicator)
{
  struct MPI_Alltoallw_arguments a = {out,       out_counts, out_places, out_types,   in,
                                      in_counts, in_places,  in_types,   communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = out == MPI_IN_PLACE ? mpi_mixed_shares_of(facts, in_counts, in_types)
                                                     : mpi_mixed_shares_of(facts, out_counts, out_types);
  return mpi_meet(mpi_call_of(OF_MPI_Alltoallw, run_MPI_Alltoallw, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Reduce_scatter, const void *out; void *in; const int *in_counts; MPI_Datatype type; MPI_Op operation;
            MPI_Comm communicator;, a->out, a->in, a->in_counts, a->type, a->operation, a->communicator)
MPI_EXPORTED int MPI_Reduce_scatter(const void *out, void *in, const int *in_counts, MPI_Datatype type,
                                    MPI_Op operation, MPI_Comm communicator)
{
  struct MPI_Reduce_scatter_arguments a = {out, in, in_counts, type, operation, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_shares_within(facts, in_counts, 0, type);
  return mpi_meet(mpi_call_of(OF_MPI_Reduce_scatter, run_MPI_Reduce_scatter, &a), facts, MEETING_ALL, -1, &share);
}

MPI_CLOSURE(MPI_Reduce_scatter_block, const void *out; void *in; int in_count; MPI_Datatype type; MPI_Op operation;
            MPI_Comm communicator;, a->out, a->in, a->in_count, a->type, a->operation, a->communicator)
MPI_EXPORTED int MPI_Reduce_scatter_block(const void *out, void *in, int in_count, MPI_Datatype type, MPI_Op operation,
                                          MPI_Comm communicator)
{
  struct MPI_Reduce_scatter_block_arguments a = {out, in, in_count, type, operation, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_shares_within(facts, NULL, in_count, type);
  return mpi_meet(mpi_call_of(OF_MPI_Reduce_scatter_block, run_MPI_Reduce_scatter_block, &a), facts, MEETING_ALL, -1,
                  &share);
}

MPI_CLOSURE(MPI_Scan, const void *out; void *in; int count; MPI_Datatype type; MPI_Op operation; MPI_Comm communicator;
            , a->out, a->in, a->count, a->type, a->operation, a->communicator)
MPI_EXPORTED int MPI_Scan(const void *out, void *in, int count, MPI_Datatype type, MPI_Op operation,
                          MPI_Comm communicator)
{
  struct MPI_Scan_arguments a = {out, in, count, type, operation, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return mpi_meet(mpi_call_of(OF_MPI_Scan, run_MPI_Scan, &a), facts, MEETING_BELOW, -1, &share);
}

MPI_CLOSURE(MPI_Exscan, const void *out; void *in; int count; MPI_Datatype type; MPI_Op operation;
            MPI_Comm communicator;, a->out, a->in, a->count, a->type, a->operation, a->communicator)
MPI_EXPORTED int MPI_Exscan(const void *out, void *in, int count, MPI_Datatype type, MPI_Op operation,
                            MPI_Comm communicator)
{
  struct MPI_Exscan_arguments a = {out, in, count, type, operation, communicator};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return mpi_meet(mpi_call_of(OF_MPI_Exscan, run_MPI_Exscan, &a), facts, MEETING_BELOW, -1, &share);
}

MPI_CLOSURE(MPI_Iallreduce, const void *out; void *in; int count; MPI_Datatype type; MPI_Op operation;
            MPI_Comm communicator; MPI_Request * request;
            , a->out, a->in, a->count, a->type, a->operation, a->communicator, a->request)
MPI_EXPORTED int MPI_Iallreduce(const void *out, void *in, int count, MPI_Datatype type, MPI_Op operation,
                                MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Iallreduce_arguments a = {out, in, count, type, operation, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = mpi_share_of(count, type);
  return mpi_meet(mpi_call_of(OF_MPI_Iallreduce, run_MPI_Iallreduce, &a), facts, MEETING_NONE, -1, &share);
}

MPI_CLOSURE(MPI_Iallgather, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; MPI_Comm communicator; MPI_Request * request;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->communicator, a->request)
MPI_EXPORTED int MPI_Iallgather(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                                MPI_Datatype in_type, MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Iallgather_arguments a = {out, out_count, out_type, in, in_count, in_type, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      out == MPI_IN_PLACE ? mpi_share_of(in_count, in_type) : mpi_share_of(out_count, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Iallgather, run_MPI_Iallgather, &a), facts, MEETING_NONE, -1, &share);
}

MPI_CLOSURE(MPI_Iallgatherv, const void *out; int out_count; MPI_Datatype out_type; void *in; const int *in_counts;
            const int *in_places; MPI_Datatype in_type; MPI_Comm communicator; MPI_Request * request;
            , a->out, a->out_count, a->out_type, a->in, a->in_counts, a->in_places, a->in_type, a->communicator,
            a->request)
MPI_EXPORTED int MPI_Iallgatherv(const void *out, int out_count, MPI_Datatype out_type, void *in, const int *in_counts,
                                 const int *in_places, MPI_Datatype in_type, MPI_Comm communicator,
                                 MPI_Request *request)
{
  struct MPI_Iallgatherv_arguments a = {out,       out_count, out_type,     in,     in_counts,
                                        in_places, in_type,   communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = out == MPI_IN_PLACE ? mpi_share_of(in_counts[facts ? facts->rank : 0], in_type)
                                                     : mpi_share_of(out_count, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Iallgatherv, run_MPI_Iallgatherv, &a), facts, MEETING_NONE, -1, &share);
}

MPI_CLOSURE(MPI_Ialltoall, const void *out; int out_count; MPI_Datatype out_type; void *in; int in_count;
            MPI_Datatype in_type; MPI_Comm communicator; MPI_Request * request;
            , a->out, a->out_count, a->out_type, a->in, a->in_count, a->in_type, a->communicator, a->request)
MPI_EXPORTED int MPI_Ialltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                               MPI_Datatype in_type, MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Ialltoall_arguments a = {out, out_count, out_type, in, in_count, in_type, communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share = out == MPI_IN_PLACE ? mpi_shares_of(facts, NULL, in_count, in_type)
                                                     : mpi_shares_of(facts, NULL, out_count, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Ialltoall, run_MPI_Ialltoall, &a), facts, MEETING_NONE, -1, &share);
}

MPI_CLOSURE(MPI_Ialltoallv, const void *out; const int *out_counts; const int *out_places; MPI_Datatype out_type;
            void *in; const int *in_counts; const int *in_places; MPI_Datatype in_type; MPI_Comm communicator;
            MPI_Request * request;, a->out, a->out_counts, a->out_places, a->out_type, a->in, a->in_counts,
                                  a->in_places, a->in_type, a->communicator, a->request)
MPI_EXPORTED int MPI_Ialltoallv(const void *out, const int *out_counts, const int *out_places, MPI_Datatype out_type,
                                void *in, const int *in_counts, const int *in_places, MPI_Datatype in_type,
                                MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Ialltoallv_arguments a = {out,       out_counts, out_places, out_type,     in,
                                       in_counts, in_places,  in_type,    communicator, request};
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  const struct mpi_share share =
      out == MPI_IN_PLACE ? mpi_shares_of(facts, in_counts, 0, in_type) : mpi_shares_of(facts, out_counts, 0, out_type);
  return mpi_meet(mpi_call_of(OF_MPI_Ialltoallv, run_MPI_Ialltoallv, &a), facts, MEETING_NONE, -1, &share);
}

MPI_CLOSURE(MPI_Barrier, MPI_Comm communicator;, a->communicator)
MPI_EXPORTED int MPI_Barrier(MPI_Comm communicator)
{
  struct MPI_Barrier_arguments a = {communicator};
  return mpi_meet(mpi_call_of(OF_MPI_Barrier, run_MPI_Barrier, &a), mpi_comm_facts(communicator), MEETING_ALL, -1,
                  NULL);
}

MPI_CLOSURE(MPI_Ibarrier, MPI_Comm communicator; MPI_Request * request;, a->communicator, a->request)
MPI_EXPORTED int MPI_Ibarrier(MPI_Comm communicator, MPI_Request *request)
{
  struct MPI_Ibarrier_arguments a = {communicator, request};
  return mpi_meet(mpi_call_of(OF_MPI_Ibarrier, run_MPI_Ibarrier, &a), mpi_comm_facts(communicator), MEETING_NONE, -1,
                  NULL);
}
