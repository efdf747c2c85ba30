/* The verdicts of a recording's pipelines, one after the other. */
#ifndef CALLSIG_OUTPUT_VERDICT_VERDICTS_H
#define CALLSIG_OUTPUT_VERDICT_VERDICTS_H

#include "output/verdict/forecast.h"

/* What is printed of one pipeline's verdict; `*stats` is NULL until the first that needs it, and loaded by that one. A
 * negative result ends it all. */
typedef int out_verdict_fn(void *data, const struct callsig_pipeline *pipeline, const struct out_bottleneck *bottleneck,
                           const struct out_forecast *forecast, struct callsig_stats **stats);

/* Calls `print` with `data` for each pipeline's verdict and its forecast, with `asked` as above. 0, a negative result
 * of `print`, or a negative errno after a message. */
int out_verdicts_each(const struct callsig_pipeline *pipeline, const struct base_vector *asked, out_verdict_fn *print,
                      void *data);

#endif
