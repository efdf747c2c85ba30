/*
 * What this rank's calls of MPI waited for is found out when all ranks come to MPI_Finalize. Until then each logs its
 * own side: when it came to send or to receive which message, and to which call of all ranks together.
 *
 * The log is memory of the process, taken as it fills up to a bound; calls that begin after that have rows and counts,
 * and their waits are not known. All of it may be called from any thread.
 */
#ifndef CALLSIG_PROFILER_MPI_LOG_H
#define CALLSIG_PROFILER_MPI_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct callsig_call;

#define MPI_NOT_LOGGED UINT32_MAX

/* What calls may wait for: the names of rows below theirs. Those of one call are numbers in a row. */
enum mpi_wait_number {
  WAIT_LATE_SENDER,
  WAIT_LATE_RECEIVER,
  WAIT_LATE_ROOT,
  WAIT_LATE_RANKS,
  WAIT_CAME_LAST, /* for nobody: the others waited */
  WAIT_LATE_UNLOCK
};

/* A call that may have waited. */
struct mpi_pause {
  uint64_t enter, exit; /* CLOCK_MONOTONIC, ns */
  struct callsig_call *row;
  uint64_t until;     /* while waits are found out: when the other side was ready; 0: not known */
  uint8_t wait;       /* and what that is called, of all names of waits */
  uint8_t first_wait; /* the first of the row's own names, of all */
  uint8_t least;      /* it went on when the first of what it waited for was ready, and not the last */
  bool came_last;     /* to a call that all ranks of a communicator make together */
  uint32_t sender_us; /* while waits are found out: how long it was for the last of the senders that it waited for */
};

enum mpi_event_kind { EVENT_NONE, EVENT_SEND, EVENT_RECEIVE, EVENT_PROBE };

/* A message, in the order in which a rank came to send or to receive it. */
struct mpi_event {
  uint64_t key;    /* of the communicator */
  uint64_t posted; /* when the rank came to send or to receive it */
  int32_t peer;    /* the other side's rank in MPI_COMM_WORLD; -1: not known yet, or never */
  int32_t tag;
  uint32_t bytes; /* lower 32 bits; MPI_BYTES_UNKNOWN */
  uint32_t pause; /* the call that waited for it; MPI_NOT_LOGGED: none */
  uint16_t kind;  /* enum mpi_event_kind */
  uint8_t wait;   /* enum mpi_wait_number: what that call waited for */
  bool may_pass;  /* which may have ended before the other side came */
};
#define MPI_BYTES_UNKNOWN UINT32_MAX

enum mpi_meeting_kind {
  MEETING_NONE,
  MEETING_ALL,        /* each waits for all */
  MEETING_FROM_ROOT,  /* each waits for the root */
  MEETING_TO_ROOT,    /* the root waits for all */
  MEETING_BELOW,      /* each waits for those of lower rank */
  MEETING_FENCE,      /* each may wait for all, or for nobody */
  MEETING_NEIGHBOURS, /* each waits for its neighbours: as messages, the log has them */
};

/* A call of all ranks of a communicator together. */
struct mpi_meeting {
  uint64_t key;
  uint64_t enter;     /* when the rank came to it */
  uint32_t number;    /* of the communicator's */
  int32_t leader;     /* the rank in MPI_COMM_WORLD that compares the ranks' times */
  int32_t rank, size; /* in the communicator, and of it */
  int32_t root;       /* -1: none */
  uint32_t kind;      /* enum mpi_meeting_kind */
  uint32_t pause;
};

enum mpi_lock_kind { LOCK_NONE, LOCK_SHARED, LOCK_EXCLUSIVE };

/* A lock of the memory that a rank has in a window, or of all ranks', from when a rank asked for it until it was given
 * back. */
struct mpi_lock {
  uint64_t key;         /* of the window */
  uint64_t left, given; /* when the call that gave it back began and ended; 0: none did */
  /* The calls that may have waited for it: an MPI may take the lock as late as it is needed. */
  uint32_t asked, used, ended;
  int32_t target;   /* whose memory it is: the rank in MPI_COMM_WORLD; -1: that of all ranks of the window, ... */
  int32_t size;     /* so many, ... */
  const int *ranks; /* in MPI_COMM_WORLD; NULL: those by the same numbers */
  uint32_t kind;    /* enum mpi_lock_kind */
};

/* The next place of each, to be filled; MPI_NOT_LOGGED: there is none left. Of events the first of so many places that
 * lie together. */
uint32_t mpi_log_pause(void);
uint32_t mpi_log_event(uint32_t count);
uint32_t mpi_log_meeting(void);
uint32_t mpi_log_lock(void);

struct mpi_pause *mpi_log_pause_at(uint32_t number);
struct mpi_event *mpi_log_event_at(uint32_t number);
struct mpi_meeting *mpi_log_meeting_at(uint32_t number);
struct mpi_lock *mpi_log_lock_at(uint32_t number);

/* How many there are; *lost: how many found no place. */
uint32_t mpi_log_pauses(uint64_t *lost);
uint32_t mpi_log_events(uint64_t *lost);
uint32_t mpi_log_meetings(uint64_t *lost);
uint32_t mpi_log_locks(uint64_t *lost);

#endif
