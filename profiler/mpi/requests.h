/*
 * The program's open requests, by their handles: which message each is of. Any thread.
 */
#ifndef CALLSIG_PROFILER_MPI_REQUESTS_H
#define CALLSIG_PROFILER_MPI_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "profiler/mpi/communicators.h"
#include "profiler/mpi/rows.h"
#include "profiler/mpi/waits/log.h"
#include "profiler/mpi/words.h"

/* What a request was made for. */
struct mpi_request_facts {
  enum mpi_function function; /* that its bytes count for */
  bool is_receive;
  bool is_persistent;           /* it stays when it is done, and is started again */
  bool is_together;             /* persistent, of all ranks together */
  bool is_in_parts;             /* persistent, of a message in parts ... */
  bool is_started;              /* ... that is on its way, ... */
  uint64_t channel;             /* ... that finds its other side by this key; 0: not */
  uint32_t event;               /* in the log, MPI_NOT_LOGGED for none */
  uint32_t sent_event;          /* the same for what is sent by a request that receives as well */
  uint32_t meeting;             /* the same for calls of all ranks together */
  struct mpi_words words;       /* likewise, of neighbours */
  enum mpi_meeting_kind kind;   /* of the latter, persistent */
  int rank, tag;                /* of the other side, as they were asked for; the root */
  int64_t bytes;                /* to be sent */
  struct mpi_comm_facts *facts; /* used until it is done; NULL */
};

/* A request of that function, of nothing that is logged. */
struct mpi_request_facts mpi_request_of(enum mpi_function function, struct mpi_comm_facts *facts);

/* Notes a request. Where there is no memory it is not known afterwards. */
void mpi_request_put(MPI_Request request, const struct mpi_request_facts *made);

/* What is known of a request that is handed to MPI now; NULL: nothing. When MPI has freed it, another thread may have
 * one by the same handle before this one says that it is done: so it is looked up before, and then either done or
 * still open. */
struct mpi_open_request *mpi_request_look_up(MPI_Request request);

/* It is done, in `call`, which may have waited for it; what it was is forgotten unless it is persistent. `status` is
 * its own. NULL is ignored. */
void mpi_request_done(struct mpi_open_request *open, const MPI_Status *status, struct mpi_call *call);

/* It is not. NULL is ignored. */
void mpi_request_still_open(struct mpi_open_request *open);

/* It was started, as a message of its own, at a time of CLOCK_MONOTONIC. */
void mpi_request_started(MPI_Request request, uint64_t now);

/* A part of what it sends was ready at that time. */
void mpi_request_ready(MPI_Request request, uint64_t now);

/* It is freed by the program, and will be done unseen. */
void mpi_request_forget(MPI_Request request);

/* The program cancels it: what it is of may have no place among messages then. */
void mpi_request_cancelled(MPI_Request request);

/* It is done, by an error: its message was taken, or nobody knows. NULL is ignored. */
void mpi_request_failed(struct mpi_open_request *open, int error, const MPI_Status *status, struct mpi_call *call);

/* A place in the log for a message to or from that rank, in the order in which they are asked for; MPI_NOT_LOGGED:
 * there is none, or the rank is none. */
uint32_t mpi_message_place(const struct mpi_comm_facts *facts, int rank);

/* Fills it: the rank came to send or receive it at `posted`. Bytes that are sent count for `function`, and by who gets
 * them. */
void mpi_message_sent(uint32_t event, enum mpi_function function, const struct mpi_comm_facts *facts, int rank, int tag,
                      int64_t bytes, uint64_t posted);
void mpi_message_asked_for(uint32_t event, const struct mpi_comm_facts *facts, int rank, int tag, uint64_t posted);

/* Was a message taken by a call that gave `result`? One that was longer than there was room for was, too. */
bool mpi_message_is_taken(int result);

/* What was received, by its status, in a call that may have waited for it; `event` may be MPI_NOT_LOGGED. Its bytes
 * count for `function`. */
void mpi_message_received(uint32_t event, enum mpi_function function, const struct mpi_comm_facts *facts,
                          const MPI_Status *status, struct mpi_call *call);

#endif
