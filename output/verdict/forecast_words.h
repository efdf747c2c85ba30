/*
 * What is predicted of a pipeline, said in words and as JSON: docs/json.md.
 */
#ifndef CALLSIG_OUTPUT_VERDICT_FORECAST_WORDS_H
#define CALLSIG_OUTPUT_VERDICT_FORECAST_WORDS_H

#include "output/text/json_writer.h"
#include "output/text/text.h"
#include "output/verdict/forecast.h"

/* The line of twice its concurrency, where the verdict is on a stage; and what would help, or why it is not told. */
void out_put_doubling(struct out_text *text, const struct out_bottleneck *bottleneck,
                      const struct out_forecast *forecast);
void out_put_help(struct out_text *text, const struct out_bottleneck *bottleneck, const struct out_forecast *forecast);

/* Writes the keys "doubling_gain", "doubling_promised", "not_seen", "then" and "what_would_help" of a map that is open.
 */
void out_write_forecast(struct out_json *json, const struct out_bottleneck *bottleneck,
                        const struct out_forecast *forecast);

#endif
