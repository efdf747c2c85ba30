/*
 * What the calls of an edge asked the allocator for: records of format/recording.h, and the functions that are counted.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_ASKED_H
#define CALLSIG_FORMAT_ASKED_H

#include <stdint.h>

#include "format/record_tag.h"

/*
 * Memory that was asked for by calls of an edge, without their callees: blocks that were given, their bytes as they
 * were asked for, and what of that was given back.
 *
 * `calls` and `bytes` are written by the thread that the edge belongs to, the others by any. Sums of bytes stand still
 * at UINT64_MAX when they reach it: what of such a record is not given back is not known. A block counts as given back
 * in the record that it was counted in, whoever frees it; so an edge has several records when threads were folded whose
 * blocks live on, and their sums are the edge's.
 */
struct fmt_rec_asked {
  struct fmt_rec_tag tag;
  uint64_t next;        /* address of another record of the same edge; 0: the last */
  uint64_t calls;       /* blocks */
  uint64_t bytes;       /* that were asked for, of these */
  uint64_t freed_calls; /* of them, blocks that were given back */
  uint64_t freed_bytes;
  uint64_t lost_calls; /* of `calls`, blocks of which it is not known whether they were given back */
  uint64_t lost_bytes;
  uint32_t open; /* the runtime's own: calls under way that count here */
  uint32_t reserved32;
  uint64_t reserved;
};

/* Where an edge has FMT_EDGE_ASKS it lies before the edge, and before its sampling record if it has one. */
struct fmt_rec_asked_list {
  struct fmt_rec_tag tag;
  uint64_t first; /* address of a fmt_rec_asked; 0: nothing was asked for */
  uint64_t last;  /* the runtime's own */
  uint64_t reserved[5];
};

/* What a function does for whom it is called by. */
enum fmt_asking {
  FMT_ASKING_NOTHING,
  FMT_ASKING_FIRST,          /* gives a block of as many bytes as the first argument says */
  FMT_ASKING_SECOND,         /* ... the second argument: the first is an alignment */
  FMT_ASKING_PRODUCT,        /* ... the product of both */
  FMT_ASKING_THIRD,          /* ... the third: the first says where the block's address goes, if the result is 0 */
  FMT_ASKING_TEXT,           /* gives a text, of as many bytes as it has */
  FMT_ASKING_RESIZE,         /* gives a block of as many bytes as the second says, for the one that is the first */
  FMT_ASKING_RESIZE_PRODUCT, /* ... the product of the second and the third */
  FMT_ASKING_FREE,           /* takes back the first */
};

/* Of the imported function with this symbol. Anywhere. */
enum fmt_asking fmt_asking_of(const char *symbol);

#endif
