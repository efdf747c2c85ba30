/*
 * How wide text is on a terminal, and lines made short enough for one.
 */
#ifndef CALLSIG_OUTPUT_WIDTH_H
#define CALLSIG_OUTPUT_WIDTH_H

#include <locale.h>

#include "text.h"

/* Knows how wide characters are: 2 cells for those of East Asian width, 0 for combining ones. */
struct cs_width {
  locale_t locale; /* (locale_t)0: every character counts as 1 */
};

/* Never fails: without the C library's C.UTF-8 every character is 1 wide. Free with cs_width_free(). */
void cs_width_init(struct cs_width *width);
void cs_width_free(struct cs_width *width);

/* Cells that printing UTF-8 text takes. Escape sequences of colours take none. */
size_t cs_width_of(const struct cs_width *width, const char *text, size_t length);

/* Cuts a line that takes more than `limit` cells, so that it ends in "..." and takes at most that many. */
void cs_width_shorten(const struct cs_width *width, struct cs_text *line, size_t limit);

#endif
