/*
 * Communicators, by keys that all of their processes make alike without a message: a derived one follows from the call
 * that made it, which is number so many of its parent's calls of all ranks together, and from who is in it.
 */
#include "profiler/mpi/communicators.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/hash.h"
#include "profiler/mpi/nodes.h"

#define WORLD_KEY 1u
#define SELF_KEY  2u

static struct {
  pthread_once_t once;
  pthread_mutex_t lock; /* facts that are made */
  int keyval;
} known = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .keyval = MPI_KEYVAL_INVALID};

void mpi_comm_use(struct mpi_comm_facts *facts)
{
  if (facts)
    __atomic_fetch_add(&facts->users, 1, __ATOMIC_RELAXED);
}

void mpi_comm_leave(struct mpi_comm_facts *facts)
{
  if (!facts || __atomic_sub_fetch(&facts->users, 1, __ATOMIC_ACQ_REL) != 0)
    return;
  if (facts->neighbours && __atomic_sub_fetch(&facts->neighbours->users, 1, __ATOMIC_ACQ_REL) == 0)
    free(facts->neighbours);
  free(facts->ranks);
  free(facts);
}

static int forget(MPI_Comm communicator, int keyval, void *facts, void *extra)
{
  (void)communicator;
  (void)keyval;
  (void)extra;
  mpi_comm_leave(facts);
  return MPI_SUCCESS;
}

static void make_keyval(void)
{
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &known.keyval, NULL) != MPI_SUCCESS)
    known.keyval = MPI_KEYVAL_INVALID;
}

/* The members' ranks in MPI_COMM_WORLD. False: there is no memory, or a member is of another job. */
static int find_ranks(struct mpi_comm_facts *facts, MPI_Comm communicator)
{
  MPI_Group own = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int *numbers = malloc(2 * (size_t)facts->size * sizeof *numbers);
  int complete = numbers != NULL && PMPI_Comm_group(communicator, &own) == MPI_SUCCESS &&
                 PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS;
  for (int i = 0; complete && i < facts->size; i++)
    numbers[facts->size + i] = i;
  complete =
      complete && PMPI_Group_translate_ranks(own, facts->size, numbers + facts->size, world, numbers) == MPI_SUCCESS;
  for (int i = 0; complete && i < facts->size; i++)
    complete = numbers[i] != MPI_UNDEFINED;
  if (own != MPI_GROUP_NULL)
    PMPI_Group_free(&own);
  if (world != MPI_GROUP_NULL)
    PMPI_Group_free(&world);
  if (complete)
    facts->ranks = numbers;
  else
    free(numbers);
  return complete;
}

static struct mpi_comm_facts *make(MPI_Comm communicator)
{
  int inter = 0;
  struct mpi_comm_facts *facts = calloc(1, sizeof *facts);
  if (!facts)
    return NULL;
  facts->users = 1;
  PMPI_Comm_rank(communicator, &facts->rank);
  PMPI_Comm_size(communicator, &facts->size);
  PMPI_Comm_test_inter(communicator, &inter);
  facts->other_size = facts->size;
  if (inter)
    PMPI_Comm_remote_size(communicator, &facts->other_size);
  facts->kind = inter                            ? COMMUNICATOR_INTER
                : communicator == MPI_COMM_WORLD ? COMMUNICATOR_WORLD
                : communicator == MPI_COMM_SELF  ? COMMUNICATOR_SELF
                                                 : COMMUNICATOR_DERIVED;
  if (facts->kind == COMMUNICATOR_WORLD)
    facts->key = WORLD_KEY;
  else if (facts->kind != COMMUNICATOR_INTER && find_ranks(facts, communicator) && facts->kind == COMMUNICATOR_SELF)
    facts->key = SELF_KEY;
  return facts;
}

static struct mpi_comm_facts *find(MPI_Comm communicator)
{
  void *facts = NULL;
  int found = 0;
  if (PMPI_Comm_get_attr(communicator, known.keyval, &facts, &found) != MPI_SUCCESS || !found)
    return NULL;
  return facts;
}

struct mpi_comm_facts *mpi_comm_facts(MPI_Comm communicator)
{
  if (communicator == MPI_COMM_NULL)
    return NULL;
  pthread_once(&known.once, make_keyval);
  if (known.keyval == MPI_KEYVAL_INVALID)
    return NULL;
  struct mpi_comm_facts *facts = find(communicator);
  if (facts)
    return facts;
  pthread_mutex_lock(&known.lock);
  facts = find(communicator);
  if (!facts && (facts = make(communicator)) != NULL &&
      PMPI_Comm_set_attr(communicator, known.keyval, facts) != MPI_SUCCESS) {
    mpi_comm_leave(facts);
    facts = NULL;
  }
  pthread_mutex_unlock(&known.lock);
  return facts;
}

/* Of what call number `number` of the parent's made, of so many ranks. */
static uint64_t key_of(const struct mpi_comm_facts *parent, uint64_t number, int size)
{
  const uint64_t origin[] = {parent->key, number, (uint64_t)size};
  return fmt_hash(origin, sizeof origin);
}

static uint64_t other_than_known(uint64_t key)
{
  return key > SELF_KEY ? key : key + SELF_KEY + 1;
}

void mpi_comm_made(MPI_Comm made, const struct mpi_comm_facts *parent, uint32_t number)
{
  struct mpi_comm_facts *facts = parent && parent->key ? mpi_comm_facts(made) : NULL;
  if (!facts || facts->kind != COMMUNICATOR_DERIVED || facts->key || !facts->ranks)
    return;
  facts->key = other_than_known(key_of(parent, number, facts->size) ^
                                fmt_hash(facts->ranks, (size_t)facts->size * sizeof *facts->ranks));
}

struct mpi_comm_facts *mpi_comm_like(const struct mpi_comm_facts *facts, uint32_t number)
{
  const size_t size = facts && facts->ranks ? (size_t)facts->size * sizeof *facts->ranks : 0;
  struct mpi_comm_facts *made = facts ? malloc(sizeof *made) : NULL;
  int *ranks = made && size > 0 ? malloc(size) : NULL;
  if (!made || (size > 0 && !ranks)) {
    free(made);
    return NULL;
  }
  if (ranks)
    memcpy(ranks, facts->ranks, size);
  *made = *facts;
  made->ranks = ranks;
  if (made->neighbours)
    __atomic_fetch_add(&made->neighbours->users, 1, __ATOMIC_RELAXED);
  made->users = 1;
  made->together = 0;
  if (made->key)
    made->key = other_than_known(~key_of(facts, number, facts->size));
  return made;
}

int mpi_comm_world_rank(const struct mpi_comm_facts *facts, int rank)
{
  if (rank < 0 || rank >= facts->size || !facts->key)
    return -1;
  return facts->ranks ? facts->ranks[rank] : rank;
}

uint64_t mpi_comm_channel(const struct mpi_comm_facts *facts, enum mpi_channel channel, uint32_t number)
{
  const uint64_t origin[] = {facts->key, (uint64_t)channel, number};
  return other_than_known(fmt_hash(origin, sizeof origin));
}

enum mpi_peer mpi_comm_peer(const struct mpi_comm_facts *facts, int rank)
{
  if (rank == MPI_ANY_SOURCE)
    return PEER_ANY;
  if (rank == MPI_PROC_NULL)
    return PEER_NONE;
  if (!facts || facts->kind == COMMUNICATOR_INTER)
    return PEER_OTHER;
  if (rank == facts->rank)
    return PEER_SELF;
  if (rank == (facts->rank + 1) % facts->size)
    return PEER_NEXT;
  return (rank + 1) % facts->size == facts->rank ? PEER_PREVIOUS : PEER_OTHER;
}

enum mpi_node mpi_comm_node(const struct mpi_comm_facts *facts, int rank)
{
  if (rank == MPI_ANY_SOURCE)
    return NODE_ANY;
  if (rank == MPI_PROC_NULL)
    return NODE_NONE;
  /* Those of an intercommunicator's other side may be of another job. */
  if (!facts || facts->kind == COMMUNICATOR_INTER || rank < 0 || rank >= facts->size)
    return NODE_UNKNOWN;
  if (facts->kind == COMMUNICATOR_WORLD)
    return mpi_node_of(rank);
  return facts->ranks ? mpi_node_of(facts->ranks[rank]) : NODE_UNKNOWN;
}
