/*
 * Prometheus's text format, version 0.0.4, as it is written: families of samples, label values escaped, and counters
 * that never fall below what was written before. Its page: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#ifndef CALLSIG_OUTPUT_SERVE_METRICS_TEXT_H
#define CALLSIG_OUTPUT_SERVE_METRICS_TEXT_H

#include "base/vector.h"
#include "output/text/idset.h"
#include "output/text/text.h"

/* What counters were when they were written last. Zero-initialise; free with out_metric_memory_free(). */
struct out_metric_memory {
  struct base_vector list; /* struct out_metric_last */
  struct out_idset set;
};

struct out_metrics_text {
  struct out_text text;
  struct out_metric_memory *memory; /* borrowed */
  const char *family;               /* that samples are of */
  bool is_counter;
  struct out_text series, scratch; /* the sample that is being made */
};

void out_metrics_text_free(struct out_metrics_text *metrics);
void out_metric_memory_free(struct out_metric_memory *memory);

/* Begins a family: "gauge", "counter" or "histogram"; `name` and `help` are literals. */
void out_metric_family(struct out_metrics_text *metrics, const char *type, const char *name, const char *help);

/* A sample of the family: first its begin, with what follows the family's name ("", "_sum"), then its labels, then its
 * value. Label values are any bytes: what would not print and is no UTF-8 becomes \xNN. */
void out_metric_begin(struct out_metrics_text *metrics, const char *suffix);
void out_metric_label(struct out_metrics_text *metrics, const char *name, const char *value);
/* Of a counter, and of what a histogram counts, not less than the last time; not a number prints as NaN. */
void out_metric_end(struct out_metrics_text *metrics, double value);

/* Without memory for any of it: -ENOMEM, else 0. */
int out_metrics_text_result(const struct out_metrics_text *metrics);

#endif
