/*
 * How wide text is on a terminal, and lines made short enough for one.
 */
#ifndef CALLSIG_OUTPUT_TEXT_WIDTH_H
#define CALLSIG_OUTPUT_TEXT_WIDTH_H

#include <locale.h>

#include "output/text/text.h"

/* Knows how wide characters are: 2 cells for those of East Asian width, 0 for combining ones. */
struct out_width {
  locale_t locale; /* (locale_t)0: every character counts as 1 */
};

/* Never fails: without the C library's C.UTF-8 every character is 1 wide. Free with out_width_free(). */
void out_width_init(struct out_width *width);
void out_width_free(struct out_width *width);

/* Cells that printing UTF-8 text takes. Escape sequences of colours take none. */
size_t out_width_of(const struct out_width *width, const char *text, size_t length);

/* Cuts a line that takes more than `limit` cells, so that it ends in "..." and takes at most that many. */
void out_width_shorten(const struct out_width *width, struct out_text *line, size_t limit);

#endif
