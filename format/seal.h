/*
 * The record that ends a recording which nobody writes to any more: checksums of all that is before it
 * (docs/recording-format.md).
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_SEAL_H
#define CALLSIG_FORMAT_SEAL_H

#include <stdbool.h>

#include "format/recording.h"

#define FMT_SEAL_PIECE 4096u
#define FMT_SEAL_END   "CSIGEND" /* with its NUL the last eight bytes of a sealed file */

struct fmt_rec_piece {
  uint64_t checksum; /* XXH64 of its bytes, the seed being its number */
  uint32_t records;  /* that begin in it: words of 8 bytes that are a record's tag */
  uint32_t reserved;
};

/* A file is sealed by one pass over it when its process has ended, so that recording costs nothing. The header's
 * reference to the seal is part of what it covers. */
struct fmt_rec_seal {
  struct fmt_rec_tag tag; /* its size is that of all: the pieces and FMT_SEAL_END behind them */
  uint64_t checksum;      /* XXH64, seed 0, of all of the record behind this field */
  uint64_t covered;       /* bytes of the file: all before this record, a multiple of 8 */
  uint32_t piece;         /* bytes of a piece: FMT_SEAL_PIECE. The last one may be shorter */
  uint32_t reserved;
  struct fmt_rec_piece pieces[];
};

/* Whether a word of a recording, at which `left` bytes are left, is the tag of a record. */
static inline bool fmt_rec_is_tag(uint64_t word, uint64_t left)
{
  uint64_t size = word >> 32;
  if ((word & 0xff) != 'C' || size < sizeof(struct fmt_rec_tag) || size % 8 != 0 || size > left)
    return false;
  switch ((uint32_t)word) {
  case FMT_TAG_MODULE:
  case FMT_TAG_THREAD:
  case FMT_TAG_FUNCTION:
  case FMT_TAG_SIGNATURE:
  case FMT_TAG_CONTEXT:
  case FMT_TAG_VARIANT:
  case FMT_TAG_EDGE:
  case FMT_TAG_RECURSION:
  case FMT_TAG_STACK:
  case FMT_TAG_NAME:
  case FMT_TAG_HISTOGRAM:
  case FMT_TAG_STAGE:
  case FMT_TAG_TASKS:
  case FMT_TAG_QUEUE:
  case FMT_TAG_QUEUE_USE:
  case FMT_TAG_EVENT:
  case FMT_TAG_RING:
  case FMT_TAG_PROCESS:
  case FMT_TAG_SAMPLING:
  case FMT_TAG_SAMPLES:
  case FMT_TAG_TASK_WORK:
  case FMT_TAG_TASK_WAITS:
    return true;
  default:
    return false;
  }
}

/* The seal's whole size, of a recording of so many bytes. */
static inline uint64_t fmt_rec_seal_size(uint64_t covered)
{
  uint64_t pieces = covered / FMT_SEAL_PIECE + (covered % FMT_SEAL_PIECE != 0);
  return sizeof(struct fmt_rec_seal) + pieces * sizeof(struct fmt_rec_piece) + sizeof FMT_SEAL_END;
}

#endif
