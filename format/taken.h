/*
 * What the recording of a whole run says of those that it was made of (docs/recording-format.md).
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_TAKEN_H
#define CALLSIG_FORMAT_TAKEN_H

#include <stdint.h>

/* A recording that a family's was made of, by what its header says. Whoever wrote the family's removes it next. */
struct fmt_rec_taken {
  uint64_t run;
  uint64_t start_realtime_ns;
  uint32_t pid;
  uint32_t reserved; /* 0 */
};

#endif
