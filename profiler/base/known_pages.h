/*
 * The pages of the process that were there when they were last read (read_memory.c): what C shares with assembly that
 * loads from them.
 */
#ifndef CALLSIG_PROFILER_BASE_KNOWN_PAGES_H
#define CALLSIG_PROFILER_BASE_KNOWN_PAGES_H

#define PROF_PAGE_BITS 12
#define PROF_PAGE_SET_BITS                                                                                             \
  10 /* sets there are: a page's is told by the highest bits of its number times the factor                            \
      */
#define PROF_PAGE_WAYS   4
#define PROF_PAGE_FACTOR 0x9E3779B97F4A7C15

#ifndef __ASSEMBLER__
#include <stdint.h>

/* By set, the newest of each first; 0: none. Atomic. */
extern uint64_t prof_known_pages[1u << PROF_PAGE_SET_BITS][PROF_PAGE_WAYS] __attribute__((visibility("hidden")));
#endif

#endif
