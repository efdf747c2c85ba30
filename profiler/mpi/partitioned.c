/* Messages in parts, since MPI 4: each part is sent when it is ready. They meet no other messages. */
#include <mpi.h>
#include <stdint.h>

#if MPI_VERSION >= 4
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "profiler/mpi/calls_common.h"
#include "profiler/mpi/requests.h"

/* Whose parts, but for how many. */
struct message {
  MPI_Datatype type;
  int rank, tag;
  MPI_Comm communicator;
};

/* How many requests were made so far to or from the same side. */
struct made {
  struct made *next;
  uint64_t key;
  int rank, tag;
  bool is_receive;
  uint32_t count;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all_made;

static bool is_of(const struct made *made, const struct mpi_comm_facts *facts, bool is_receive,
                  const struct message *message)
{
  return made->key == facts->key && made->rank == message->rank && made->tag == message->tag &&
         made->is_receive == is_receive;
}

/* Which of these a new one is. Where there is no memory it finds no other side. */
static uint32_t number_of(const struct mpi_comm_facts *facts, bool is_receive, const struct message *message)
{
  pthread_mutex_lock(&lock);
  struct made *made = all_made;
  while (made && !is_of(made, facts, is_receive, message))
    made = made->next;
  if (!made && (made = malloc(sizeof *made)) != NULL) {
    *made = (struct made){
        .next = all_made, .key = facts->key, .rank = message->rank, .tag = message->tag, .is_receive = is_receive};
    all_made = made;
  }
  const uint32_t number = made ? made->count++ : UINT32_MAX - is_receive;
  pthread_mutex_unlock(&lock);
  return number;
}

/* A request for so many parts, of so many elements each. */
static int prepare(struct mpi_call call, bool is_receive, int64_t parts, int64_t count, const struct message *message,
                   const MPI_Request *request)
{
  struct mpi_comm_facts *facts = mpi_comm_facts(message->communicator);
  mpi_call_among(&call, facts);
  mpi_call_moves(&call, parts * count, message->type);
  mpi_call_with(&call, facts, message->rank);
  const int result = mpi_row(&call);
  if (result != MPI_SUCCESS)
    return result;
  struct mpi_request_facts made = mpi_request_of(OF_MPI_Start, facts);
  made.is_receive = is_receive;
  made.is_persistent = made.is_in_parts = true;
  made.rank = message->rank;
  made.tag = message->tag;
  made.bytes = call.bytes;
  /* They are found by the order in which both sides made them. */
  made.channel =
      facts && facts->key ? mpi_comm_channel(facts, CHANNEL_PARTS, number_of(facts, is_receive, message)) : 0;
  mpi_request_put(*request, &made);
  return result;
}

/* So many parts are ready. */
static int mark(struct mpi_call call, int64_t parts, MPI_Request request)
{
  call.count = parts;
  const int result = mpi_row(&call);
  if (result == MPI_SUCCESS)
    mpi_request_ready(request, call.enter);
  return result;
}

#define PREPARES(name, is_receive, type_of_buffer)                                                                     \
  MPI_WRAP(name, (type_of_buffer, buffer), (int, parts), (MPI_Count, count), (MPI_Datatype, type), (int, rank),        \
           (int, tag), (MPI_Comm, communicator), (MPI_Info, info), (MPI_Request *, request))                           \
  {                                                                                                                    \
    return prepare(MPI_CALL(name), is_receive, a->parts, a->count,                                                     \
                   &(struct message){a->type, a->rank, a->tag, a->communicator}, a->request);                          \
  }
PREPARES(MPI_Psend_init, false, const void *)
PREPARES(MPI_Precv_init, true, void *)

#define MARKS(name, parts, ...)                                                                                        \
  MPI_WRAP(name, __VA_ARGS__)                                                                                          \
  {                                                                                                                    \
    return mark(MPI_CALL(name), parts, a->request);                                                                    \
  }
MARKS(MPI_Pready, 1, (int, part), (MPI_Request, request))
MARKS(MPI_Pready_range, (int64_t)a->last - a->first + 1, (int, first), (int, last), (MPI_Request, request))
/* Whether these are constant differs by the version of the MPI. */
typedef __typeof__(_Generic(&MPI_Pready_list, int (*)(int, int *, MPI_Request)
                            : (int *)0, default
                            : (const int *)0)) list;
MARKS(MPI_Pready_list, a->count, (int, count), (list, parts), (MPI_Request, request))

MPI_WRAP(MPI_Parrived, (MPI_Request, request), (int, part), (int *, flag))
{
  struct mpi_call call = MPI_CALL(MPI_Parrived);
  call.count = 1;
  return mpi_row(&call);
}
#endif
