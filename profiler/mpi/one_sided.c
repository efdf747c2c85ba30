/* What a rank puts into the memory of another, or gets from there, without a call of that one; and windows for it. */
#include <mpi.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"
#include "profiler/mpi/windows.h"

/* `count` of the type go to the rank, come from there, or both. */
enum ways { TO = 1, FROM = 2 };

static int reach(struct mpi_call *call, int64_t count, MPI_Datatype type, int rank, MPI_Win window, enum ways ways)
{
  const struct mpi_comm_facts *facts = mpi_window_facts(window);
  mpi_call_among(call, facts);
  mpi_call_moves(call, count, type);
  mpi_call_with(call, facts, rank);
  const int result = mpi_row(call);
  if (result != MPI_SUCCESS || rank == MPI_PROC_NULL)
    return result;
  mpi_window_reached(window, rank);
  mpi_count_bytes(call->function, call->bytes);
  if (ways & TO)
    mpi_count_sent(facts, rank, call->bytes);
  if (ways & FROM)
    mpi_count_received(facts, rank, call->bytes);
  return result;
}

/* The same with a request, by which no other rank is waited for: what its handle was of is forgotten. */
static int begin(struct mpi_call call, int64_t count, MPI_Datatype type, int rank, MPI_Win window, enum ways ways,
                 const MPI_Request *request)
{
  const int result = reach(&call, count, type, rank, window, ways);
  const struct mpi_request_facts made = mpi_request_of(call.function, NULL);
  if (result == MPI_SUCCESS)
    mpi_request_put(*request, &made);
  return result;
}

/* A function by itself, and one that makes a request. */
#define REACH(name, ways, ...)                                                                                         \
  MPI_WRAP(MPI_##name, __VA_ARGS__)                                                                                    \
  {                                                                                                                    \
    struct mpi_call call = MPI_CALL(MPI_##name);                                                                       \
    return reach(&call, a->count, a->type, a->rank, a->window, ways);                                                  \
  }
#define BEGIN(name, ways, ...)                                                                                         \
  MPI_WRAP(MPI_##name, __VA_ARGS__, (MPI_Request *, request))                                                          \
  {                                                                                                                    \
    return begin(MPI_CALL(MPI_##name), a->count, a->type, a->rank, a->window, ways, a->request);                       \
  }

#define OWN   (mpi_count, count), (MPI_Datatype, type)
#define OTHER (int, rank), (MPI_Aint, place), (mpi_count, other_count), (MPI_Datatype, other_type)
#define PUT   (const void *, out), OWN, OTHER, (MPI_Win, window)
#define GET   (void *, in), OWN, OTHER, (MPI_Win, window)
#define ADD   (const void *, out), OWN, OTHER, (MPI_Op, operation), (MPI_Win, window)

REACH(Put, TO, PUT)
BEGIN(Rput, TO, PUT)
REACH(Get, FROM, GET)
BEGIN(Rget, FROM, GET)
REACH(Accumulate, TO, ADD)
BEGIN(Raccumulate, TO, ADD)

/* Where nothing is sent (MPI_NO_OP), the own count means nothing, and as much comes back as is there. */
#define GET_ADD                                                                                                        \
  (const void *, out), (mpi_count, out_count), (MPI_Datatype, out_type), (void *, in), OWN, OTHER,                     \
      (MPI_Op, operation), (MPI_Win, window)
REACH(Get_accumulate, a->operation == MPI_NO_OP ? FROM : TO | FROM, GET_ADD)
BEGIN(Rget_accumulate, a->operation == MPI_NO_OP ? FROM : TO | FROM, GET_ADD)

#ifndef CALLSIG_MPI_LARGE_COUNTS
/* Of one element. */
#define REACH_ONE(name, ...)                                                                                           \
  MPI_WRAP(MPI_##name, __VA_ARGS__)                                                                                    \
  {                                                                                                                    \
    struct mpi_call call = MPI_CALL(MPI_##name);                                                                       \
    return reach(&call, 1, a->type, a->rank, a->window, TO | FROM);                                                    \
  }
REACH_ONE(Fetch_and_op, (const void *, out), (void *, in), (MPI_Datatype, type), (int, rank), (MPI_Aint, place),
          (MPI_Op, operation), (MPI_Win, window))
REACH_ONE(Compare_and_swap, (const void *, out), (const void *, compared), (void *, in), (MPI_Datatype, type),
          (int, rank), (MPI_Aint, place), (MPI_Win, window))
#endif

/* ------------------------------------------------------------------------------------------------------------------ */

#define MAKES(name, ...)                                                                                               \
  MPI_WRAP(name, __VA_ARGS__)                                                                                          \
  {                                                                                                                    \
    return mpi_window_make(MPI_CALL(name), a->communicator, a->window);                                                \
  }
MAKES(MPI_Win_create, (void *, base), (MPI_Aint, size), (mpi_place, unit), (MPI_Info, info), (MPI_Comm, communicator),
      (MPI_Win *, window))
MAKES(MPI_Win_allocate, (MPI_Aint, size), (mpi_place, unit), (MPI_Info, info), (MPI_Comm, communicator), (void *, base),
      (MPI_Win *, window))
MAKES(MPI_Win_allocate_shared, (MPI_Aint, size), (mpi_place, unit), (MPI_Info, info), (MPI_Comm, communicator),
      (void *, base), (MPI_Win *, window))
