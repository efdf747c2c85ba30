/* Calls of all ranks together of which one is the root. */
#include <mpi.h>
#include <stddef.h>

#include "profiler/mpi/collective_ways.h"
#include "profiler/mpi/shares.h"

/* In an intercommunicator's call the data's type means nothing where no data is: it may be no type at all. */
static struct mpi_share moved(int root, struct mpi_share share)
{
  return root == MPI_PROC_NULL ? mpi_share_of_nothing() : share;
}

/* What a rank gives to a gathering root, by what it sends, or by what it receives if its part lies there already. The
 * root of an intercommunicator's call gives nothing. */
static struct mpi_share given_to(int root, const void *out, struct mpi_share sent, struct mpi_share in_place)
{
  return root == MPI_ROOT ? mpi_share_of_nothing() : moved(root, out == MPI_IN_PLACE ? in_place : sent);
}

/* What the root scatters, or others get of it. */
static struct mpi_share given_by(int root, const struct mpi_comm_facts *facts, struct mpi_share all,
                                 struct mpi_share own)
{
  return moved(root, mpi_is_root(facts, root) ? all : own);
}

/* The own part of what the root receives, where it lies there already. */
static struct mpi_share in_place(const struct mpi_comm_facts *facts, const void *out, int root, const mpi_count *counts,
                                 MPI_Datatype type)
{
  return out == MPI_IN_PLACE && root != MPI_ROOT && root != MPI_PROC_NULL ? mpi_own_share_of(facts, counts, type)
                                                                          : mpi_share_of_nothing();
}

/* What the root has for all. Elsewhere these arguments mean nothing. */
static struct mpi_share scattered(const struct mpi_comm_facts *facts, int root, const mpi_count *counts, mpi_count each,
                                  MPI_Datatype type)
{
  return mpi_is_root(facts, root) ? mpi_shares_of(facts, counts, each, type) : mpi_share_of_nothing();
}

#define OUT (const void *, out), (mpi_count, out_count), (MPI_Datatype, out_type)
#define IN  (void *, in), (mpi_count, in_count), (MPI_Datatype, in_type)
#define TO  (int, root), (MPI_Comm, communicator)

MPI_WAYS(Bcast, Ibcast, MEETING_FROM_ROOT, a->root, moved(a->root, mpi_share_of(a->count, a->type)), (void *, buffer),
         (mpi_count, count), (MPI_Datatype, type), TO)
MPI_WAYS(Reduce, Ireduce, MEETING_TO_ROOT, a->root, moved(a->root, mpi_share_of(a->count, a->type)),
         (const void *, out), (void *, in), (mpi_count, count), (MPI_Datatype, type), (MPI_Op, operation), TO)
MPI_WAYS(Gather, Igather, MEETING_TO_ROOT, a->root,
         given_to(a->root, a->out, mpi_share_of(a->out_count, a->out_type), mpi_share_of(a->in_count, a->in_type)), OUT,
         IN, TO)
MPI_WAYS(Gatherv, Igatherv, MEETING_TO_ROOT, a->root,
         given_to(a->root, a->out, mpi_share_of(a->out_count, a->out_type),
                  in_place(facts, a->out, a->root, a->in_counts, a->in_type)),
         OUT, (void *, in), (const mpi_count *, in_counts), (const mpi_place *, in_places), (MPI_Datatype, in_type), TO)
MPI_WAYS(Scatter, Iscatter, MEETING_FROM_ROOT, a->root,
         given_by(a->root, facts, scattered(facts, a->root, NULL, a->out_count, a->out_type),
                  mpi_share_of(a->in_count, a->in_type)),
         OUT, IN, TO)
MPI_WAYS(Scatterv, Iscatterv, MEETING_FROM_ROOT, a->root,
         given_by(a->root, facts, scattered(facts, a->root, a->out_counts, 0, a->out_type),
                  mpi_share_of(a->in_count, a->in_type)),
         (const void *, out), (const mpi_count *, out_counts), (const mpi_place *, out_places),
         (MPI_Datatype, out_type), IN, TO)
