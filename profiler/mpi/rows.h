/*
 * MPI calls as rows: each runs inside of a function of its name that the compiler instruments, whose arguments are what
 * the row tells calls apart by. The numbers that have no bound are shown in powers of two, the others have few values,
 * so that the rows of a program are bounded, and those of its ranks meet.
 */
#ifndef CALLSIG_PROFILER_MPI_ROWS_H
#define CALLSIG_PROFILER_MPI_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* The functions, by what their rows show: of messages to or from one rank, and of what is put into its memory or got
 * from there; of looking for one, and of one rank's memory; of requests; of a communicator's ranks all together,
 * without and with a root among them; of these without data; and those that show nothing, as there are no ranks yet. */
/* Two passes of clang-format over such lists differ. */
/* clang-format off */
#define MPI_MESSAGES(X) \
  X(MPI_Send) X(MPI_Bsend) X(MPI_Ssend) X(MPI_Rsend) X(MPI_Isend) X(MPI_Ibsend) X(MPI_Issend) X(MPI_Irsend) \
  X(MPI_Recv) X(MPI_Irecv) X(MPI_Mrecv) X(MPI_Imrecv) X(MPI_Sendrecv) X(MPI_Sendrecv_replace) X(MPI_Isendrecv) \
  X(MPI_Isendrecv_replace) X(MPI_Send_init) X(MPI_Bsend_init) X(MPI_Ssend_init) X(MPI_Rsend_init) X(MPI_Recv_init) \
  X(MPI_Psend_init) X(MPI_Precv_init) X(MPI_Put) X(MPI_Rput) X(MPI_Get) X(MPI_Rget) X(MPI_Accumulate) \
  X(MPI_Raccumulate) X(MPI_Get_accumulate) X(MPI_Rget_accumulate) X(MPI_Fetch_and_op) X(MPI_Compare_and_swap)
#define MPI_PROBES(X) \
  X(MPI_Probe) X(MPI_Iprobe) X(MPI_Mprobe) X(MPI_Improbe) X(MPI_Win_lock) X(MPI_Win_unlock) X(MPI_Win_flush) \
  X(MPI_Win_flush_local)
#define MPI_REQUESTS(X) \
  X(MPI_Wait) X(MPI_Waitall) X(MPI_Waitany) X(MPI_Waitsome) X(MPI_Test) X(MPI_Testall) X(MPI_Testany) \
  X(MPI_Testsome) X(MPI_Start) X(MPI_Startall) X(MPI_Pready) X(MPI_Pready_range) X(MPI_Pready_list) X(MPI_Parrived)
#define MPI_COLLECTIVES(X) \
  X(MPI_Allreduce) X(MPI_Allgather) X(MPI_Allgatherv) X(MPI_Alltoall) X(MPI_Alltoallv) X(MPI_Alltoallw) \
  X(MPI_Reduce_scatter) X(MPI_Reduce_scatter_block) X(MPI_Scan) X(MPI_Exscan) \
  X(MPI_Iallreduce) X(MPI_Iallgather) X(MPI_Iallgatherv) X(MPI_Ialltoall) X(MPI_Ialltoallv) X(MPI_Ialltoallw) \
  X(MPI_Ireduce_scatter) X(MPI_Ireduce_scatter_block) X(MPI_Iscan) X(MPI_Iexscan) \
  X(MPI_Allreduce_init) X(MPI_Allgather_init) X(MPI_Allgatherv_init) X(MPI_Alltoall_init) X(MPI_Alltoallv_init) \
  X(MPI_Alltoallw_init) X(MPI_Reduce_scatter_init) X(MPI_Reduce_scatter_block_init) X(MPI_Scan_init) \
  X(MPI_Exscan_init) \
  X(MPI_Neighbor_allgather) X(MPI_Neighbor_allgatherv) X(MPI_Neighbor_alltoall) X(MPI_Neighbor_alltoallv) \
  X(MPI_Neighbor_alltoallw) X(MPI_Ineighbor_allgather) X(MPI_Ineighbor_allgatherv) X(MPI_Ineighbor_alltoall) \
  X(MPI_Ineighbor_alltoallv) X(MPI_Ineighbor_alltoallw) X(MPI_Neighbor_allgather_init) \
  X(MPI_Neighbor_allgatherv_init) X(MPI_Neighbor_alltoall_init) X(MPI_Neighbor_alltoallv_init) \
  X(MPI_Neighbor_alltoallw_init)
#define MPI_ROOTED(X) \
  X(MPI_Bcast) X(MPI_Reduce) X(MPI_Gather) X(MPI_Gatherv) X(MPI_Scatter) X(MPI_Scatterv) X(MPI_Ibcast) \
  X(MPI_Ireduce) X(MPI_Igather) X(MPI_Igatherv) X(MPI_Iscatter) X(MPI_Iscatterv) X(MPI_Bcast_init) \
  X(MPI_Reduce_init) X(MPI_Gather_init) X(MPI_Gatherv_init) X(MPI_Scatter_init) X(MPI_Scatterv_init)
#define MPI_TOGETHER(X) \
  X(MPI_Barrier) X(MPI_Ibarrier) X(MPI_Barrier_init) X(MPI_Comm_dup) X(MPI_Comm_dup_with_info) X(MPI_Comm_split) \
  X(MPI_Comm_split_type) X(MPI_Comm_create) X(MPI_Cart_create) X(MPI_Cart_sub) X(MPI_Graph_create) \
  X(MPI_Dist_graph_create) X(MPI_Dist_graph_create_adjacent) X(MPI_Win_create) X(MPI_Win_allocate) \
  X(MPI_Win_allocate_shared) X(MPI_Win_create_dynamic) X(MPI_Win_free) X(MPI_Win_fence) X(MPI_Win_start) \
  X(MPI_Win_complete) X(MPI_Win_post) X(MPI_Win_wait) X(MPI_Win_test) X(MPI_Win_sync) X(MPI_Win_lock_all) \
  X(MPI_Win_unlock_all) X(MPI_Win_flush_all) X(MPI_Win_flush_local_all) X(MPI_Comm_spawn) \
  X(MPI_Comm_spawn_multiple) X(MPI_Finalize)
#define MPI_BEGINNINGS(X) X(MPI_Init) X(MPI_Init_thread)
#define MPI_FUNCTIONS(X) \
  MPI_MESSAGES(X) MPI_PROBES(X) MPI_REQUESTS(X) MPI_COLLECTIVES(X) MPI_ROOTED(X) MPI_TOGETHER(X) MPI_BEGINNINGS(X)
/* clang-format on */

#define MPI_NUMBER(name) OF_##name,
enum mpi_function { MPI_FUNCTIONS(MPI_NUMBER) MPI_FUNCTION_COUNT };
#undef MPI_NUMBER

/* Of datatypes those that MPI has names for, in C and in Fortran; programs make others. */
/* clang-format off */
#define MPI_TYPES(X) \
  X(CHAR) X(SIGNED_CHAR) X(UNSIGNED_CHAR) X(BYTE) X(WCHAR) X(SHORT) X(UNSIGNED_SHORT) X(INT) X(UNSIGNED) \
  X(LONG) X(UNSIGNED_LONG) X(LONG_LONG) X(UNSIGNED_LONG_LONG) X(FLOAT) X(DOUBLE) X(LONG_DOUBLE) X(C_BOOL) \
  X(INT8_T) X(INT16_T) X(INT32_T) X(INT64_T) X(UINT8_T) X(UINT16_T) X(UINT32_T) X(UINT64_T) X(AINT) X(OFFSET) \
  X(COUNT) X(C_FLOAT_COMPLEX) X(C_DOUBLE_COMPLEX) X(C_LONG_DOUBLE_COMPLEX) X(FLOAT_INT) X(DOUBLE_INT) \
  X(LONG_INT) X(SHORT_INT) X(LONG_DOUBLE_INT) X(2INT) X(PACKED) X(INTEGER) X(REAL) X(DOUBLE_PRECISION) \
  X(COMPLEX) X(DOUBLE_COMPLEX) X(LOGICAL) X(CHARACTER)
/* clang-format on */

#define MPI_NUMBER(name) TYPE_##name,
enum mpi_type_number { MPI_TYPES(MPI_NUMBER) TYPE_OTHER };
#undef MPI_NUMBER

/* Who the other side is, by its rank in the communicator: the next or the one before (the first follows the last, and
 * of two the other is the next), or another. */
enum mpi_peer { PEER_SELF, PEER_NEXT, PEER_PREVIOUS, PEER_OTHER, PEER_ANY, PEER_NONE, MPI_PEER_COUNT };

/* And on which machine that is: on this rank's or on another one. */
enum mpi_node { NODE_SAME, NODE_OTHER, NODE_ANY, NODE_NONE, NODE_UNKNOWN };

/* Is this rank the root of the call? */
enum mpi_root { ROOT_SELF, ROOT_OTHER };

enum mpi_communicator { COMMUNICATOR_WORLD, COMMUNICATOR_SELF, COMMUNICATOR_DERIVED, COMMUNICATOR_INTER };

struct callsig_call;

/* A call, in the thread that makes it. */
struct mpi_call {
  enum mpi_function function;
  /* What its row shows, as far as the function has it. */
  int64_t count, bytes;
  enum mpi_type_number type;
  enum mpi_peer peer;
  enum mpi_node node;
  enum mpi_root root;
  enum mpi_communicator communicator;
  int size; /* ranks of the communicator */
  /* What MPI's own is called by. */
  int (*run)(void *arguments);
  void *arguments;
  const char *const *waits; /* what it may wait for, as callsig_call_innermost() has it */
  size_t wait_count;
  uint8_t first_wait; /* the first of these is number so many of all names */
  /* What is known when it has ended: its row, NULL where it has none or waits for nobody; when it was in MPI, by
   * CLOCK_MONOTONIC; and its number in the log, made when that is asked for. */
  struct callsig_call *row;
  uint64_t enter, exit;
  uint32_t pause;
};

/* Runs the call as a row below the innermost call of the program that is open, and gives what MPI's own gave. */
int mpi_row(struct mpi_call *call);

#endif
