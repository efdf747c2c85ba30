/*
 * Stages, queues and events of a recording as metrics.
 */
#ifndef CALLSIG_OUTPUT_SERVE_METRICS_PIPELINE_H
#define CALLSIG_OUTPUT_SERVE_METRICS_PIPELINE_H

#include "output/pipeline/pipeline.h"
#include "output/serve/metrics_text.h"

/* Of stages, of queues and of events at most so many are told, by pipeline and index, or by first use: a metric says
 * how many were left out. */
enum { OUT_METRICS_MOST_PARTS = 256 };

void out_metrics_pipeline(const struct callsig_pipeline *pipeline, struct out_metrics_text *metrics);

#endif
