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
  mpi_call_with(call, facts, message->rank);
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
  mpi_call_waits(&call, MPI_WAITS_FOR_MESSAGE);
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
  struct mpi_request_facts made = mpi_request_of(call.function, passage.facts);
  made.event = passage.event;
  /* Whether it is logged or not: the handle may have been another one's, which was done unseen. */
  mpi_request_put(*request, &made);
  return result;
}

/* Receives in this call; MPI's own leaves its status in *status. */
static int receive_now(struct mpi_call call, const struct message *message, const MPI_Status *status)
{
  struct passage passage;
  mpi_call_waits(&call, MPI_WAITS_FOR_MESSAGE);
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
  struct mpi_request_facts made = mpi_request_of(call.function, passage.facts);
  made.is_receive = true;
  made.event = passage.event;
  mpi_request_put(*request, &made);
  return result;
}

/* Makes a request that is to be started later, as often as the program likes. */
static int prepare(struct mpi_call call, bool is_receive, const struct message *message, const MPI_Request *request)
{
  struct mpi_comm_facts *facts = mpi_comm_facts(message->communicator);
  describe(&call, facts, message);
  const int result = mpi_row(&call);
  if (result != MPI_SUCCESS)
    return result;
  struct mpi_request_facts made = mpi_request_of(OF_MPI_Start, facts);
  made.is_receive = is_receive;
  made.is_persistent = true;
  made.rank = message->rank;
  made.tag = message->tag;
  made.bytes = call.bytes;
  mpi_request_put(*request, &made);
  return result;
}

#define MESSAGE_FIELDS (mpi_count, count), (MPI_Datatype, type), (int, rank), (int, tag), (MPI_Comm, communicator)
#define SENT           (const void *, buffer), MESSAGE_FIELDS
#define RECEIVED       (void *, buffer), MESSAGE_FIELDS
#define MESSAGE                                                                                                        \
  &(struct message)                                                                                                    \
  {                                                                                                                    \
    a->count, a->type, a->rank, a->tag, a->communicator                                                                \
  }

/* ---------------------------------------------------------------------------------------------------------------------
 * Sending
 * ------------------------------------------------------------------------------------------------------------------ */

#define SEND(name)                                                                                                     \
  MPI_WRAP(name, SENT)                                                                                                 \
  {                                                                                                                    \
    return send_now(MPI_CALL(name), MESSAGE);                                                                          \
  }
SEND(MPI_Send)
SEND(MPI_Bsend)
SEND(MPI_Ssend)
SEND(MPI_Rsend)

#define BEGIN_SEND(name)                                                                                               \
  MPI_WRAP(name, SENT, (MPI_Request *, request))                                                                       \
  {                                                                                                                    \
    return begin_send(MPI_CALL(name), MESSAGE, a->request);                                                            \
  }
BEGIN_SEND(MPI_Isend)
BEGIN_SEND(MPI_Ibsend)
BEGIN_SEND(MPI_Issend)
BEGIN_SEND(MPI_Irsend)

#define PREPARE_SEND(name)                                                                                             \
  MPI_WRAP(name, SENT, (MPI_Request *, request))                                                                       \
  {                                                                                                                    \
    return prepare(MPI_CALL(name), false, MESSAGE, a->request);                                                        \
  }
PREPARE_SEND(MPI_Send_init)
PREPARE_SEND(MPI_Bsend_init)
PREPARE_SEND(MPI_Ssend_init)
PREPARE_SEND(MPI_Rsend_init)

/* ---------------------------------------------------------------------------------------------------------------------
 * Receiving
 * ------------------------------------------------------------------------------------------------------------------ */

MPI_WRAP(MPI_Recv, RECEIVED, (MPI_Status *, status))
{
  MPI_Status own;
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  return receive_now(MPI_CALL(MPI_Recv), MESSAGE, a->status);
}

MPI_WRAP(MPI_Irecv, RECEIVED, (MPI_Request *, request))
{
  return begin_receive(MPI_CALL(MPI_Irecv), MESSAGE, a->request);
}

MPI_WRAP(MPI_Recv_init, RECEIVED, (MPI_Request *, request))
{
  return prepare(MPI_CALL(MPI_Recv_init), true, MESSAGE, a->request);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Both in one call
 * ------------------------------------------------------------------------------------------------------------------ */

/* Makes a call for two. */
static int pass_both(struct mpi_call *call, const struct message *sent, const struct message *received,
                     struct passage *out, struct passage *in)
{
  out->facts = in->facts = mpi_comm_facts(sent->communicator);
  out->event = mpi_message_place(out->facts, sent->rank);
  in->event = mpi_message_place(in->facts, received->rank);
  describe(call, out->facts, sent);
  return mpi_row(call);
}

static int exchange(struct mpi_call call, const struct message *sent, const struct message *received,
                    const MPI_Status *status)
{
  struct passage out, in;
  mpi_call_waits(&call, MPI_WAITS_FOR_MESSAGE);
  const int result = pass_both(&call, sent, received, &out, &in);
  /* Where what came was longer than there was room for, the own message has gone. */
  if (mpi_message_is_taken(result)) {
    leave_sent(&call, sent, &out);
    leave_received(&call, received, &in, status, result);
  }
  return result;
}

#define BOTH                                                                                                           \
  (const void *, out), (mpi_count, out_count), (MPI_Datatype, out_type), (int, to), (int, out_tag), (void *, in),      \
      (mpi_count, in_count), (MPI_Datatype, in_type), (int, from), (int, in_tag), (MPI_Comm, communicator)
#define BOTH_SENT                                                                                                      \
  &(struct message)                                                                                                    \
  {                                                                                                                    \
    a->out_count, a->out_type, a->to, a->out_tag, a->communicator                                                      \
  }
#define BOTH_RECEIVED                                                                                                  \
  &(struct message)                                                                                                    \
  {                                                                                                                    \
    a->in_count, a->in_type, a->from, a->in_tag, a->communicator                                                       \
  }
#define REPLACED                                                                                                       \
  (void *, buffer), (mpi_count, count), (MPI_Datatype, type), (int, to), (int, out_tag), (int, from), (int, in_tag),   \
      (MPI_Comm, communicator)
#define REPLACED_SENT                                                                                                  \
  &(struct message)                                                                                                    \
  {                                                                                                                    \
    a->count, a->type, a->to, a->out_tag, a->communicator                                                              \
  }
#define REPLACED_RECEIVED                                                                                              \
  &(struct message)                                                                                                    \
  {                                                                                                                    \
    a->count, a->type, a->from, a->in_tag, a->communicator                                                             \
  }

MPI_WRAP(MPI_Sendrecv, BOTH, (MPI_Status *, status))
{
  MPI_Status own;
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  return exchange(MPI_CALL(MPI_Sendrecv), BOTH_SENT, BOTH_RECEIVED, a->status);
}

MPI_WRAP(MPI_Sendrecv_replace, REPLACED, (MPI_Status *, status))
{
  MPI_Status own;
  if (a->status == MPI_STATUS_IGNORE)
    a->status = &own;
  return exchange(MPI_CALL(MPI_Sendrecv_replace), REPLACED_SENT, REPLACED_RECEIVED, a->status);
}

#if MPI_VERSION >= 4
static int begin_exchange(struct mpi_call call, const struct message *sent, const struct message *received,
                          const MPI_Request *request)
{
  struct passage out, in;
  const int result = pass_both(&call, sent, received, &out, &in);
  if (result != MPI_SUCCESS)
    return result;
  mpi_message_sent(out.event, call.function, out.facts, sent->rank, sent->tag, call.bytes, call.enter);
  mpi_message_asked_for(in.event, in.facts, received->rank, received->tag, call.enter);
  struct mpi_request_facts made = mpi_request_of(call.function, in.facts);
  made.is_receive = true;
  made.event = in.event;
  made.sent_event = out.event;
  mpi_request_put(*request, &made);
  return result;
}

MPI_WRAP(MPI_Isendrecv, BOTH, (MPI_Request *, request))
{
  return begin_exchange(MPI_CALL(MPI_Isendrecv), BOTH_SENT, BOTH_RECEIVED, a->request);
}

MPI_WRAP(MPI_Isendrecv_replace, REPLACED, (MPI_Request *, request))
{
  return begin_exchange(MPI_CALL(MPI_Isendrecv_replace), REPLACED_SENT, REPLACED_RECEIVED, a->request);
}
#endif
