/* What pictures write as text: numbers of pixels, and names that may be long. */
#ifndef CALLSIG_OUTPUT_PLOT_SVG_TEXT_H
#define CALLSIG_OUTPUT_PLOT_SVG_TEXT_H

#include <stddef.h>

#include "output/text/text.h"

/* A number of pixels, to the hundredth, behind a text. */
void out_put_pixels(struct out_text *text, const char *before, double value);

/* A text where XML has one, cut to `most` characters. */
void out_put_cut(struct out_text *text, const char *string, size_t most);

#endif
