/* Messages that are looked for before they are received. */
#include <mpi.h>
#include <stdbool.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"

/* Looks, and leaves that in the log when `*found`: a message that stays, or one that is taken and received later, which
 * is its place among those of its sender. */
static int look(struct mpi_call call, int rank, MPI_Comm communicator, const int *found, const MPI_Status *status,
                bool is_taken)
{
  const struct mpi_comm_facts *facts = mpi_comm_facts(communicator);
  mpi_call_among(&call, facts);
  mpi_call_with(&call, facts, rank);
  const uint32_t event = is_taken || call.wait_count > 0 ? mpi_message_place(facts, rank) : MPI_NOT_LOGGED;
  int result = mpi_row(&call);
  if (result != MPI_SUCCESS || !*found || event == MPI_NOT_LOGGED || status->MPI_SOURCE == MPI_PROC_NULL)
    return result;
  mpi_message_asked_for(event, facts, status->MPI_SOURCE, status->MPI_TAG, call.enter);
  struct mpi_event *logged = mpi_log_event_at(event);
  logged->pause = mpi_call_pause(&call);
  logged->kind = is_taken ? EVENT_RECEIVE : EVENT_PROBE;
  return result;
}

static const int is_found = 1;

MPI_WRAP(MPI_Probe, (int, rank), (int, tag), (MPI_Comm, communicator), (MPI_Status *, status))
{
  MPI_Status own;
  struct mpi_call call = MPI_CALL(MPI_Probe);
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  mpi_call_waits(&call, MPI_WAITS_FOR_MESSAGE);
  return look(call, a->rank, a->communicator, &is_found, a->status, false);
}

MPI_WRAP(MPI_Iprobe, (int, rank), (int, tag), (MPI_Comm, communicator), (int *, flag), (MPI_Status *, status))
{
  MPI_Status own;
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  return look(MPI_CALL(MPI_Iprobe), a->rank, a->communicator, a->flag, a->status, false);
}

MPI_WRAP(MPI_Mprobe, (int, rank), (int, tag), (MPI_Comm, communicator), (MPI_Message *, message),
         (MPI_Status *, status))
{
  MPI_Status own;
  struct mpi_call call = MPI_CALL(MPI_Mprobe);
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  mpi_call_waits(&call, MPI_WAITS_FOR_MESSAGE);
  return look(call, a->rank, a->communicator, &is_found, a->status, true);
}

MPI_WRAP(MPI_Improbe, (int, rank), (int, tag), (MPI_Comm, communicator), (int *, flag), (MPI_Message *, message),
         (MPI_Status *, status))
{
  MPI_Status own;
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  return look(MPI_CALL(MPI_Improbe), a->rank, a->communicator, a->flag, a->status, true);
}
