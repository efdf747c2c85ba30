/*
 * One chart: lines over time, with the bands of events behind them, as SVG.
 */
#ifndef CALLSIG_OUTPUT_PLOT_CHART_H
#define CALLSIG_OUTPUT_PLOT_CHART_H

#include "output/pipeline/course.h"
#include "output/plot/axis.h"

#define OUT_CHART_WIDTH  276
#define OUT_CHART_HEIGHT 132

enum { OUT_CHART_LINES = 3 };

struct out_chart_line {
  const struct out_series *series;
  unsigned measure;
  const char *name;   /* "p90" */
  const char *source; /* where a page finds the series: "intervals" or "over_time" */
};

struct out_chart {
  const char *title; /* "time of a task" */
  const char *label; /* of the stage or queue */
  enum out_series_kind kind;
  enum out_measure_unit unit;
  unsigned count;
  struct out_chart_line lines[OUT_CHART_LINES];
};

/* The time that all charts of a picture show, and what happened in it. */
struct out_chart_time {
  double start, end;               /* seconds since 1970 */
  const struct out_course *events; /* NULL: none */
  unsigned number;                 /* of the picture in its document */
};

/* Has it anything to draw? */
bool out_chart_is_filled(const struct out_chart *chart);

/* Puts the bands of all charts of a picture, which they refer to, inside of an <svg>. */
void out_chart_put_bands(struct out_text *text, const struct out_chart_time *time);

/* Puts it as an <svg> at a place. */
void out_chart_put(struct out_text *text, const struct out_chart *chart, const struct out_chart_time *time, unsigned x,
                   unsigned y);

#endif
