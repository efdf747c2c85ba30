/*
 * The machine code of sites: made when what their calls are compared by is known.
 */
#ifndef CALLSIG_PROFILER_SLED_SITE_CODES_H
#define CALLSIG_PROFILER_SLED_SITE_CODES_H

#include <stdint.h>

#include "profiler/tree/fast_compare.h"

/* What prof_upcalls.make_code is. Takes codes_lock. In a slow section. */
uint16_t prof_site_code(const struct prof_fast_compare *compare);

#endif
