/*
 * Figures as findings have them, in three digits.
 */
#ifndef CALLSIG_OUTPUT_SCALING_FIGURES_H
#define CALLSIG_OUTPUT_SCALING_FIGURES_H

#include "output/text/text.h"

/* Three digits of a value in [0.9995, 999.5). */
void out_scaling_put_three_digits(struct out_text *text, double value);

/* A time of at least 0 in the largest unit that it has at least one of, with three digits: "1.25 us". */
void out_scaling_put_time(struct out_text *text, double seconds);

/* A deviation of logarithms in per cent of the time: "3.1 %". */
void out_scaling_put_percent(struct out_text *text, double deviation);

/* A part of 1 in per cent, at most all of it. */
void out_scaling_put_share(struct out_text *text, double share);

#endif
