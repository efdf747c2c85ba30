/* Calls of all ranks together in which each gives to its neighbours alone, of a communicator that has a topology. */
#include <mpi.h>
#include <stddef.h>

#include "profiler/mpi/collective_ways.h"
#include "profiler/mpi/shares.h"

/* How many neighbours this rank gives to. */
static int neighbours_of(MPI_Comm communicator)
{
  int kind = MPI_UNDEFINED, count = 0, from = 0, is_weighted = 0, rank = 0;
  if (PMPI_Topo_test(communicator, &kind) != MPI_SUCCESS)
    return 0;
  if (kind == MPI_CART && PMPI_Cartdim_get(communicator, &count) == MPI_SUCCESS)
    return 2 * count;
  if (kind == MPI_GRAPH && PMPI_Comm_rank(communicator, &rank) == MPI_SUCCESS)
    (void)PMPI_Graph_neighbors_count(communicator, rank, &count);
  else if (kind == MPI_DIST_GRAPH)
    (void)PMPI_Dist_graph_neighbors_count(communicator, &from, &count, &is_weighted);
  return count;
}

#define OUT (const void *, out), (mpi_count, out_count), (MPI_Datatype, out_type)
#define IN  (void *, in), (mpi_count, in_count), (MPI_Datatype, in_type), (MPI_Comm, communicator)
#define IN_V                                                                                                           \
  (void *, in), (const mpi_count *, in_counts), (const mpi_place *, in_places), (MPI_Datatype, in_type),               \
      (MPI_Comm, communicator)

/* Who waits for whom is another one for each rank, and not told. */
#define NEIGHBOURS(name, ...) MPI_WAYS(Neighbor_##name, Ineighbor_##name, MEETING_NONE, -1, __VA_ARGS__)

NEIGHBOURS(allgather, mpi_share_of(a->out_count, a->out_type), OUT, IN)
NEIGHBOURS(allgatherv, mpi_share_of(a->out_count, a->out_type), OUT, IN_V)
NEIGHBOURS(alltoall, mpi_sum_of(neighbours_of(a->communicator), NULL, a->out_count, a->out_type), OUT, IN)
NEIGHBOURS(alltoallv, mpi_sum_of(neighbours_of(a->communicator), a->out_counts, 0, a->out_type), (const void *, out),
           (const mpi_count *, out_counts), (const mpi_place *, out_places), (MPI_Datatype, out_type), IN_V)
/* Its places are bytes, whatever counts are. */
NEIGHBOURS(alltoallw, mpi_mixed_sum_of(neighbours_of(a->communicator), a->out_counts, a->out_types),
           (const void *, out), (const mpi_count *, out_counts), (const MPI_Aint *, out_places),
           (const MPI_Datatype *, out_types), (void *, in), (const mpi_count *, in_counts),
           (const MPI_Aint *, in_places), (const MPI_Datatype *, in_types), (MPI_Comm, communicator))
