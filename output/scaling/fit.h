/*
 * One law fitted to points: the coefficients for which the logarithms of the times are nearest.
 *
 * Times spread over decades and their noise is a share of them, so a point's deviation is log(time / law): 10 % count
 * the same at n = 16 and at n = 65536. Deviations beyond 1.345 scales count by their size instead of their square (P.
 * Huber, Robust Estimation of a Location Parameter, 1964), so that a call that was interrupted bends nothing.
 */
#ifndef CALLSIG_OUTPUT_SCALING_FIT_H
#define CALLSIG_OUTPUT_SCALING_FIT_H

#include "output/scaling/law.h"

/* What laws are fitted to. Times are seconds above 0; weights have the mean 1. */
struct out_points {
  uint32_t count, candidates;
  const double *values; /* by point, then by candidate */
  const double *times, *weights;
};

/* Deviations are not told apart below this: timings repeat no better. */
#define OUT_FIT_RESOLUTION 0.02

struct out_fit {
  struct out_law law;
  double coefficients[1 + OUT_LAW_TERMS]; /* seconds; the constant first */
  double score; /* corrected Akaike information criterion: lower is better (K. Burnham, D. Anderson: Model Selection and
                   Multimodel Inference, 2nd ed. 2002) */
  double deviation; /* root of the mean robust square of log(time / law) */
  double median;    /* median of |log(time / law)| */
  double left_out;  /* the same with each point predicted by the others alone */
  double explained; /* adjusted R^2 of the logarithms of the times, by the points\' weights */
  double share;     /* the least, over leading terms, of what the term makes up of the time at three points and more */
  double shares[1 + OUT_LAW_TERMS]; /* by coefficient: the most that its term makes up of the time at any point */
  double growth;                    /* largest fitted time by the smallest */
};

/* Room for fitting; made for points, free with out_fit_room_free(). */
struct out_fit_room {
  double *columns, *matrix, *right, *fitted, *deviations, *sorted;
};

int out_fit_room_make(struct out_fit_room *room, uint32_t points);
void out_fit_room_free(struct out_fit_room *room);

/* Steps that find the best laws, and that find the coefficients of one. */
#define OUT_FIT_ROUGH 12u
#define OUT_FIT_FULL  60u

/* Fits `law`. `scale` is the size of usual deviations, above 0; at most `steps` steps are taken. -EDOM when the points
 * do not determine it, or when what fits is no law: a leading coefficient that is not positive, a time that is not. */
int out_fit(const struct out_points *points, const struct out_law *law, double scale, uint32_t steps,
            struct out_fit_room *room, struct out_fit *fit);

/* The fitted time at `values`. */
double out_fit_at(const struct out_fit *fit, const double *values);

#endif
