/*
 * The frame of every page that callsig writes: one file that asks nobody for anything, whose policy lets its own parts
 * run and no other.
 */
#ifndef CALLSIG_OUTPUT_PLOT_PAGE_H
#define CALLSIG_OUTPUT_PLOT_PAGE_H

#include "output/text/text.h"

/* What a page is made of beside its contents: made of files of output/html when callsig is built. */
struct out_page_parts {
  const char *title; /* as HTML has it */
  const char *policy;
  const char *styles[3], *scripts[2];
};

/* Everything up to the contents, and everything behind them. */
void out_page_begin(struct out_text *text, const struct out_page_parts *parts);
void out_page_end(struct out_text *text, const struct out_page_parts *parts);

#endif
