/*
 * XXH64, compiled in without what it would call.
 */
#include "format/hash.h"

/* Nothing but XXH64 is used: no vector code, no calls of memcpy(). */
#define XXH_INLINE_ALL
#define XXH_VECTOR              0
#define XXH_FORCE_MEMORY_ACCESS 1
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wconversion"
#include <xxhash.h>

uint64_t fmt_hash(const void *data, size_t size)
{
  return XXH64(data, size, 0);
}
