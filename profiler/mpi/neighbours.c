/* Calls of all ranks together in which each gives to its neighbours alone, of a communicator that has a topology. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/mpi/collective_ways.h"
#include "profiler/mpi/shares.h"

/* Of each kind of topology: how many ranks this one takes from and gives to. False: there is none. */
static bool count_of(MPI_Comm communicator, int kind, int *in, int *out)
{
  int count = 0, is_weighted = 0, rank = 0;
  if (kind == MPI_DIST_GRAPH)
    return PMPI_Dist_graph_neighbors_count(communicator, in, out, &is_weighted) == MPI_SUCCESS;
  if (kind == MPI_CART) {
    if (PMPI_Cartdim_get(communicator, &count) != MPI_SUCCESS)
      return false;
    count *= 2;
  } else if (kind != MPI_GRAPH || PMPI_Comm_rank(communicator, &rank) != MPI_SUCCESS ||
             PMPI_Graph_neighbors_count(communicator, rank, &count) != MPI_SUCCESS) {
    return false;
  }
  *in = *out = count;
  return true;
}

/* Those, by their ranks in the communicator. */
static bool list(MPI_Comm communicator, int kind, const struct mpi_comm_facts *facts, struct mpi_neighbours *made)
{
  int *in = made->ranks, *out = in + made->in, *weights = out + made->out;
  if (kind == MPI_DIST_GRAPH)
    return PMPI_Dist_graph_neighbors(communicator, made->in, in, weights, made->out, out, weights + made->in) ==
           MPI_SUCCESS;
  bool is_complete = true;
  for (int i = 0; kind == MPI_CART && is_complete && 2 * i < made->in; i++)
    is_complete = PMPI_Cart_shift(communicator, i, 1, &in[(ptrdiff_t)2 * i], &in[(ptrdiff_t)2 * i + 1]) == MPI_SUCCESS;
  if (kind == MPI_GRAPH)
    is_complete = PMPI_Graph_neighbors(communicator, facts->rank, made->in, in) == MPI_SUCCESS;
  memcpy(out, in, (size_t)made->in * sizeof *in);
  return is_complete;
}

static struct mpi_neighbours *make(MPI_Comm communicator, const struct mpi_comm_facts *facts)
{
  int kind = MPI_UNDEFINED, in = 0, out = 0;
  if (PMPI_Topo_test(communicator, &kind) != MPI_SUCCESS || !count_of(communicator, kind, &in, &out))
    return NULL;
  /* A graph's weights are told with them, and are not needed. */
  struct mpi_neighbours *made = malloc(sizeof *made + 2 * ((size_t)in + (size_t)out) * sizeof *made->ranks);
  if (!made)
    return NULL;
  made->users = 1;
  made->in = in;
  made->out = out;
  if (!list(communicator, kind, facts, made)) {
    free(made);
    return NULL;
  }
  for (int i = 0; i < in + out; i++)
    made->ranks[i] = mpi_comm_world_rank(facts, made->ranks[i]);
  return made;
}

/* What is known of the communicator, its neighbours among it. */
static struct mpi_comm_facts *facts_of(MPI_Comm communicator)
{
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  if (!facts || __atomic_load_n(&facts->neighbours, __ATOMIC_ACQUIRE))
    return facts;
  struct mpi_neighbours *none = NULL, *made = make(communicator, facts);
  if (made && !__atomic_compare_exchange_n(&facts->neighbours, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    free(made);
  return facts;
}

/* How many neighbours this rank gives to. */
static int neighbours_of(const struct mpi_comm_facts *facts)
{
  return facts && facts->neighbours ? facts->neighbours->out : 0;
}

#define OUT (const void *, out), (mpi_count, out_count), (MPI_Datatype, out_type)
#define IN  (void *, in), (mpi_count, in_count), (MPI_Datatype, in_type), (MPI_Comm, communicator)
#define IN_V                                                                                                           \
  (void *, in), (const mpi_count *, in_counts), (const mpi_place *, in_places), (MPI_Datatype, in_type),               \
      (MPI_Comm, communicator)

#define NEIGHBOURS(name, ...)                                                                                          \
  MPI_WAYS_OF(facts_of, Neighbor_##name, Ineighbor_##name, MEETING_NEIGHBOURS, -1, __VA_ARGS__)

NEIGHBOURS(allgather, mpi_share_of(a->out_count, a->out_type), OUT, IN)
NEIGHBOURS(allgatherv, mpi_share_of(a->out_count, a->out_type), OUT, IN_V)
NEIGHBOURS(alltoall, mpi_sum_of(neighbours_of(facts), NULL, a->out_count, a->out_type), OUT, IN)
NEIGHBOURS(alltoallv, mpi_sum_of(neighbours_of(facts), a->out_counts, 0, a->out_type), (const void *, out),
           (const mpi_count *, out_counts), (const mpi_place *, out_places), (MPI_Datatype, out_type), IN_V)
/* Its places are bytes, whatever counts are. */
NEIGHBOURS(alltoallw, mpi_mixed_sum_of(neighbours_of(facts), a->out_counts, a->out_types), (const void *, out),
           (const mpi_count *, out_counts), (const MPI_Aint *, out_places), (const MPI_Datatype *, out_types),
           (void *, in), (const mpi_count *, in_counts), (const MPI_Aint *, in_places),
           (const MPI_Datatype *, in_types), (MPI_Comm, communicator))
