/*
 * What is known of the program's communicators: kept with each as an attribute, made when it is first met.
 */
#ifndef CALLSIG_PROFILER_MPI_COMMUNICATORS_H
#define CALLSIG_PROFILER_MPI_COMMUNICATORS_H

#include <mpi.h>
#include <stdint.h>

#include "profiler/mpi/rows.h"

/* Whom a rank takes from and gives to in calls of neighbours, by ranks in MPI_COMM_WORLD, -1 for nobody: first the
 * `in` that it takes from, then the `out`. */
struct mpi_neighbours {
  uint32_t users; /* atomic */
  int in, out;
  int ranks[];
};

struct mpi_comm_facts {
  uint64_t key; /* the same in all of its processes, and no other's; 0: none is known, and nothing of it is logged */
  enum mpi_communicator kind;
  int rank, size;    /* of this process, and of all; of an intercommunicator, in the local group */
  int other_size;    /* ranks that a call of all together moves data to: of an intercommunicator, the others */
  uint32_t together; /* calls of all ranks together so far; atomic */
  uint32_t users;    /* the communicator, and requests; atomic */
  int *ranks;        /* in MPI_COMM_WORLD, by rank; NULL: they are the same */
  struct mpi_neighbours *neighbours; /* NULL: none were asked for, or there are none; atomic */
};

/* What is known of it; NULL: there is no memory, or it is none. Any thread, between MPI_Init and MPI_Finalize. */
struct mpi_comm_facts *mpi_comm_facts(MPI_Comm communicator);

/* Those of a communicator that a call of all ranks of `parent` has made, number `number` of them. */
void mpi_comm_made(MPI_Comm made, const struct mpi_comm_facts *parent, uint32_t number);

/* The same ranks as those of `facts`, for something that they made together by a call of theirs, number `number` of
 * all, with calls of all ranks of its own; given back by mpi_comm_leave(). NULL: there is no memory, or `facts` is
 * NULL. */
struct mpi_comm_facts *mpi_comm_like(const struct mpi_comm_facts *facts, uint32_t number);

/* For somebody who outlives the communicator; given back by mpi_comm_leave(). NULL is ignored. */
void mpi_comm_use(struct mpi_comm_facts *facts);
void mpi_comm_leave(struct mpi_comm_facts *facts);

/* The rank in MPI_COMM_WORLD of a rank of the communicator; -1: it is none of its ranks. */
int mpi_comm_world_rank(const struct mpi_comm_facts *facts, int rank);

/* What calls tell each other apart from messages: neighbours, those who open and close a window's memory to others, and
 * messages in parts. */
enum mpi_channel { CHANNEL_NEIGHBOURS, CHANNEL_POST, CHANNEL_COMPLETE, CHANNEL_PARTS };

/* The key of the channel number so many of them among these ranks, which know it alike. */
uint64_t mpi_comm_channel(const struct mpi_comm_facts *facts, enum mpi_channel channel, uint32_t number);

/* Who that rank is to this one. `facts` may be NULL. */
enum mpi_peer mpi_comm_peer(const struct mpi_comm_facts *facts, int rank);

/* Where it runs. Likewise. */
enum mpi_node mpi_comm_node(const struct mpi_comm_facts *facts, int rank);

#endif
