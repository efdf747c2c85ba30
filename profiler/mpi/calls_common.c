/* What the wrappers of MPI's functions share. */
#include "profiler/mpi/calls_common.h"

#include <stdbool.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "format/mpi_waits.h"

/* The runtime may be linked into the program, preloaded or absent. */
extern __typeof__(callsig_counter_add) callsig_counter_add __attribute__((weak));

/* By enum mpi_wait_number. */
static const char *const wait_names[] = {FMT_MPI_LATE_SENDER, FMT_MPI_LATE_RECEIVER, FMT_MPI_LATE_ROOT,
                                         FMT_MPI_LATE_RANKS,  FMT_MPI_CAME_LAST,     FMT_MPI_LATE_UNLOCK};

struct mpi_call mpi_call_of(enum mpi_function function, int (*run)(void *), void *arguments)
{
  return (struct mpi_call){.function = function, .run = run, .arguments = arguments, .pause = MPI_NOT_LOGGED};
}

void mpi_call_waits(struct mpi_call *call, enum mpi_waits_for what)
{
  static const struct {
    uint8_t first, count;
  } waits[] = {
      [MPI_WAITS_FOR_NOBODY] = {0, 0},
      [MPI_WAITS_FOR_MESSAGE] = {WAIT_LATE_SENDER, 2},
      [MPI_WAITS_FOR_RANKS] = {WAIT_LATE_RANKS, 2},
      [MPI_WAITS_FOR_ROOT] = {WAIT_LATE_ROOT, 1},
      [MPI_WAITS_FOR_REQUEST] = {WAIT_LATE_SENDER, 4},
      [MPI_WAITS_FOR_LOCK] = {WAIT_LATE_UNLOCK, 1},
  };
  call->first_wait = waits[what].first;
  call->waits = wait_names + waits[what].first;
  call->wait_count = waits[what].count;
}

void mpi_call_among(struct mpi_call *call, const struct mpi_comm_facts *facts)
{
  call->communicator = facts ? facts->kind : COMMUNICATOR_DERIVED;
  call->size = facts ? facts->size : 0;
}

void mpi_call_with(struct mpi_call *call, const struct mpi_comm_facts *facts, int rank)
{
  call->peer = mpi_comm_peer(facts, rank);
  call->node = mpi_comm_node(facts, rank);
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
    *mpi_log_pause_at(call->pause) = (struct mpi_pause){.enter = call->enter,
                                                        .exit = call->exit,
                                                        .row = call->row,
                                                        .first_wait = call->first_wait,
                                                        .least = call->function == OF_MPI_Waitsome};
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

/* By who the other side is, and where it runs. */
static void count_with(const char *const keys[MPI_PEER_COUNT], const char *between_nodes,
                       const struct mpi_comm_facts *facts, int rank, int64_t bytes)
{
  const char *key = keys[mpi_comm_peer(facts, rank)];
  if (key)
    count(key, bytes);
  if (mpi_comm_node(facts, rank) == NODE_OTHER)
    count(between_nodes, bytes);
}

void mpi_count_sent(const struct mpi_comm_facts *facts, int rank, int64_t bytes)
{
  static const char *const keys[MPI_PEER_COUNT] = {
      [PEER_SELF] = "MPI bytes to self",
      [PEER_NEXT] = "MPI bytes to next",
      [PEER_PREVIOUS] = "MPI bytes to previous",
      [PEER_OTHER] = "MPI bytes to other",
  };
  count_with(keys, "MPI bytes sent between nodes", facts, rank, bytes);
}

void mpi_count_received(const struct mpi_comm_facts *facts, int rank, int64_t bytes)
{
  static const char *const keys[MPI_PEER_COUNT] = {
      [PEER_SELF] = "MPI bytes from self",
      [PEER_NEXT] = "MPI bytes from next",
      [PEER_PREVIOUS] = "MPI bytes from previous",
      [PEER_OTHER] = "MPI bytes from other",
  };
  count_with(keys, "MPI bytes received between nodes", facts, rank, bytes);
}
