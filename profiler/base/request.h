/*
 * What was asked of the process from outside, by its recording: whether something waits there.
 *
 * Hooks look where they do more than the fast path anyway, and while recording is off; session/requests.c takes what
 * waits.
 */
#ifndef CALLSIG_PROFILER_BASE_REQUEST_H
#define CALLSIG_PROFILER_BASE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"
#include "format/request.h"

/* The hooks' assembly compares the two. */
struct prof_request {
  const uint64_t *asked; /* header.request; never NULL. Atomic */
  uint64_t taken;        /* atomic */
};

extern struct prof_request prof_request;

/* From here on requests are looked for in this recording; `first` is there already, unless it is FMT_REQUEST_NONE. With
 * signals blocked. */
void prof_request_begin(struct fmt_rec_header *header, enum fmt_request first);
/* There is no recording whose requests could be looked at. Anywhere. */
void prof_request_forget(void);

/* Anywhere. */
static inline bool prof_request_waits(void)
{
  const uint64_t *asked = __atomic_load_n(&prof_request.asked, __ATOMIC_ACQUIRE);
  return __atomic_load_n(asked, __ATOMIC_RELAXED) != __atomic_load_n(&prof_request.taken, __ATOMIC_RELAXED);
}

#endif
