/* Calls of all ranks together without data: barriers, and those that make communicators of others, or other ranks. */
#include <mpi.h>

#include "profiler/mpi/meeting.h"
#include "profiler/mpi/wrap.h"

MPI_WRAP(MPI_Barrier, (MPI_Comm, communicator))
{
  return mpi_meet(MPI_CALL(MPI_Barrier), mpi_comm_facts(a->communicator), MEETING_ALL, -1, NULL);
}

MPI_WRAP(MPI_Ibarrier, (MPI_Comm, communicator), (MPI_Request *, request))
{
  return mpi_meet_begin(MPI_CALL(MPI_Ibarrier), mpi_comm_facts(a->communicator), MEETING_ALL, -1, NULL, a->request);
}

#if MPI_VERSION >= 4
MPI_WRAP(MPI_Barrier_init, (MPI_Comm, communicator), (MPI_Info, info), (MPI_Request *, request))
{
  return mpi_meet_prepare(MPI_CALL(MPI_Barrier_init), mpi_comm_facts(a->communicator), MEETING_ALL, -1, NULL,
                          a->request);
}
#endif

/* A function that makes a communicator of the first of its arguments. */
#define MAKES(name, ...)                                                                                               \
  MPI_WRAP(name, (MPI_Comm, communicator), __VA_ARGS__, (MPI_Comm *, made))                                            \
  {                                                                                                                    \
    return mpi_meet_to_make(MPI_CALL(name), a->communicator, a->made);                                                 \
  }

MPI_WRAP(MPI_Comm_dup, (MPI_Comm, communicator), (MPI_Comm *, made))
{
  return mpi_meet_to_make(MPI_CALL(MPI_Comm_dup), a->communicator, a->made);
}
MAKES(MPI_Comm_dup_with_info, (MPI_Info, info))
MAKES(MPI_Comm_split, (int, color), (int, key))
MAKES(MPI_Comm_split_type, (int, type), (int, key), (MPI_Info, info))
MAKES(MPI_Comm_create, (MPI_Group, group))
MAKES(MPI_Cart_create, (int, dimensions), (const int *, sizes), (const int *, periods), (int, reorder))
MAKES(MPI_Cart_sub, (const int *, remaining))
MAKES(MPI_Graph_create, (int, nodes), (const int *, index), (const int *, edges), (int, reorder))
MAKES(MPI_Dist_graph_create, (int, count), (const int *, sources), (const int *, degrees), (const int *, destinations),
      (const int *, weights), (MPI_Info, info), (int, reorder))
MAKES(MPI_Dist_graph_create_adjacent, (int, in_degree), (const int *, sources), (const int *, source_weights),
      (int, out_degree), (const int *, destinations), (const int *, destination_weights), (MPI_Info, info),
      (int, reorder))

/* What is spawned has ranks of its own, which log elsewhere: what such a call waited for is not known. */
static int spawn(struct mpi_call call, MPI_Comm communicator)
{
  mpi_call_among(&call, mpi_comm_facts(communicator));
  return mpi_row(&call);
}

MPI_WRAP(MPI_Comm_spawn, (const char *, command), (char **, words), (int, ranks), (MPI_Info, info), (int, root),
         (MPI_Comm, communicator), (MPI_Comm *, made), (int *, errors))
{
  return spawn(MPI_CALL(MPI_Comm_spawn), a->communicator);
}

MPI_WRAP(MPI_Comm_spawn_multiple, (int, count), (char **, commands), (char ***, words), (const int *, ranks),
         (const MPI_Info *, infos), (int, root), (MPI_Comm, communicator), (MPI_Comm *, made), (int *, errors))
{
  return spawn(MPI_CALL(MPI_Comm_spawn_multiple), a->communicator);
}
