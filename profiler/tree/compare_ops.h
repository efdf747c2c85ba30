/*
 * The ops of a fast comparison.
 */
#ifndef CALLSIG_PROFILER_TREE_COMPARE_OPS_H
#define CALLSIG_PROFILER_TREE_COMPARE_OPS_H

#include <stdint.h>

#include "profiler/tree/fast_compare.h"

/* Fills what a comparison compares of its site at these levels, one enum fmt_widening an arg (NULL: none is widened):
 * the ops, of which there is room for as many as the site has, two for a return address, one for the call site and the
 * site's state words; how many there are; and which way they are compared. Nothing of that is set before. */
void prof_compare_fill_ops(struct prof_fast_compare *compare, const uint8_t *levels);

#endif
