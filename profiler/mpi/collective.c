/* Calls of all ranks together in which all do the same. */
#include <mpi.h>

#include "profiler/mpi/collective_ways.h"
#include "profiler/mpi/shares.h"

/* What a rank gives to all: what it sends, or what lies already where it receives. */
#define GIVEN(in_place, sent) (a->out == MPI_IN_PLACE ? (in_place) : (sent))

#define OUT (const void *, out), (mpi_count, out_count), (MPI_Datatype, out_type)
#define OUT_V                                                                                                          \
  (const void *, out), (const mpi_count *, out_counts), (const mpi_place *, out_places), (MPI_Datatype, out_type)
#define OUT_W                                                                                                          \
  (const void *, out), (const mpi_count *, out_counts), (const mpi_place *, out_places),                               \
      (const MPI_Datatype *, out_types)
#define IN (void *, in), (mpi_count, in_count), (MPI_Datatype, in_type), (MPI_Comm, communicator)
#define IN_V                                                                                                           \
  (void *, in), (const mpi_count *, in_counts), (const mpi_place *, in_places), (MPI_Datatype, in_type),               \
      (MPI_Comm, communicator)
#define IN_W                                                                                                           \
  (void *, in), (const mpi_count *, in_counts), (const mpi_place *, in_places), (const MPI_Datatype *, in_types),      \
      (MPI_Comm, communicator)
#define COMPUTED (MPI_Datatype, type), (MPI_Op, operation), (MPI_Comm, communicator)

MPI_WAYS(Allreduce, Iallreduce, MEETING_ALL, -1, mpi_share_of(a->count, a->type), (const void *, out), (void *, in),
         (mpi_count, count), COMPUTED)
MPI_WAYS(Scan, Iscan, MEETING_BELOW, -1, mpi_share_of(a->count, a->type), (const void *, out), (void *, in),
         (mpi_count, count), COMPUTED)
MPI_WAYS(Exscan, Iexscan, MEETING_BELOW, -1, mpi_share_of(a->count, a->type), (const void *, out), (void *, in),
         (mpi_count, count), COMPUTED)
MPI_WAYS(Reduce_scatter, Ireduce_scatter, MEETING_ALL, -1, mpi_shares_within(facts, a->counts, 0, a->type),
         (const void *, out), (void *, in), (const mpi_count *, counts), COMPUTED)
MPI_WAYS(Reduce_scatter_block, Ireduce_scatter_block, MEETING_ALL, -1,
         mpi_shares_within(facts, NULL, a->count, a->type), (const void *, out), (void *, in), (mpi_count, count),
         COMPUTED)

MPI_WAYS(Allgather, Iallgather, MEETING_ALL, -1,
         GIVEN(mpi_share_of(a->in_count, a->in_type), mpi_share_of(a->out_count, a->out_type)), OUT, IN)
MPI_WAYS(Allgatherv, Iallgatherv, MEETING_ALL, -1,
         GIVEN(mpi_own_share_of(facts, a->in_counts, a->in_type), mpi_share_of(a->out_count, a->out_type)), OUT, IN_V)
MPI_WAYS(Alltoall, Ialltoall, MEETING_ALL, -1,
         GIVEN(mpi_shares_of(facts, NULL, a->in_count, a->in_type),
               mpi_shares_of(facts, NULL, a->out_count, a->out_type)),
         OUT, IN)
MPI_WAYS(Alltoallv, Ialltoallv, MEETING_ALL, -1,
         GIVEN(mpi_shares_of(facts, a->in_counts, 0, a->in_type), mpi_shares_of(facts, a->out_counts, 0, a->out_type)),
         OUT_V, IN_V)

static struct mpi_share mixed(const struct mpi_comm_facts *facts, const mpi_count *counts, const MPI_Datatype *types)
{
  return mpi_mixed_sum_of(facts ? facts->other_size : 0, counts, types);
}
MPI_WAYS(Alltoallw, Ialltoallw, MEETING_ALL, -1,
         GIVEN(mixed(facts, a->in_counts, a->in_types), mixed(facts, a->out_counts, a->out_types)), OUT_W, IN_W)
