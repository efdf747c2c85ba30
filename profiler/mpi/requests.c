/* Open requests in a table by their handles, and what a message leaves in the log. */
#include "profiler/mpi/requests.h"

#include <pthread.h>
#include <stdlib.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/round.h"
#include "profiler/mpi/waits/log.h"

#define BUCKETS 4096u

struct mpi_open_request {
  struct mpi_open_request *next;
  MPI_Request handle;
  struct mpi_request_facts made;
  bool is_looked_up; /* somebody comes back for it */
  bool is_linked;    /* the table has it; else another one has come by its handle meanwhile */
  bool is_cancelled; /* the program asked for that */
};

static struct {
  pthread_mutex_t lock;
  struct mpi_open_request *buckets[BUCKETS];
  struct mpi_open_request *free;
} requests = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct mpi_open_request **bucket_of(MPI_Request request)
{
  const uintptr_t number = (uintptr_t)request;
  return &requests.buckets[(number ^ number >> 7 ^ number >> 19) % BUCKETS];
}

/* Where the list leads to the request, or ends. Under the lock. */
static struct mpi_open_request **place_of(MPI_Request request)
{
  struct mpi_open_request **at = bucket_of(request);
  while (*at && (*at)->handle != request)
    at = &(*at)->next;
  return at;
}

/* Nobody needs it any more. Under the lock. */
static void give_up(struct mpi_open_request *open)
{
  mpi_comm_leave(open->made.facts);
  open->next = requests.free;
  requests.free = open;
}

/* Takes it out of the table. Under the lock. */
static void take_out(struct mpi_open_request **at)
{
  struct mpi_open_request *open = *at;
  *at = open->next;
  open->is_linked = false;
  if (!open->is_looked_up)
    give_up(open);
}

struct mpi_request_facts mpi_request_of(enum mpi_function function, struct mpi_comm_facts *facts)
{
  return (struct mpi_request_facts){.function = function,
                                    .event = MPI_NOT_LOGGED,
                                    .sent_event = MPI_NOT_LOGGED,
                                    .meeting = MPI_NOT_LOGGED,
                                    .words = mpi_words_of(0),
                                    .facts = facts};
}

void mpi_request_put(MPI_Request request, const struct mpi_request_facts *made)
{
  if (request == MPI_REQUEST_NULL)
    return;
  pthread_mutex_lock(&requests.lock);
  struct mpi_open_request **at = place_of(request);
  /* A handle that several requests share, since they were done at once, or that was freed unseen. */
  if (*at)
    take_out(at);
  struct mpi_open_request *open = requests.free;
  if (open)
    requests.free = open->next;
  else
    open = malloc(sizeof *open);
  if (open) {
    struct mpi_open_request **bucket = bucket_of(request);
    mpi_comm_use(made->facts);
    *open = (struct mpi_open_request){.next = *bucket, .handle = request, .made = *made, .is_linked = true};
    *bucket = open;
  }
  pthread_mutex_unlock(&requests.lock);
}

/* Was it cancelled before there was a message for it? */
static bool is_without_message(MPI_Request request)
{
  int is_done = 0, is_cancelled = 0;
  MPI_Status status;
  if (PMPI_Request_get_status(request, &is_done, &status) != MPI_SUCCESS || !is_done)
    return true;
  return PMPI_Test_cancelled(&status, &is_cancelled) == MPI_SUCCESS && is_cancelled;
}

void mpi_request_forget(MPI_Request request)
{
  pthread_mutex_lock(&requests.lock);
  struct mpi_open_request **at = place_of(request);
  if (*at && (*at)->is_cancelled && (*at)->made.event != MPI_NOT_LOGGED && is_without_message(request))
    mpi_log_event_at((*at)->made.event)->kind = EVENT_NONE;
  if (*at)
    take_out(at);
  pthread_mutex_unlock(&requests.lock);
}

void mpi_request_cancelled(MPI_Request request)
{
  pthread_mutex_lock(&requests.lock);
  struct mpi_open_request *open = *place_of(request);
  if (open)
    open->is_cancelled = true;
  pthread_mutex_unlock(&requests.lock);
}

struct mpi_open_request *mpi_request_look_up(MPI_Request request)
{
  if (request == MPI_REQUEST_NULL)
    return NULL;
  pthread_mutex_lock(&requests.lock);
  struct mpi_open_request *open = *place_of(request);
  /* Requests that were done at once may share a handle, and come in one call together. */
  if (open && open->is_looked_up)
    open = NULL;
  if (open)
    open->is_looked_up = true;
  pthread_mutex_unlock(&requests.lock);
  return open;
}

/* Whoever looked it up has come back; `stays`: it may be asked for again. */
static void come_back(struct mpi_open_request *open, bool stays)
{
  struct mpi_open_request **at = bucket_of(open->handle);
  open->is_looked_up = false;
  if (!open->is_linked) {
    give_up(open);
  } else if (!stays) {
    while (*at != open)
      at = &(*at)->next;
    take_out(at);
  }
}

void mpi_request_still_open(struct mpi_open_request *open)
{
  if (!open)
    return;
  pthread_mutex_lock(&requests.lock);
  come_back(open, true);
  pthread_mutex_unlock(&requests.lock);
}

/* What is of a message in parts is done, if it was started: as much came as was sent, or that was an error. */
static void done_in_parts(const struct mpi_request_facts *made, struct mpi_call *call)
{
  if (made->event != MPI_NOT_LOGGED)
    mpi_log_event_at(made->event)->pause = mpi_call_pause(call);
  if (!made->is_started || !made->is_receive || made->rank == MPI_PROC_NULL)
    return;
  mpi_count_bytes(made->function, made->bytes);
  mpi_count_received(made->facts, made->rank, made->bytes);
}

void mpi_request_done(struct mpi_open_request *open, const MPI_Status *status, struct mpi_call *call)
{
  if (!open)
    return;
  pthread_mutex_lock(&requests.lock);
  const struct mpi_request_facts made = open->made;
  mpi_comm_use(made.facts);
  const bool is_cancelled = open->is_cancelled;
  open->made.event = open->made.sent_event = open->made.meeting = MPI_NOT_LOGGED;
  open->made.words = mpi_words_of(0);
  open->made.is_started = open->is_cancelled = false;
  come_back(open, made.is_persistent);
  pthread_mutex_unlock(&requests.lock);
  int never_sent = 0;
  if (made.is_in_parts)
    done_in_parts(&made, call);
  else if (made.is_receive)
    mpi_message_received(made.event, made.function, made.facts, status, call);
  else if (made.event != MPI_NOT_LOGGED && is_cancelled && PMPI_Test_cancelled(status, &never_sent) == MPI_SUCCESS &&
           never_sent)
    mpi_log_event_at(made.event)->kind = EVENT_NONE;
  else if (made.event != MPI_NOT_LOGGED)
    mpi_log_event_at(made.event)->pause = mpi_call_pause(call);
  if (made.sent_event != MPI_NOT_LOGGED)
    mpi_log_event_at(made.sent_event)->pause = mpi_call_pause(call);
  if (made.meeting != MPI_NOT_LOGGED)
    mpi_log_meeting_at(made.meeting)->pause = mpi_call_pause(call);
  if (made.words.count > 0)
    mpi_words_waited(&made.words, mpi_call_pause(call));
  mpi_comm_leave(made.facts);
}

bool mpi_message_is_taken(int result)
{
  int class = MPI_SUCCESS;
  return result == MPI_SUCCESS || (PMPI_Error_class(result, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE);
}

void mpi_request_failed(struct mpi_open_request *open, int error, const MPI_Status *status, struct mpi_call *call)
{
  const uint32_t event = open ? open->made.event : MPI_NOT_LOGGED;
  mpi_request_done(open, status, call);
  if (event == MPI_NOT_LOGGED)
    return;
  mpi_log_event_at(event)->bytes = MPI_BYTES_UNKNOWN;
  if (!mpi_message_is_taken(error))
    mpi_log_event_at(event)->kind = EVENT_NONE;
}

/* Starts what is of a message in parts. It is sent when the last of these is ready, which is not before. */
static void start_in_parts(struct mpi_request_facts *made, uint64_t now)
{
  const int peer = made->channel ? mpi_comm_world_rank(made->facts, made->rank) : -1;
  const bool sends = !made->is_receive;
  made->is_started = true;
  made->event = peer >= 0 ? mpi_log_event(1) : MPI_NOT_LOGGED;
  if (made->event != MPI_NOT_LOGGED)
    *mpi_log_event_at(made->event) = (struct mpi_event){.key = made->channel,
                                                        .posted = now,
                                                        .peer = peer,
                                                        .tag = made->tag,
                                                        .bytes = MPI_BYTES_UNKNOWN,
                                                        .pause = MPI_NOT_LOGGED,
                                                        .kind = sends ? EVENT_SEND : EVENT_RECEIVE,
                                                        .wait = sends ? WAIT_LATE_RECEIVER : WAIT_LATE_SENDER,
                                                        .may_pass = sends};
  if (sends && made->rank != MPI_PROC_NULL) {
    mpi_count_bytes(made->function, made->bytes);
    mpi_count_sent(made->facts, made->rank, made->bytes);
  }
}

void mpi_request_ready(MPI_Request request, uint64_t now)
{
  pthread_mutex_lock(&requests.lock);
  const struct mpi_open_request *open = *place_of(request);
  struct mpi_event *sent =
      open && open->made.is_in_parts && open->made.event != MPI_NOT_LOGGED ? mpi_log_event_at(open->made.event) : NULL;
  if (sent && sent->posted < now)
    sent->posted = now;
  pthread_mutex_unlock(&requests.lock);
}

/* Starts what is of one message, or of all ranks together. */
static void start(struct mpi_request_facts *made, uint64_t now)
{
  if (made->is_in_parts) {
    start_in_parts(made, now);
    return;
  }
  if (made->is_together) {
    struct mpi_round round = {.facts = made->facts, .kind = made->kind, .root = made->rank};
    mpi_round_number(&round);
    mpi_round_come(&round, now);
    made->meeting = round.place;
    made->words = round.words;
    mpi_count_bytes(made->function, made->bytes);
    return;
  }
  made->event = mpi_message_place(made->facts, made->rank);
  if (made->is_receive)
    mpi_message_asked_for(made->event, made->facts, made->rank, made->tag, now);
  else
    mpi_message_sent(made->event, made->function, made->facts, made->rank, made->tag, made->bytes, now);
}

void mpi_request_started(MPI_Request request, uint64_t now)
{
  pthread_mutex_lock(&requests.lock);
  struct mpi_open_request **at = place_of(request);
  if (*at && (*at)->made.is_persistent)
    start(&(*at)->made, now);
  pthread_mutex_unlock(&requests.lock);
}

/* ------------------------------------------------------------------------------------------------------------------ */

uint32_t mpi_message_place(const struct mpi_comm_facts *facts, int rank)
{
  return facts && facts->key && rank != MPI_PROC_NULL ? mpi_log_event(1) : MPI_NOT_LOGGED;
}

static uint32_t low_bytes(int64_t bytes)
{
  const uint32_t low = (uint32_t)bytes;
  return low == MPI_BYTES_UNKNOWN ? low - 1 : low;
}

void mpi_message_sent(uint32_t event, enum mpi_function function, const struct mpi_comm_facts *facts, int rank, int tag,
                      int64_t bytes, uint64_t posted)
{
  if (rank != MPI_PROC_NULL) {
    mpi_count_bytes(function, bytes);
    mpi_count_sent(facts, rank, bytes);
  }
  if (event == MPI_NOT_LOGGED)
    return;
  *mpi_log_event_at(event) = (struct mpi_event){.key = facts->key,
                                                .posted = posted,
                                                .peer = mpi_comm_world_rank(facts, rank),
                                                .tag = tag,
                                                .bytes = low_bytes(bytes),
                                                .pause = MPI_NOT_LOGGED,
                                                .kind = EVENT_SEND,
                                                .wait = WAIT_LATE_RECEIVER,
                                                .may_pass = true};
}

void mpi_message_asked_for(uint32_t event, const struct mpi_comm_facts *facts, int rank, int tag, uint64_t posted)
{
  if (event == MPI_NOT_LOGGED)
    return;
  const bool is_known = rank != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
  *mpi_log_event_at(event) = (struct mpi_event){.key = facts->key,
                                                .posted = posted,
                                                .peer = is_known ? mpi_comm_world_rank(facts, rank) : -1,
                                                .tag = tag,
                                                .bytes = MPI_BYTES_UNKNOWN,
                                                .pause = MPI_NOT_LOGGED,
                                                .kind = is_known ? EVENT_RECEIVE : EVENT_NONE};
}

void mpi_message_received(uint32_t event, enum mpi_function function, const struct mpi_comm_facts *facts,
                          const MPI_Status *status, struct mpi_call *call)
{
  int is_cancelled = 0;
  MPI_Count bytes = 0;
  struct mpi_event *logged = event != MPI_NOT_LOGGED ? mpi_log_event_at(event) : NULL;
  if (status->MPI_SOURCE == MPI_PROC_NULL)
    return;
  if (PMPI_Test_cancelled(status, &is_cancelled) == MPI_SUCCESS && is_cancelled) {
    if (logged)
      logged->kind = EVENT_NONE;
    return;
  }
  /* Of more than an int holds MPI_Get_count() does not tell. */
  const bool is_told = PMPI_Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes != MPI_UNDEFINED;
  if (is_told) {
    mpi_count_bytes(function, bytes);
    mpi_count_received(facts, status->MPI_SOURCE, bytes);
  }
  if (!logged)
    return;
  logged->peer = mpi_comm_world_rank(facts, status->MPI_SOURCE);
  logged->tag = status->MPI_TAG;
  logged->bytes = is_told ? low_bytes(bytes) : MPI_BYTES_UNKNOWN;
  logged->pause = mpi_call_pause(call);
  logged->kind = EVENT_RECEIVE;
}
