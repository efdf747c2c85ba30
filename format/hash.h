/*
 * XXH64, the checksum of the index format and the key of its cache: compiled in, so that no symbol of it is the
 * program's.
 */
#ifndef CALLSIG_FORMAT_HASH_H
#define CALLSIG_FORMAT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH64 with seed 0. Anywhere. */
__attribute__((nonnull)) uint64_t fmt_hash(const void *data, size_t size);

#endif
