/*
 * An export on its way out: what all formats are handed, and what they write with.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_EXPORT_WRITER_H
#define CALLSIG_OUTPUT_EXPORT_EXPORT_WRITER_H

#include <stdio.h>

#include "output/stats/stats_object.h"

/* Of a profile of what was added to a recording: what stands in it beside the calls. */
struct out_export_delta {
  uint64_t begin_ns, duration_ns;            /* since 1970; how long it was */
  uint64_t lost;                             /* calls that could not be recorded meanwhile */
  uint64_t calls, own, less_calls, less_own; /* filled in by the export: as in struct out_stacks */
};

/* One export on its way out. */
struct out_export {
  struct callsig_stats *stats; /* grouped; its rows are there for the formats that need them */
  FILE *out;                   /* NULL for the formats that are folders */
  const char *folder;          /* the path of theirs; NULL for all others */
  bool calls;                  /* weights are calls, not times */
  const char *database;        /* of intervals, for the formats that draw them; NULL: none */
  double cutoff;               /* what has a smaller part of the whole is left out; below 0: the format's own choice */
  struct out_export_delta *delta; /* of pprof: calls of the object's first recording are subtracted; NULL: none are */
};

/* Writes `size` bytes. 0 or -EIO. */
int out_export_write(const struct out_export *export, const void *bytes, size_t size);

/* Where a message is packed before it is written, used again for the next. Zero-initialise; free `bytes`. */
struct out_packed {
  uint8_t *bytes;
  size_t size;
};

/* Makes room for `size` bytes. 0 or -ENOMEM. */
int out_packed_room(struct out_packed *packed, size_t size);

/* Writes a text and empties it. 0, -EIO, or -ENOMEM when an addition to the text had failed. */
int out_export_flush(const struct out_export *export, struct out_text *text);

/*
 * Ticks as whole nanoseconds, one amount after the other, so that what was rounded off one goes to the next: the sum of
 * the amounts is the rounded sum, and none is negative.
 */
struct out_export_clock {
  double tick; /* seconds */
  uint64_t ticks, nanoseconds;
};

uint64_t out_export_nanoseconds(struct out_export_clock *clock, uint64_t ticks);

/* Puts the entries of a list in the order in which `order` has their numbers, without a copy of the list. `order` is
 * used up. 0 or -ENOMEM. */
int out_export_permute(struct base_vector *list, uint32_t *order);

/* The numbers of the rows with calls, in the order of out_row_compare(): the same whatever the object is sorted by. The
 * caller frees them. NULL: -ENOMEM. */
uint32_t *out_export_order(const struct callsig_stats *stats);

#endif
