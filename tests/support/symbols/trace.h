/* The two halves of the trace: what reads a call, and what stops at sleds. */
#ifndef CALLSIG_TESTS_TRACE_H
#define CALLSIG_TESTS_TRACE_H

#include <stdint.h>

#include "format/open.h"

/* Writes the line of the call that is at the site `pc`, with the registers there: 16 by DWARF's numbers, then the low
 * halves of xmm0 to xmm15. */
void test_trace_enter(const uint64_t *registers, uint64_t pc);

/* Puts a trap over each entry sled of the module that the index is of, and has test_trace_enter() called there. */
void test_trace_sleds(const struct fmt_index *index, uint64_t bias);

#endif
