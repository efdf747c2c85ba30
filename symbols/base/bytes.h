/*
 * Reads numbers from bytes that may be damaged: never beyond their end.
 */
#ifndef CALLSIG_SYMBOLS_BASE_BYTES_H
#define CALLSIG_SYMBOLS_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is left to be read; `failed` once something did not fit. What is read from then on is 0. */
struct sym_bytes {
  const uint8_t *at, *end;
  bool failed;
};

static inline void sym_bytes_skip(struct sym_bytes *bytes, uint64_t count)
{
  bytes->failed |= count > (uint64_t)(bytes->end - bytes->at);
  bytes->at = bytes->failed ? bytes->end : bytes->at + count;
}

/* A little-endian number of `size` bytes; of more than 8, the first 8 of them. */
static inline uint64_t sym_bytes_take(struct sym_bytes *bytes, unsigned size)
{
  uint64_t value = 0;
  const uint8_t *from = bytes->at;
  sym_bytes_skip(bytes, size);
  if (!bytes->failed)
    memcpy(&value, from, size < sizeof value ? size : sizeof value);
  return value;
}

/* A ULEB128; nearly all are of one byte. */
static inline uint64_t sym_bytes_number(struct sym_bytes *bytes)
{
  uint64_t value = 0;
  if (bytes->at < bytes->end && *bytes->at < 0x80)
    return *bytes->at++;
  for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
    const uint8_t byte = *bytes->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  bytes->failed = true;
  return 0;
}

#endif
