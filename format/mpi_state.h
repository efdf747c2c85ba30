/*
 * How far a rank of an MPI job came in putting the ranks' recordings together: what libcallsig-mpi leaves for the
 * `callsig run` that started it, in a file beside the rank's recording.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_MPI_STATE_H
#define CALLSIG_FORMAT_MPI_STATE_H

#include <stdint.h>

/* The file's first byte. */
enum fmt_mpi_state {
  FMT_MPI_BEGUN = 'b',   /* the program was started; no call of MPI was seen */
  FMT_MPI_RUNNING = 'r', /* MPI_Init was called where the library sees it, and so MPI_Finalize will be */
  FMT_MPI_JOINING = 'j', /* MPI_Finalize was called, and has the recordings put together */
  FMT_MPI_DONE = 'd',    /* what there is to say was said */
  FMT_MPI_ABORTED = 'x', /* it called MPI_Abort, which was said */
};

/* What follows the byte, of a job whose ranks' recordings are one by now and whose ranks all lie in one folder: there
 * `callsig run` makes it anew of what they have recorded when they have ended. */
struct fmt_mpi_whole {
  uint32_t ranks; /* of the job; 0: it is none of these */
  uint32_t folds; /* 1: ranks become one process */
};
enum { FMT_MPI_WHOLE_OFFSET = 8 }; /* in the file */

/* And behind that, a uint64_t by which the ranks of one machine know each other, written before the program is started;
 * 0: it is not known. */
enum { FMT_MPI_MACHINE_OFFSET = 16 };

/* Names beside the recording FOLDER/BASE: FOLDER/.BASE.RUN.WORD, RUN being the run's number. */
#define FMT_MPI_STATE "mpi-state"
#define FMT_MPI_OWN   "mpi-own"
#define FMT_MPI_PEER  "mpi-peer"

/* Beside FILE, FOLDER/.FILE.NUMBER.WORD: what ranks have recorded until their end, on its way into FILE. */
#define FMT_MPI_NODE "mpi-node"

#endif
