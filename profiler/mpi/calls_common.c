/* What the wrappers of MPI's functions share. */
#include "profiler/mpi/calls_common.h"

#include <stdbool.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "format/mpi_waits.h"

/* The runtime may be linked into the program, preloaded or absent. */
extern __typeof__(callsig_counter_add) callsig_counter_add __attribute__((weak));

static const char *const of_messages[] = {FMT_MPI_LATE_SENDER, FMT_MPI_LATE_RECEIVER};
static const char *const of_ranks[] = {FMT_MPI_LATE_RANKS};
static const char *const of_root[] = {FMT_MPI_LATE_ROOT};

/* The names of what calls of the function wait for; 0: they wait for nobody. */
static size_t waits_of(enum mpi_function function, const char *const **waits)
{
  switch (function) {
  case OF_MPI_Send:
  case OF_MPI_Bsend:
  case OF_MPI_Ssend:
  case OF_MPI_Rsend:
  case OF_MPI_Recv:
  case OF_MPI_Mrecv:
  case OF_MPI_Sendrecv:
  case OF_MPI_Sendrecv_replace:
  case OF_MPI_Probe:
  case OF_MPI_Mprobe:
  case OF_MPI_Wait:
  case OF_MPI_Waitall:
  case OF_MPI_Waitany:
  case OF_MPI_Waitsome:
    *waits = of_messages;
    return sizeof of_messages / sizeof *of_messages;
  case OF_MPI_Bcast:
  case OF_MPI_Scatter:
  case OF_MPI_Scatterv:
    *waits = of_root;
    return sizeof of_root / sizeof *of_root;
  case OF_MPI_Reduce:
  case OF_MPI_Gather:
  case OF_MPI_Gatherv:
  case OF_MPI_Barrier:
  case OF_MPI_Allreduce:
  case OF_MPI_Allgather:
  case OF_MPI_Allgatherv:
  case OF_MPI_Alltoall:
  case OF_MPI_Alltoallv:
  case OF_MPI_Alltoallw:
  case OF_MPI_Reduce_scatter:
  case OF_MPI_Reduce_scatter_block:
  case OF_MPI_Scan:
  case OF_MPI_Exscan:
  case OF_MPI_Comm_dup:
  case OF_MPI_Comm_split:
  case OF_MPI_Comm_split_type:
  case OF_MPI_Comm_create:
    *waits = of_ranks;
    return sizeof of_ranks / sizeof *of_ranks;
  default:
    *waits = NULL;
    return 0;
  }
}

struct mpi_call mpi_call_of(enum mpi_function function, int (*run)(void *), void *arguments)
{
  struct mpi_call call = {.function = function, .run = run, .arguments = arguments, .pause = MPI_NOT_LOGGED};
  call.wait_count = waits_of(function, &call.waits);
  return call;
}

void mpi_call_among(struct mpi_call *call, const struct mpi_comm_facts *facts)
{
  call->communicator = facts ? facts->kind : COMMUNICATOR_DERIVED;
  call->size = facts ? facts->size : 0;
}

/* Its number in enum mpi_type_number. Handles of predefined types are no constants in every MPI. */
static enum mpi_type_number number_of(MPI_Datatype type)
{
#define TYPE(name)                                                                                                     \
  if (type == MPI_##name)                                                                                              \
    return TYPE_##name;
  MPI_TYPES(TYPE)
#undef TYPE
  return TYPE_OTHER;
}

void mpi_call_moves(struct mpi_call *call, int64_t count, MPI_Datatype type)
{
  /* Of a type of more bytes than an int holds MPI_Type_size() does not tell. */
  MPI_Count size = 0;
  call->count = count;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
    size = 0;
  call->type = number_of(type);
  call->bytes = count * size;
}

uint32_t mpi_call_pause(struct mpi_call *call)
{
  if (call->pause != MPI_NOT_LOGGED || !call->row)
    return call->pause;
  call->pause = mpi_log_pause();
  if (call->pause != MPI_NOT_LOGGED)
    *mpi_log_pause_at(call->pause) = (struct mpi_pause){
        .enter = call->enter, .exit = call->exit, .row = call->row, .least = call->function == OF_MPI_Waitsome};
  return call->pause;
}

static void count(const char *key, int64_t bytes)
{
  if (callsig_counter_add && bytes >= 0)
    (void)callsig_counter_add(key, (uint64_t)bytes);
}

void mpi_count_bytes(enum mpi_function function, int64_t bytes)
{
#define KEY(name) #name " bytes",
  static const char *const keys[] = {MPI_FUNCTIONS(KEY)};
#undef KEY
  count(keys[function], bytes);
}

void mpi_count_sent(enum mpi_peer peer, int64_t bytes)
{
  static const char *const keys[MPI_PEER_COUNT] = {
      [PEER_SELF] = "MPI bytes to self",
      [PEER_NEXT] = "MPI bytes to next",
      [PEER_PREVIOUS] = "MPI bytes to previous",
      [PEER_OTHER] = "MPI bytes to other",
  };
  if (keys[peer])
    count(keys[peer], bytes);
}

void mpi_count_received(enum mpi_peer peer, int64_t bytes)
{
  static const char *const keys[MPI_PEER_COUNT] = {
      [PEER_SELF] = "MPI bytes from self",
      [PEER_NEXT] = "MPI bytes from next",
      [PEER_PREVIOUS] = "MPI bytes from previous",
      [PEER_OTHER] = "MPI bytes from other",
  };
  if (keys[peer])
    count(keys[peer], bytes);
}
