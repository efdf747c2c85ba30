/*
 * A copy of a recording that is being written, at a moment at which nothing of it moves.
 */
#ifndef CALLSIG_OUTPUT_RECORDING_STEADY_COPY_H
#define CALLSIG_OUTPUT_RECORDING_STEADY_COPY_H

#include <stddef.h>

/* The first `size` bytes of the open file, made while no ended thread's data was moved into that of others: else it
 * would be in the copy twice, or not at all. *copy is NULL when threads ended all the time; the caller frees it. A
 * negative errno without a message. */
int out_steady_copy(int file, size_t size, void **copy);

#endif
