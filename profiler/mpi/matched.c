/* Messages that a probe has taken already, and that are received now. */
#include <mpi.h>
#include <stdbool.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"

/* From whom, and in which communicator, is not told again before it is there. */
static int receive(struct mpi_call *call, mpi_count count, MPI_Datatype type)
{
  mpi_call_among(call, NULL);
  mpi_call_moves(call, count, type);
  mpi_call_with(call, NULL, MPI_ANY_SOURCE);
  return mpi_row(call);
}

#define MATCHED (void *, buffer), (mpi_count, count), (MPI_Datatype, type), (MPI_Message *, message)

MPI_WRAP(MPI_Mrecv, MATCHED, (MPI_Status *, status))
{
  MPI_Status own;
  struct mpi_call call = MPI_CALL(MPI_Mrecv);
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  mpi_call_waits(&call, MPI_WAITS_FOR_MESSAGE);
  const int result = receive(&call, a->count, a->type);
  if (result == MPI_SUCCESS)
    mpi_message_received(MPI_NOT_LOGGED, call.function, NULL, a->status, &call);
  return result;
}

MPI_WRAP(MPI_Imrecv, MATCHED, (MPI_Request *, request))
{
  struct mpi_call call = MPI_CALL(MPI_Imrecv);
  const int result = receive(&call, a->count, a->type);
  struct mpi_request_facts made = mpi_request_of(call.function, NULL);
  made.is_receive = true;
  if (result == MPI_SUCCESS)
    mpi_request_put(*a->request, &made);
  return result;
}
