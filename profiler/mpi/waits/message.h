/* One line on standard error, whole, as the runtime's messages are. */
#ifndef CALLSIG_PROFILER_MPI_MESSAGE_H
#define CALLSIG_PROFILER_MPI_MESSAGE_H

/* Writes "callsig: " and the text as printf() would make it, at most 8 KiB. Keeps errno. Not in a signal handler. */
void mpi_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
