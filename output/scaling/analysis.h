/*
 * What is said of a function: which of its arguments its time may follow, and the law that it does.
 */
#ifndef CALLSIG_OUTPUT_SCALING_ANALYSIS_H
#define CALLSIG_OUTPUT_SCALING_ANALYSIS_H

#include "output/scaling/choose.h"
#include "output/scaling/clock_near.h"
#include "output/scaling/samples.h"

/* An argument that takes fewer values, or whose largest is less than this many times its smallest, has no law. */
#define OUT_SCALING_VALUES 5u
#define OUT_SCALING_SPAN   4.0

/* Of fewer calls of one signature the longest is not left out: one that was disturbed counts. */
#define OUT_SCALING_TRIMMED 3

/* What stands for the calls of one signature. */
enum out_scaling_statistic {
  OUT_STATISTIC_TRIMMED, /* the mean without the longest call, of three and more; fewer, and recursive ones: the mean */
  OUT_STATISTIC_MEAN,
  OUT_STATISTIC_MINIMUM, /* the shortest call */
};

/* Which times are fitted. */
struct out_scaling_measure {
  bool
      own; /* the function's own time per call; otherwise with its callees, per outermost call. Own times have a MEAN */
  enum out_scaling_statistic statistic;
  struct out_scaling_clock clock;
};

/* Why an argument is a candidate or is none. */
enum out_scaling_use {
  OUT_USE_CANDIDATE,
  OUT_USE_ALIKE,    /* a candidate has the same values, or proportional ones, in every call */
  OUT_USE_CONSTANT, /* one value */
  OUT_USE_FEW,      /* fewer than OUT_SCALING_VALUES */
  OUT_USE_NARROW,   /* does not span OUT_SCALING_SPAN */
  OUT_USE_NEGATIVE, /* some value is below 0: no size */
  OUT_USE_MISSING, /* known in fewer than half of the calls that the candidates before it are known in, or only in calls
                      in which it or these have too few values */
  OUT_USE_WIDENED, /* the cardinality guard gave up its values */
  OUT_USE_TOO_MANY, /* there are OUT_LAW_CANDIDATES before it */
  OUT_USE_TEXT,     /* no number */
};

/* Why the law that fits best is none. */
enum out_scaling_doubt {
  OUT_DOUBT_NONE,
  OUT_DOUBT_ERROR,     /* its error is above OUT_SCALING_ERROR */
  OUT_DOUBT_SHARE,     /* its leading term makes up little more of the time than its error */
  OUT_DOUBT_FEW_CALLS, /* without the largest size, of which there are only a few calls, there is another law or none */
  OUT_DOUBT_CACHES,    /* the time grows by no more than caches make, and that of the shortest calls does not */
  OUT_DOUBT_APART,     /* the means grow apart from the shortest calls, which bear no law */
  OUT_DOUBT_DISTURBED, /* the shortest calls of the same sizes follow a law that grows less */
  OUT_DOUBT_CLOCK,     /* without the times near the clock's least there is no law, or too few times */
};

/* A law whose error is above 15 % is not borne by its points: the logarithm of 1.15. */
#define OUT_SCALING_ERROR 0.13976194237515868

struct out_scaling_role {
  enum out_scaling_use use;
  uint32_t candidate; /* CANDIDATE: its number; ALIKE: that of the candidate */
  double ratio;       /* ALIKE: to the candidate */
  uint32_t values;    /* different ones */
  double low, high;   /* smallest and largest */
};

enum out_scaling_kind {
  OUT_SCALING_LAW = OUT_CHOICE_LAW,
  OUT_SCALING_CONSTANT = OUT_CHOICE_CONSTANT,
  OUT_SCALING_NONE = OUT_CHOICE_NONE,
  OUT_SCALING_FEW,       /* not enough data */
  OUT_SCALING_NO_NUMBER, /* no argument is a number */
  OUT_SCALING_SHORT,     /* most times are below the clock's tick */
};

/* What is said of a function, or of those of its calls that have the same other arguments. Belongs to its analysis. */
struct out_scaling_finding {
  enum out_scaling_kind kind;
  struct out_choice verdict;    /* of LAW, CONSTANT and NONE */
  enum out_scaling_doubt doubt; /* of NONE: what is wrong with the verdict's law */
  const char *where;            /* "mode=FAST": what the calls have in common; NULL: all calls */
  uint32_t *rows;               /* of the samples */
  uint32_t row_count;
  uint32_t unknown, zero, bound; /* rows left out as a candidate is not known, as the time is 0; rows of upper bounds */
  uint32_t uncertain;            /* rows left out since too few of their calls were timed */
  struct out_scaling_role *roles; /* by argument of the samples */
  const char **names;             /* by candidate */
  uint32_t *candidates;           /* by candidate: the argument */
  struct out_points points;
  const double *calls;    /* by point: how many its time is the mean of */
  const double *shortest; /* by point: the shortest call; NULL where times are not trimmed means */
  struct out_law calm;    /* of DISTURBED: the law of the shortest calls */
  bool is_shortest;       /* of LAW: it is of the shortest calls, as the means are too far off it */
  double means_off;       /* then: by how much, as out_fit.left_out */
  double near;            /* seconds: shorter times decide no law: out_scaling_clock.near */
  uint32_t too_short;     /* points of such times, where the law is the one that they do not decide; else 0 */
  uint32_t strays;        /* rows left out as they are far off the law that all others follow */
};

struct out_scaling_analysis {
  const struct out_profile *profile;
  const struct out_scaling_samples *samples;
  struct out_scaling_measure measure;
  struct base_arena arena;
  struct base_vector
      findings; /* struct out_scaling_finding: one, or one for each of several values of other arguments */
};

/* 0 or -ENOMEM. Free in any case with out_scaling_analysis_free(). */
int out_scaling_analyse(const struct out_profile *profile, const struct out_scaling_samples *samples,
                        const struct out_scaling_measure *measure, struct out_scaling_analysis *analysis);
void out_scaling_analysis_free(struct out_scaling_analysis *analysis);

/* What becomes of waits for a processor in the times of recordings. */
enum out_scaling_waits {
  OUT_WAITS_NONE,      /* the clock stood still meanwhile */
  OUT_WAITS_TAKEN_OUT, /* as docs/times.md says: not always of the call that waited, so a shortest call may be too short
                        */
  OUT_WAITS_COUNT,     /* the clock went on */
};
enum out_scaling_waits out_scaling_waits(const struct out_profile *profile);

/* Seconds per call of a row; 0 when there is none: every call of it was inside another. */
double out_scaling_time(const struct out_scaling_measure *measure, const struct out_scaling_row *row);

#endif
