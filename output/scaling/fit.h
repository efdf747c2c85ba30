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

/* Room for fitting, and what all laws of the same points share; free with out_fit_room_free(). */
struct out_fit_room {
  double *columns, *matrix, *right, *fitted, *deviations, *sorted;
  double *times;      /* by point: the logarithm of its time */
  double *ones;       /* by point: 1 */
  double *logarithms; /* by candidate, then by point: that of its value */
};

/* 0 or -ENOMEM. The room is of these points alone. */
int out_fit_room_make(struct out_fit_room *room, const struct out_points *points);
void out_fit_room_free(struct out_fit_room *room);

/* Steps that find the best laws, and that find the coefficients of one. */
#define OUT_FIT_ROUGH 12u
#define OUT_FIT_FULL  60u

/*
 * Fits `law`. `scale` is the size of usual deviations, above 0; at most `steps` steps are taken. A law whose loss stays
 * above `most` is given up as soon as its steps gain too little for that: INFINITY fits any.
 *
 * -EDOM when the points do not determine the law, or when what fits is none: a leading coefficient that is not
 * positive, a time that is not. -ERANGE when it was given up.
 */
int out_fit(const struct out_points *points, const struct out_law *law, double scale, uint32_t steps, double most,
            struct out_fit_room *room, struct out_fit *fit);

/* The loss at which a law of these points has this score, and that at which it has this deviation. */
double out_fit_loss_of_score(const struct out_points *points, const struct out_law *law, double score);
double out_fit_loss_of_deviation(const struct out_points *points, double deviation);

/* The fitted time at `values`. */
double out_fit_at(const struct out_fit *fit, const double *values);

#endif
