/* Messages from one rank to another, by the functions that programs send and receive them with. */
#include <mpi.h>
#include <stdbool.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"

/* What a message is to be. */
struct message {
  int64_t count;
  MPI_Datatype type;
  int rank, tag;
  MPI_Comm communicator;
};

static void describe(struct mpi_call *call, const struct mpi_comm_facts *facts, const struct message *message)
{
  mpi_call_among(call, facts);
  mpi_call_moves(call, message->count, message->type);
  call->peer = mpi_comm_peer(facts, message->rank);
}

/* A message on its way through the call that sends it, receives it or begins to. */
struct passage {
  struct mpi_comm_facts *facts;
  uint32_t event; /* its place in the log, in the order in which messages are asked for: taken before the call */
};

/* Makes a call for one message. */
static int pass(struct mpi_call *call, const struct message *message, struct passage *passage)
{
  passage->facts = mpi_comm_facts(message->communicator);
  passage->event = mpi_message_place(passage->facts, message->rank);
  describe(call, passage->facts, message);
  return mpi_row(call);
}

/* What was sent in the ended call, which may have waited for the other side. */
static void leave_sent(struct mpi_call *call, const struct message *message, const struct passage *passage)
{
  mpi_message_sent(passage->event, call->function, passage->facts, message->rank, message->tag, call->bytes,
                   call->enter);
  if (passage->event != MPI_NOT_LOGGED)
    mpi_log_event_at(passage->event)->pause = mpi_call_pause(call);
}

/* What was received in it; `result`: MPI's own, of a message that was taken. */
static void leave_received(struct mpi_call *call, const struct message *message, const struct passage *passage,
                           const MPI_Status *status, int result)
{
  mpi_message_asked_for(passage->event, passage->facts, message->rank, message->tag, call->enter);
  mpi_message_received(passage->event, call->function, passage->facts, status, call);
  if (result != MPI_SUCCESS && passage->event != MPI_NOT_LOGGED)
    mpi_log_event_at(passage->event)->bytes = MPI_BYTES_UNKNOWN;
}

/* Sends in this call. */
static int send_now(struct mpi_call call, const struct message *message)
{
  struct passage passage;
  const int result = pass(&call, message, &passage);
  if (result == MPI_SUCCESS)
    leave_sent(&call, message, &passage);
  return result;
}

/* Begins to send; *request is there when the call has ended. */
static int begin_send(struct mpi_call call, const struct message *message, const MPI_Request *request)
{
  struct passage passage;
  const int result = pass(&call, message, &passage);
  if (result != MPI_SUCCESS)
    return result;
  mpi_message_sent(passage.event, call.function, passage.facts, message->rank, message->tag, call.bytes, call.enter);
  const struct mpi_request_facts made = {.function = call.function, .event = passage.event, .facts = passage.facts};
  /* Whether it is logged or not: the handle may have been another one's, which was done unseen. */
  mpi_request_put(*request, &made);
  return result;
}

/* Receives in this call; MPI's own leaves its status in *status. */
static int receive_now(struct mpi_call call, const struct message *message, const MPI_Status *status)
{
  struct passage passage;
  const int result = pass(&call, message, &passage);
  if (mpi_message_is_taken(result))
    leave_received(&call, message, &passage, status, result);
  return result;
}

static int begin_receive(struct mpi_call call, const struct message *message, const MPI_Request *request)
{
  struct passage passage;
  const int result = pass(&call, message, &passage);
  if (result != MPI_SUCCESS)
    return result;
  mpi_message_asked_for(passage.event, passage.facts, message->rank, message->tag, call.enter);
  const struct mpi_request_facts made = {
      .function = call.function, .is_receive = true, .event = passage.event, .facts = passage.facts};
  mpi_request_put(*request, &made);
  return result;
}

/* Notes a request that is to be started later, as often as the program likes. */
static int prepare(int result, enum mpi_function function, bool is_receive, const struct message *message,
                   const MPI_Request *request)
{
  if (result != MPI_SUCCESS)
    return result;
  struct mpi_call call = {.function = function};
  mpi_call_moves(&call, message->count, message->type);
  const struct mpi_request_facts made = {.function = function,
                                         .is_receive = is_receive,
                                         .is_persistent = true,
                                         .event = MPI_NOT_LOGGED,
                                         .rank = message->rank,
                                         .tag = message->tag,
                                         .bytes = call.bytes,
                                         .facts = mpi_comm_facts(message->communicator)};
  mpi_request_put(*request, &made);
  return result;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Sending
 * ------------------------------------------------------------------------------------------------------------------ */

#define SEND(name)                                                                                                     \
  MPI_CLOSURE(name, const void *buffer; int count; MPI_Datatype type; int rank; int tag; MPI_Comm communicator;        \
              , a->buffer, a->count, a->type, a->rank, a->tag, a->communicator)                                        \
  MPI_EXPORTED int name(const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm communicator)    \
  {                                                                                                                    \
    struct name##_arguments a = {buffer, count, type, rank, tag, communicator};                                        \
    const struct message message = {count, type, rank, tag, communicator};                                             \
    return send_now(mpi_call_of(OF_##name, run_##name, &a), &message);                                                 \
  }
SEND(MPI_Send)
SEND(MPI_Bsend)
SEND(MPI_Ssend)
SEND(MPI_Rsend)

#define BEGIN_SEND(name)                                                                                               \
  MPI_CLOSURE(name, const void *buffer; int count; MPI_Datatype type; int rank; int tag; MPI_Comm communicator;        \
              MPI_Request * request;, a->buffer, a->count, a->type, a->rank, a->tag, a->communicator, a->request)      \
  MPI_EXPORTED int name(const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm communicator,    \
                        MPI_Request *request)                                                                          \
  {                                                                                                                    \
    struct name##_arguments a = {buffer, count, type, rank, tag, communicator, request};                               \
    const struct message message = {count, type, rank, tag, communicator};                                             \
    return begin_send(mpi_call_of(OF_##name, run_##name, &a), &message, request);                                      \
  }
BEGIN_SEND(MPI_Isend)
BEGIN_SEND(MPI_Ibsend)
BEGIN_SEND(MPI_Issend)
BEGIN_SEND(MPI_Irsend)

#define PREPARE_SEND(name)                                                                                             \
  MPI_EXPORTED int name(const void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm communicator,    \
                        MPI_Request *request)                                                                          \
  {                                                                                                                    \
    const struct message message = {count, type, rank, tag, communicator};                                             \
    return prepare(P##name(buffer, count, type, rank, tag, communicator, request), OF_MPI_Start, false, &message,      \
                   request);                                                                                           \
  }
PREPARE_SEND(MPI_Send_init)
PREPARE_SEND(MPI_Bsend_init)
PREPARE_SEND(MPI_Ssend_init)
PREPARE_SEND(MPI_Rsend_init)

/* ---------------------------------------------------------------------------------------------------------------------
 * Receiving
 * ------------------------------------------------------------------------------------------------------------------ */

MPI_CLOSURE(MPI_Recv, void *buffer; int count; MPI_Datatype type; int rank; int tag; MPI_Comm communicator;
            MPI_Status * status;, a->buffer, a->count, a->type, a->rank, a->tag, a->communicator, a->status)
MPI_EXPORTED int MPI_Recv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm communicator,
                          MPI_Status *status)
{
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  struct MPI_Recv_arguments a = {buffer, count, type, rank, tag, communicator, status};
  const struct message message = {count, type, rank, tag, communicator};
  return receive_now(mpi_call_of(OF_MPI_Recv, run_MPI_Recv, &a), &message, status);
}

MPI_CLOSURE(MPI_Irecv, void *buffer; int count; MPI_Datatype type; int rank; int tag; MPI_Comm communicator;
            MPI_Request * request;, a->buffer, a->count, a->type, a->rank, a->tag, a->communicator, a->request)
MPI_EXPORTED int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm communicator,
                           MPI_Request *request)
{
  struct MPI_Irecv_arguments a = {buffer, count, type, rank, tag, communicator, request};
  const struct message message = {count, type, rank, tag, communicator};
  return begin_receive(mpi_call_of(OF_MPI_Irecv, run_MPI_Irecv, &a), &message, request);
}

MPI_EXPORTED int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm communicator,
                               MPI_Request *request)
{
  const struct message message = {count, type, rank, tag, communicator};
  return prepare(PMPI_Recv_init(buffer, count, type, rank, tag, communicator, request), OF_MPI_Start, true, &message,
                 request);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Both in one call
 * ------------------------------------------------------------------------------------------------------------------ */

static int exchange(struct mpi_call call, const struct message *sent, const struct message *received,
                    const MPI_Status *status)
{
  struct mpi_comm_facts *facts = mpi_comm_facts(sent->communicator);
  const struct passage out = {facts, mpi_message_place(facts, sent->rank)},
                       in = {facts, mpi_message_place(facts, received->rank)};
  describe(&call, facts, sent);
  const int result = mpi_row(&call);
  /* Where what came was longer than there was room for, the own message has gone. */
  if (mpi_message_is_taken(result)) {
    leave_sent(&call, sent, &out);
    leave_received(&call, received, &in, status, result);
  }
  return result;
}

MPI_CLOSURE(MPI_Sendrecv, const void *out; int out_count; MPI_Datatype out_type; int to; int out_tag; void *in;
            int in_count; MPI_Datatype in_type; int from; int in_tag; MPI_Comm communicator; MPI_Status * status;
            , a->out, a->out_count, a->out_type, a->to, a->out_tag, a->in, a->in_count, a->in_type, a->from, a->in_tag,
            a->communicator, a->status)
MPI_EXPORTED int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
                              int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm communicator,
                              MPI_Status *status)
{
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  struct MPI_Sendrecv_arguments a = {out,      out_count, out_type, to,     out_tag,      in,
                                     in_count, in_type,   from,     in_tag, communicator, status};
  const struct message sent = {out_count, out_type, to, out_tag, communicator},
                       received = {in_count, in_type, from, in_tag, communicator};
  return exchange(mpi_call_of(OF_MPI_Sendrecv, run_MPI_Sendrecv, &a), &sent, &received, status);
}

MPI_CLOSURE(MPI_Sendrecv_replace, void *buffer; int count; MPI_Datatype type; int to; int out_tag; int from; int in_tag;
            MPI_Comm communicator; MPI_Status * status;
            , a->buffer, a->count, a->type, a->to, a->out_tag, a->from, a->in_tag, a->communicator, a->status)
MPI_EXPORTED int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int out_tag, int from,
                                      int in_tag, MPI_Comm communicator, MPI_Status *status)
{
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE)
    status = &own;
  struct MPI_Sendrecv_replace_arguments a = {buffer, count, type, to, out_tag, from, in_tag, communicator, status};
  const struct message sent = {count, type, to, out_tag, communicator},
                       received = {count, type, from, in_tag, communicator};
  return exchange(mpi_call_of(OF_MPI_Sendrecv_replace, run_MPI_Sendrecv_replace, &a), &sent, &received, status);
}
