/*
 * The rows: functions that are called as MPI's own are, with arguments of their own, and that the compiler instruments.
 * MPI's header is not there, where these names are others. What they show, and how, is said by rules, as a program's
 * own functions say it.
 */
#include "profiler/mpi/rows.h"

#include <time.h>

#include "callsig/callsig.h"

CALLSIG_RULE("soft function MPI_*: count bucket log2");
CALLSIG_RULE("soft function MPI_*: bytes bucket log2");
CALLSIG_RULE("soft function MPI_*: call ignore");
CALLSIG_RULE("soft function MPI_*: again ignore");

/* What the arguments show is the name of an enumerator. */
#define NAME(name) MPI_##name,
enum type { MPI_TYPES(NAME) other_type };
#undef NAME
enum peer { self, next, previous, other, any_source, none };
enum node { same_node, other_node, any_node, no_node, unknown_node };
enum root { this_rank, other_rank };
enum communicator { world, only_self, derived_communicator, intercommunicator };

/* The runtime may be linked into the program, preloaded or absent. */
extern __typeof__(callsig_call_innermost) callsig_call_innermost __attribute__((weak));

#define PLAIN __attribute__((no_instrument_function))
/* Of a name of their own for the linker, where MPI's are the library's. Compilers may leave out what a static function
 * does not need, and clang forgets where that was. */
#if defined(__clang__)
#define ROW __attribute__((noinline, optnone, visibility("hidden"))) int
#else
#define ROW __attribute__((noipa, visibility("hidden"))) int
#endif
#define DECLARE(name, ...)                                                                                             \
  int name(__VA_ARGS__) __asm__("mpi_row_of_" #name);                                                                  \
  ROW name(__VA_ARGS__)

/* The clock that the machine's processes share. */
PLAIN static uint64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

PLAIN static inline __attribute__((always_inline)) int run(struct mpi_call *call)
{
  if (call->wait_count > 0 && callsig_call_innermost)
    call->row = callsig_call_innermost(call->waits, call->wait_count);
  call->enter = now();
  int result = call->run(call->arguments);
  call->exit = now();
  return result;
}

/* The first two registers for arguments are the hook's: what else is passed there would be lost. */
#define FIRST struct mpi_call *call, const struct mpi_call *again

#define MESSAGE(name)                                                                                                  \
  DECLARE(name, FIRST, int64_t count, enum type type, int64_t bytes, enum peer peer, enum node node,                   \
          enum communicator comm, int size)                                                                            \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#define PROBE(name)                                                                                                    \
  DECLARE(name, FIRST, enum peer peer, enum node node, enum communicator comm, int size)                               \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#define REQUESTS(name)                                                                                                 \
  DECLARE(name, FIRST, int64_t count)                                                                                  \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#define COLLECTIVE(name)                                                                                               \
  DECLARE(name, FIRST, int64_t count, enum type type, int64_t bytes, enum communicator comm, int size)                 \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#define ROOTED(name)                                                                                                   \
  DECLARE(name, FIRST, int64_t count, enum type type, int64_t bytes, enum root root, enum communicator comm, int size) \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#define TOGETHER(name)                                                                                                 \
  DECLARE(name, FIRST, enum communicator comm, int size)                                                               \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#define BEGINNING(name)                                                                                                \
  DECLARE(name, FIRST)                                                                                                 \
  {                                                                                                                    \
    return run(call);                                                                                                  \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter" /* they are there to be read by the hook */
MPI_MESSAGES(MESSAGE)
MPI_PROBES(PROBE)
MPI_REQUESTS(REQUESTS)
MPI_COLLECTIVES(COLLECTIVE)
MPI_ROOTED(ROOTED)
MPI_TOGETHER(TOGETHER)
MPI_BEGINNINGS(BEGINNING)

PLAIN int mpi_row(struct mpi_call *call)
{
  const enum type type = (enum type)call->type;
  const enum peer peer = (enum peer)call->peer;
  const enum node node = (enum node)call->node;
  const enum communicator communicator = (enum communicator)call->communicator;
  const enum root root = (enum root)call->root;
  switch (call->function) {
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call, call->count, type, call->bytes, peer, node, communicator, call->size);
    MPI_MESSAGES(CASE)
#undef CASE
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call, peer, node, communicator, call->size);
    MPI_PROBES(CASE)
#undef CASE
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call, call->count);
    MPI_REQUESTS(CASE)
#undef CASE
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call, call->count, type, call->bytes, communicator, call->size);
    MPI_COLLECTIVES(CASE)
#undef CASE
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call, call->count, type, call->bytes, root, communicator, call->size);
    MPI_ROOTED(CASE)
#undef CASE
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call, communicator, call->size);
    MPI_TOGETHER(CASE)
#undef CASE
#define CASE(name)                                                                                                     \
  case OF_##name:                                                                                                      \
    return name(call, call);
    MPI_BEGINNINGS(CASE)
#undef CASE
  case MPI_FUNCTION_COUNT:
    break;
  }
  return run(call);
}
