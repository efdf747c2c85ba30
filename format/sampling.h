/*
 * What is known of the times of an edge whose calls are not all timed: records of format/recording.h.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_SAMPLING_H
#define CALLSIG_FORMAT_SAMPLING_H

#include <stdint.h>

#include "format/record_tag.h"

/*
 * How the times of an edge's calls were come by, when not all were timed: it lies directly before its edge (at the
 * edge's address - 64), which has FMT_EDGE_SAMPLED.
 *
 * A call whose clock was read counts with its time; any other with `imputed`, what the edge's calls took of late.
 * Either is added wherever docs/recording-format.md has a call's time added (total, cumulative, the caller's children),
 * so that every sum that holds of a recording without samples holds of one with them. Which calls are timed is random,
 * at a rate that depends on nothing but the edge's earlier calls; the first ones all are. min, max and the histogram
 * are of timed calls alone.
 *
 * Where recursion leads back to the edge, calls that began while none of it was open may be much longer than those
 * inside. While they are, each is timed: these are no samples of the others, and are not in this record but in the
 * edge's recursion record, primitive[FMT_GROUP_EDGE] calls and cumulative[FMT_GROUP_EDGE] ticks.
 */
struct fmt_rec_sampling {
  struct fmt_rec_tag tag;
  uint64_t timed;       /* calls that ended and whose clock was read, but for those just told of */
  uint64_t timed_total; /* ticks of these, inclusive */
  uint64_t squares_low; /* the sum of their squares, 128 bits */
  uint64_t squares_high;
  uint64_t imputed; /* ticks that an untimed call counts with now */
  uint64_t recent;  /* the runtime's own: what `imputed` is made from, in ticks / 256 */
  uint32_t rate;    /* the runtime's own: one call in `rate` is timed, in the mean; 0: each one */
  uint32_t sleep;   /* where the edge's fmt_rec_sleep lies in the file, in units of 8 bytes; 0 for none */
};

/*
 * How long threads slept in the calls of an edge, without callees: they did not run and wanted no processor, as they
 * waited for input, a lock, another thread, or for time to pass. Where they slept is known to lie between two looks,
 * and split by that among the calls between them.
 */
struct fmt_rec_sleep {
  struct fmt_rec_tag tag;
  uint64_t times;  /* looks that found some */
  uint64_t ticks;  /* that they slept */
  uint64_t unsure; /* ticks: `ticks` may be off by so many either way */
  uint64_t drawn;  /* of `ticks`, those of calls that stand for others, which were not timed */
  uint64_t drawn_times;
  uint64_t reserved[2];
};

#endif
