/*
 * What the formats that recordings leave in share. One file a format, export_FORMAT.c; export.c finds it by its name.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_H
#define CALLSIG_OUTPUT_EXPORT_H

#include <stdio.h>

#include "object.h"

/* One export on its way out. */
struct cs_export {
  struct callsig_stats *stats; /* grouped; its rows are there for the formats that show rows */
  FILE *out;
  bool calls;    /* weights are calls, not times */
  double cutoff; /* what has a smaller part of the whole is left out; below 0: the format's own choice */
};

/* Writes all of a format. 0; -EIO when `out` could not be written; -ENOMEM; another negative errno after a message. */
typedef int cs_export_fn(const struct cs_export *export);

cs_export_fn cs_export_callgrind, cs_export_chrome, cs_export_dot, cs_export_flamegraph, cs_export_folded,
    cs_export_perfetto, cs_export_pprof, cs_export_pstats, cs_export_speedscope;

/* Writes `size` bytes. 0 or -EIO. */
int cs_export_write(const struct cs_export *export, const void *bytes, size_t size);

/* Where a message is packed before it is written, used again for the next. Zero-initialise; free `bytes`. */
struct cs_packed {
  uint8_t *bytes;
  size_t size;
};

/* Makes room for `size` bytes. 0 or -ENOMEM. */
int cs_packed_room(struct cs_packed *packed, size_t size);

/* Writes a text and empties it. 0, -EIO, or -ENOMEM when an addition to the text had failed. */
int cs_export_flush(const struct cs_export *export, struct cs_text *text);

/*
 * Ticks as whole nanoseconds, one amount after the other, so that what was rounded off one goes to the next: the sum of
 * the amounts is the rounded sum, and none is negative.
 */
struct cs_export_clock {
  double tick; /* seconds */
  uint64_t ticks, nanoseconds;
};

uint64_t cs_export_nanoseconds(struct cs_export_clock *clock, uint64_t ticks);

/* Puts the entries of a list in the order in which `order` has their numbers, without a copy of the list. `order` is
 * used up. */
void cs_export_permute(struct cs_vector *list, uint32_t *order);

/* The numbers of the rows with calls, in the order of cs_row_compare(): the same whatever the object is sorted by. The
 * caller frees them. NULL: -ENOMEM. */
uint32_t *cs_export_order(const struct callsig_stats *stats);

#endif
