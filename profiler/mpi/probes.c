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
  call.peer = mpi_comm_peer(facts, rank);
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

MPI_CLOSURE(MPI_Probe, int rank; int tag; MPI_Comm communicator; MPI_Status * status;
            , a->rank, a->tag, a->communicator, a->status)
MPI_EXPORTED int MPI_Probe(int rank, int tag, MPI_Comm communicator, MPI_Status *status)
{
  MPI_Status own;
  struct MPI_Probe_arguments a = {rank, tag, communicator, status == MPI_STATUS_IGNORE ? &own : status};
  return look(mpi_call_of(OF_MPI_Probe, run_MPI_Probe, &a), rank, communicator, &is_found, a.status, false);
}

MPI_CLOSURE(MPI_Iprobe, int rank; int tag; MPI_Comm communicator; int *flag; MPI_Status * status;
            , a->rank, a->tag, a->communicator, a->flag, a->status)
MPI_EXPORTED int MPI_Iprobe(int rank, int tag, MPI_Comm communicator, int *flag, MPI_Status *status)
{
  MPI_Status own;
  struct MPI_Iprobe_arguments a = {rank, tag, communicator, flag, status == MPI_STATUS_IGNORE ? &own : status};
  return look(mpi_call_of(OF_MPI_Iprobe, run_MPI_Iprobe, &a), rank, communicator, flag, a.status, false);
}

MPI_CLOSURE(MPI_Mprobe, int rank; int tag; MPI_Comm communicator; MPI_Message * message; MPI_Status * status;
            , a->rank, a->tag, a->communicator, a->message, a->status)
MPI_EXPORTED int MPI_Mprobe(int rank, int tag, MPI_Comm communicator, MPI_Message *message, MPI_Status *status)
{
  MPI_Status own;
  struct MPI_Mprobe_arguments a = {rank, tag, communicator, message, status == MPI_STATUS_IGNORE ? &own : status};
  return look(mpi_call_of(OF_MPI_Mprobe, run_MPI_Mprobe, &a), rank, communicator, &is_found, a.status, true);
}

MPI_CLOSURE(MPI_Improbe, int rank; int tag; MPI_Comm communicator; int *flag; MPI_Message * message;
            MPI_Status * status;, a->rank, a->tag, a->communicator, a->flag, a->message, a->status)
MPI_EXPORTED int MPI_Improbe(int rank, int tag, MPI_Comm communicator, int *flag, MPI_Message *message,
                             MPI_Status *status)
{
  MPI_Status own;
  struct MPI_Improbe_arguments a = {rank, tag,     communicator,
                                    flag, message, status == MPI_STATUS_IGNORE ? &own : status};
  return look(mpi_call_of(OF_MPI_Improbe, run_MPI_Improbe, &a), rank, communicator, flag, a.status, true);
}

/* What was taken already: from whom, and in which communicator, is not told again before it is there. */
MPI_CLOSURE(MPI_Mrecv, void *buffer; int count; MPI_Datatype type; MPI_Message * message; MPI_Status * status;
            , a->buffer, a->count, a->type, a->message, a->status)
MPI_EXPORTED int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
  MPI_Status own;
  struct MPI_Mrecv_arguments a = {buffer, count, type, message, status == MPI_STATUS_IGNORE ? &own : status};
  struct mpi_call call = mpi_call_of(OF_MPI_Mrecv, run_MPI_Mrecv, &a);
  mpi_call_among(&call, NULL);
  mpi_call_moves(&call, count, type);
  call.peer = PEER_ANY;
  int result = mpi_row(&call);
  if (result == MPI_SUCCESS)
    mpi_message_received(MPI_NOT_LOGGED, call.function, NULL, a.status, &call);
  return result;
}

MPI_CLOSURE(MPI_Imrecv, void *buffer; int count; MPI_Datatype type; MPI_Message * message; MPI_Request * request;
            , a->buffer, a->count, a->type, a->message, a->request)
MPI_EXPORTED int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
  struct MPI_Imrecv_arguments a = {buffer, count, type, message, request};
  struct mpi_call call = mpi_call_of(OF_MPI_Imrecv, run_MPI_Imrecv, &a);
  mpi_call_among(&call, NULL);
  mpi_call_moves(&call, count, type);
  call.peer = PEER_ANY;
  int result = mpi_row(&call);
  const struct mpi_request_facts made = {.function = call.function, .is_receive = true, .event = MPI_NOT_LOGGED};
  if (result == MPI_SUCCESS)
    mpi_request_put(*request, &made);
  return result;
}
