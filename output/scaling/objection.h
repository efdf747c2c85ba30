/*
 * Why a time that varies has no law, in words.
 */
#ifndef CALLSIG_OUTPUT_SCALING_OBJECTION_H
#define CALLSIG_OUTPUT_SCALING_OBJECTION_H

#include "output/scaling/analysis.h"
#include "output/text/text.h"

/* Of a finding without a law that does not grow too fast for one. */
void out_scaling_put_doubt(struct out_text *text, const struct out_scaling_analysis *analysis,
                           const struct out_scaling_finding *finding);

#endif
