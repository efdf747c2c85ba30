/*
 * Rows of a database that make one point of a series: one interval, or several neighbours.
 */
#ifndef CALLSIG_OUTPUT_MONITOR_JOINED_POINT_H
#define CALLSIG_OUTPUT_MONITOR_JOINED_POINT_H

#include "output/pipeline/course.h"

enum { OUT_MOST_TIMES = 6 }; /* what a row has of times */

/* A row: what is not known is NAN or NULL. */
struct out_interval_row {
  double from, until, elapsed;
  double counts[2];             /* tasks and failures; items and puts */
  double occupancy;             /* of a queue */
  double times[OUT_MOST_TIMES]; /* mean, p50, p90, p99; mean put, mean get, p90 and p99 of put, of get */
  double tick;                  /* of the histograms */
  const void *histograms[2];    /* of tasks; of puts and gets */
  size_t sizes[2];
};

struct out_joined_point {
  bool is_queue;
  uint32_t rows;
  struct out_interval_row sum;  /* times are the largest, means and occupancy weighted sums */
  struct out_interval_row only; /* the first row */
  double weights[2];            /* of the means */
  bool exact;                   /* all rows had histograms, of one tick */
  struct out_histogram histograms[2];
};

/* Adds a row. 0 or -ENOMEM. */
int out_joined_point_add(struct out_joined_point *joined, const struct out_interval_row *row);

/* The point that its rows make: sums, weighted means, and the percentiles of all of their tasks or waits where
 * histograms tell them, else the largest of the rows'. The next row begins another. 0 or -ENOMEM. */
int out_joined_point_end(struct out_joined_point *joined, struct out_series *series);

void out_joined_point_free(struct out_joined_point *joined);

#endif
