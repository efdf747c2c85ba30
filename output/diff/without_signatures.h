/*
 * Whether one side of a comparison was recorded without signatures: its rows then meet none of the other side's.
 */
#ifndef CALLSIG_OUTPUT_DIFF_WITHOUT_SIGNATURES_H
#define CALLSIG_OUTPUT_DIFF_WITHOUT_SIGNATURES_H

#include "output/diff/comparison.h"

/* "old" or "new": where rows are by signature, the side of which no call has one while calls of the other have. NULL:
 * neither. */
const char *out_diff_without_signatures(const struct out_diff *diff);

#endif
