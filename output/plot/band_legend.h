/*
 * Which events the bands of a picture are: the first few by name have a colour each, and are named below the diagram.
 */
#ifndef CALLSIG_OUTPUT_PLOT_BAND_LEGEND_H
#define CALLSIG_OUTPUT_PLOT_BAND_LEGEND_H

#include "output/plot/chart.h"

enum { OUT_BAND_COLOURS = 4 };

/* Events by name, in the order in which they happened first; the last colour's number is that of all others. */
struct out_band_legend {
  const char *names[OUT_BAND_COLOURS];
  uint64_t counts[OUT_BAND_COLOURS + 1];
  unsigned count; /* of names */
};

/* `events` may be NULL: there are none. */
struct out_band_legend out_band_legend_make(const struct out_course *events);

/* The colour of an event: below OUT_BAND_COLOURS its own. */
unsigned out_band_colour(const struct out_band_legend *legend, const char *name);

/* Puts it as a line whose middle is at a height, from x to the right. Nothing where there are no events. */
void out_band_legend_put(struct out_text *text, const struct out_band_legend *legend, double x, double y);

#endif
