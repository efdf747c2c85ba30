/*
 * Findings in words.
 */
#ifndef CALLSIG_OUTPUT_SCALING_WORDING_H
#define CALLSIG_OUTPUT_SCALING_WORDING_H

#include "output/scaling/analysis.h"
#include "output/text/text.h"

/* "law", "constant", "none", "not enough data", "no numbers", "too short": what the JSON calls it. */
const char *out_scaling_kind_name(enum out_scaling_kind kind);

/* "candidate", "alike", "constant", "few values", ...: what the JSON calls it. */
const char *out_scaling_use_name(enum out_scaling_use use);

/* "the shortest call of each signature": what stands for the calls of one, in words. */
const char *out_scaling_statistic_text(enum out_scaling_statistic statistic);

/* "trimmed", "mean" or "min". */
const char *out_scaling_statistic_name(enum out_scaling_statistic statistic);

/* "52.0 ns + 1.25 ns * n log n": the fitted times, without terms that make up next to nothing of them. */
void out_scaling_put_formula(struct out_text *text, const struct out_scaling_finding *finding);

/* "n = 16 .. 65536 (12 values), m = 4 .. 64 (5 values)": what the law was found over. */
void out_scaling_put_range(struct out_text *text, const struct out_scaling_analysis *analysis,
                           const struct out_scaling_finding *finding);

/* Why there is no law, for the kinds that have none. */
void out_scaling_put_reason(struct out_text *text, const struct out_scaling_analysis *analysis,
                            const struct out_scaling_finding *finding);

/* Gives each warning to `warn`, a sentence without newline, in `scratch`. 0, -ENOMEM or what `warn` returned. */
int out_scaling_warnings(const struct out_scaling_analysis *analysis, const struct out_scaling_finding *finding,
                         struct out_text *scratch, int (*warn)(const char *warning, void *data), void *data);

#endif
