/* Where ranks run, found out when a rank is first spoken with. */
#include "profiler/mpi/nodes.h"

#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/mpi/parts.h"

static struct {
  pthread_once_t once;
  pthread_mutex_t lock; /* of what follows `of` */
  int rank, size, here;
  enum mpi_node all; /* what all others are, where that is known; else NODE_UNKNOWN */
  uint8_t *of;       /* 1 + enum mpi_node for each rank that was looked at; NULL: none can be. Atomic */
  uint64_t *runs;    /* the number of each rank's `callsig run`; 0: nothing is seen of it */
  struct mpi_parts parts;
  uint64_t machine; /* this one's mark */
} nodes = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

int mpi_nodes_here(void)
{
  static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = secure_getenv(variables[i]);
    if (value)
      return (int)strtol(value, NULL, 10);
  }
  return 0;
}

/* Finds what ranks left beside their recordings. False: nothing can be told by that. */
static bool find_runs(void)
{
  const size_t size = (size_t)nodes.size;
  if (!mpi_parts_find(&nodes.parts, nodes.rank) || (nodes.runs = calloc(size, sizeof *nodes.runs)) == NULL)
    return false;
  mpi_parts_runs(&nodes.parts, nodes.size, nodes.runs);
  nodes.machine = mpi_parts_machine(&nodes.parts, nodes.rank, nodes.runs[nodes.rank]);
  return nodes.machine != 0;
}

static void begin(void)
{
  const int saved = errno;
  nodes.all = NODE_UNKNOWN;
  nodes.here = mpi_nodes_here();
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &nodes.rank) == MPI_SUCCESS &&
      PMPI_Comm_size(MPI_COMM_WORLD, &nodes.size) == MPI_SUCCESS) {
    if (nodes.here == nodes.size)
      nodes.all = NODE_SAME;
    else if (nodes.here == 1)
      nodes.all = NODE_OTHER;
    else if (find_runs())
      nodes.of = calloc((size_t)nodes.size, sizeof *nodes.of);
  }
  errno = saved;
}

/* Do all ranks of this machine show where they are? Then those of which nothing is seen are elsewhere. */
static bool sees_all_here(void)
{
  int seen = 0;
  for (int rank = 0; rank < nodes.size; rank++)
    seen += mpi_parts_machine(&nodes.parts, rank, nodes.runs[rank]) == nodes.machine;
  return seen == nodes.here;
}

static enum mpi_node look(int rank)
{
  const uint64_t machine = mpi_parts_machine(&nodes.parts, rank, nodes.runs[rank]);
  if (machine)
    return machine == nodes.machine ? NODE_SAME : NODE_OTHER;
  return sees_all_here() ? NODE_OTHER : NODE_UNKNOWN;
}

enum mpi_node mpi_node_of(int rank)
{
  pthread_once(&nodes.once, begin);
  if (rank < 0 || rank >= nodes.size)
    return NODE_UNKNOWN;
  if (rank == nodes.rank)
    return NODE_SAME;
  if (!nodes.of)
    return nodes.all;
  uint8_t known = __atomic_load_n(&nodes.of[rank], __ATOMIC_RELAXED);
  if (known == 0) {
    const int saved = errno;
    pthread_mutex_lock(&nodes.lock);
    known = (uint8_t)(1 + look(rank));
    pthread_mutex_unlock(&nodes.lock);
    __atomic_store_n(&nodes.of[rank], known, __ATOMIC_RELAXED);
    errno = saved;
  }
  return (enum mpi_node)(known - 1);
}
