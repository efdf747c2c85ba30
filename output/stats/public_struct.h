/*
 * Structures of the public API that begin with their size, as the caller was compiled with it: read from a caller, and
 * handed out to one.
 */
#ifndef CALLSIG_OUTPUT_STATS_PUBLIC_STRUCT_H
#define CALLSIG_OUTPUT_STATS_PUBLIC_STRUCT_H

#include <stddef.h>

/* Copies the caller's options `given` into `known`, which has `known_size` bytes; what a shorter structure lacks
 * becomes 0. What a longer one has more must be 0, so that nothing that was asked for is ignored: else, and when its
 * size was not set, -EINVAL after a message that calls it `name`. known's own first field becomes `known_size`. */
int out_struct_read(const char *name, void *known, size_t known_size, const void *given);

/* Copies as much of the `full_size` bytes of `full` as the caller's structure `to` has room for, by its size, which
 * stays. */
void out_struct_hand_out(void *to, const void *full, size_t full_size);

#endif
