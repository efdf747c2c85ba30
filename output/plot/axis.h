/*
 * The axes of charts: where their ticks are, and in which unit they are written.
 */
#ifndef CALLSIG_OUTPUT_PLOT_AXIS_H
#define CALLSIG_OUTPUT_PLOT_AXIS_H

#include "output/text/text.h"

enum out_measure_unit { OUT_UNIT_COUNT, OUT_UNIT_SECONDS, OUT_UNIT_SHARE };

struct out_axis {
  double top, step;   /* from 0 to top, a tick each step */
  double factor;      /* of what is written to what is drawn */
  const char *suffix; /* behind each number */
  int decimals;
};

/* An axis that `most` fits on, with at most `ticks` steps. What is neither positive nor finite counts as nothing. */
struct out_axis out_axis_make(enum out_measure_unit unit, double most, unsigned ticks);

/* How many steps there are. */
unsigned out_axis_steps(const struct out_axis *axis);

/* The text of a tick. */
void out_axis_put(struct out_text *text, const struct out_axis *axis, double value);

#endif
