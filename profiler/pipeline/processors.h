/*
 * How many processors the process may use: what a pipeline is bounded by in the end.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_PROCESSORS_H
#define CALLSIG_PROFILER_PIPELINE_PROCESSORS_H

#include <stdint.h>

/* Thousandths of a processor that the process may use now; 0 unknown. */
uint32_t prof_processors_allowed(void);

#endif
