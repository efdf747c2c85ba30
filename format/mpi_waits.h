/*
 * What calls of MPI wait for, as the actions below them are called: libcallsig-mpi records them, and what is told of
 * ranks knows them by these names. docs/mpi.md says what each is.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_MPI_WAITS_H
#define CALLSIG_FORMAT_MPI_WAITS_H

#define FMT_MPI_LATE_SENDER   "late sender"
#define FMT_MPI_LATE_RECEIVER "late receiver"
#define FMT_MPI_LATE_RANKS    "late ranks"
#define FMT_MPI_LATE_ROOT     "late root"
#define FMT_MPI_LATE_UNLOCK   "late unlock"

/* Beside them, of no time: the calls that all ranks make together and that the rank was the last to come to. */
#define FMT_MPI_CAME_LAST "came last"

#endif
