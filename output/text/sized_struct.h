/*
 * Structures of the public API that begin with `size_t size`: what a program of an older or newer header hands over.
 */
#ifndef CALLSIG_OUTPUT_TEXT_SIZED_STRUCT_H
#define CALLSIG_OUTPUT_TEXT_SIZED_STRUCT_H

#include <stddef.h>

/* Copies `given` over `known`, a structure of `size` bytes that has the defaults; a shorter `given` leaves the fields
 * behind it. `name` is the structure's, for the message: -EINVAL after one when `given` says no size, or has bytes
 * behind what is known that are not 0, which mean something that this library cannot do. */
int out_sized_struct_read(const char *name, const void *given, void *known, size_t size);

/* Fills `wanted`, which says its size, from `full` of `size` bytes but for that size; what is behind becomes 0. */
void out_sized_struct_fill(void *wanted, const void *full, size_t size);

#endif
