/*
 * When a recorded process recorded nothing: part of the recording's format, docs/recording-format.md.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_PAUSES_H
#define CALLSIG_FORMAT_PAUSES_H

#include "format/record_tag.h"

#define FMT_PAUSES 128

/* From `from` to `until` nothing was recorded for so many ticks: all of it, or part of it, where several pauses that
 * lie close together were taken together. */
struct fmt_rec_pause {
  uint64_t from, until; /* ticks */
  uint64_t ticks;
};

/* The pauses that have ended, by time. When there is no place for another one, the two neighbours that span the least
 * time become one. */
struct fmt_rec_pauses {
  struct fmt_rec_tag tag;
  uint32_t sequence; /* odd while it is being written */
  uint32_t count;
  uint64_t since; /* ticks: nothing is recorded from then on; 0: it is */
  struct fmt_rec_pause list[FMT_PAUSES];
};

#endif
