/*
 * How far a rank of an MPI job came in putting the ranks' recordings together: what libcallsig-mpi leaves for the
 * `callsig run` that started it, in a file beside the rank's recording.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_MPI_STATE_H
#define CALLSIG_FORMAT_MPI_STATE_H

/* The file's one byte. */
enum fmt_mpi_state {
  FMT_MPI_BEGUN = 'b',   /* the program was started; no call of MPI was seen */
  FMT_MPI_RUNNING = 'r', /* MPI_Init was called where the library sees it, and so MPI_Finalize will be */
  FMT_MPI_JOINING = 'j', /* MPI_Finalize was called, and has the recordings put together */
  FMT_MPI_DONE = 'd',    /* what there is to say was said */
  FMT_MPI_ABORTED = 'x', /* it called MPI_Abort, which was said */
};

/* Names beside the recording FOLDER/BASE: FOLDER/.BASE.RUN.WORD, RUN being the run's number. */
#define FMT_MPI_STATE "mpi-state"
#define FMT_MPI_OWN   "mpi-own"
#define FMT_MPI_PEER  "mpi-peer"

#endif
