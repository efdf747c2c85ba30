/*
 * The object behind callsig_plot_*() of callsig/pipeline.h: the pictures of a document, and the two forms of it.
 */
#ifndef CALLSIG_OUTPUT_PLOT_PLOT_H
#define CALLSIG_OUTPUT_PLOT_PLOT_H

#include "output/plot/picture.h"

/* More points than this a line does not have: neighbours are joined, which the picture says. */
enum { OUT_PLOT_POINTS = 1000 };

struct callsig_plot {
  struct base_vector pictures; /* struct out_picture */
  bool filled;
};

static inline struct out_picture *out_picture_at(const struct callsig_plot *plot, uint32_t index)
{
  return base_vector_at(&plot->pictures, index);
}

/* Adds what a recording has of stages and queues, which may be nothing. 0 or a negative errno after a message. */
int out_plot_take_recording(struct callsig_plot *plot, const char *path);

/* Joins what was added and finds what is to be drawn. 0, or a negative errno after a message: -ENODATA for nothing. */
int out_plot_fill(struct callsig_plot *plot);

/* What html_document.c is made of: the pictures, one article each, and a script element of the data behind them, which
 * is called `id`. 0 or -ENOMEM after a message. */
void out_plot_put_pictures(struct out_text *text, const struct callsig_plot *plot);
int out_plot_put_data(struct out_text *text, const struct callsig_plot *plot, const char *id);

/* Append the document. html_document.c gives 0 or -ENOMEM after a message; the other says by `failed` of the text. */
void out_plot_put_svg(struct out_text *text, const struct callsig_plot *plot);
int out_plot_put_html(struct out_text *text, const struct callsig_plot *plot);

#endif
