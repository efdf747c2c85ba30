/* Messages in parts, since MPI 4: each part is sent when it is ready. They meet no other messages. */
#include <mpi.h>
#include <stdint.h>

#if MPI_VERSION >= 4
#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"

/* A request for so many parts, of so many elements each. */
static int prepare(struct mpi_call call, int64_t parts, int64_t count, MPI_Datatype type, int rank,
                   MPI_Comm communicator, const MPI_Request *request)
{
  struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  mpi_call_among(&call, facts);
  mpi_call_moves(&call, parts * count, type);
  call.peer = mpi_comm_peer(facts, rank);
  const int result = mpi_row(&call);
  /* What it was is forgotten, and not known when it is started. */
  const struct mpi_request_facts made = mpi_request_of(call.function, NULL);
  if (result == MPI_SUCCESS)
    mpi_request_put(*request, &made);
  return result;
}

/* So many parts are ready, or asked for. */
static int touch(struct mpi_call call, int64_t parts)
{
  call.count = parts;
  return mpi_row(&call);
}

#define PREPARES(name, type_of_buffer)                                                                                 \
  MPI_WRAP(name, (type_of_buffer, buffer), (int, parts), (MPI_Count, count), (MPI_Datatype, type), (int, rank),        \
           (int, tag), (MPI_Comm, communicator), (MPI_Info, info), (MPI_Request *, request))                           \
  {                                                                                                                    \
    return prepare(MPI_CALL(name), a->parts, a->count, a->type, a->rank, a->communicator, a->request);                 \
  }
PREPARES(MPI_Psend_init, const void *)
PREPARES(MPI_Precv_init, void *)

#define TOUCHES(name, parts, ...)                                                                                      \
  MPI_WRAP(name, __VA_ARGS__)                                                                                          \
  {                                                                                                                    \
    return touch(MPI_CALL(name), parts);                                                                               \
  }
TOUCHES(MPI_Pready, 1, (int, part), (MPI_Request, request))
TOUCHES(MPI_Pready_range, (int64_t)a->last - a->first + 1, (int, first), (int, last), (MPI_Request, request))
/* Whether these are constant differs by the version of the MPI. */
typedef __typeof__(_Generic(&MPI_Pready_list, int (*)(int, int *, MPI_Request)
                            : (int *)0, default
                            : (const int *)0)) list;
TOUCHES(MPI_Pready_list, a->count, (int, count), (list, parts), (MPI_Request, request))
TOUCHES(MPI_Parrived, 1, (MPI_Request, request), (int, part), (int *, flag))
#endif
