/*
 * What is said of a function: which of its arguments its time may follow, and the law that it does.
 */
#ifndef CALLSIG_OUTPUT_SCALING_ANALYSIS_H
#define CALLSIG_OUTPUT_SCALING_ANALYSIS_H

#include "choose.h"
#include "samples.h"

/* An argument that takes fewer values, or whose largest is less than this many times its smallest, has no law. */
#define CS_SCALING_VALUES 5u
#define CS_SCALING_SPAN   4.0

/* What stands for the calls of one signature. */
enum cs_scaling_statistic {
  CS_STATISTIC_TRIMMED, /* the mean without the longest call, of three and more; fewer, and recursive ones: the mean */
  CS_STATISTIC_MEAN,
  CS_STATISTIC_MINIMUM, /* the shortest call */
};

/* Which times are fitted. */
struct cs_scaling_measure {
  bool
      own; /* the function's own time per call; otherwise with its callees, per outermost call. Own times have a MEAN */
  enum cs_scaling_statistic statistic;
};

/* Why an argument is a candidate or is none. */
enum cs_scaling_use {
  CS_USE_CANDIDATE,
  CS_USE_ALIKE,    /* a candidate has the same values, or proportional ones, in every call */
  CS_USE_CONSTANT, /* one value */
  CS_USE_FEW,      /* fewer than CS_SCALING_VALUES */
  CS_USE_NARROW,   /* does not span CS_SCALING_SPAN */
  CS_USE_NEGATIVE, /* some value is below 0: no size */
  CS_USE_MISSING,  /* not known in half of the calls that the candidates before it are known in */
  CS_USE_WIDENED,  /* the cardinality guard gave up its values */
  CS_USE_TOO_MANY, /* there are CS_LAW_CANDIDATES before it */
  CS_USE_TEXT,     /* no number */
};

struct cs_scaling_role {
  enum cs_scaling_use use;
  uint32_t candidate; /* CANDIDATE: its number; ALIKE: that of the candidate */
  double ratio;       /* ALIKE: to the candidate */
  uint32_t values;    /* different ones */
  double low, high;   /* smallest and largest */
};

enum cs_scaling_kind {
  CS_SCALING_LAW = CS_CHOICE_LAW,
  CS_SCALING_CONSTANT = CS_CHOICE_CONSTANT,
  CS_SCALING_NONE = CS_CHOICE_NONE,
  CS_SCALING_FEW,       /* not enough data */
  CS_SCALING_NO_NUMBER, /* no argument is a number */
  CS_SCALING_SHORT,     /* most times are below the clock's tick */
};

/* What is said of a function, or of those of its calls that have the same other arguments. Belongs to its analysis. */
struct cs_scaling_finding {
  enum cs_scaling_kind kind;
  struct cs_choice verdict; /* of LAW, CONSTANT and NONE */
  const char *where;        /* "mode=FAST": what the calls have in common; NULL: all calls */
  uint32_t *rows;           /* of the samples */
  uint32_t row_count;
  uint32_t unknown, zero, bound; /* rows left out as a candidate is not known, as the time is 0; rows of upper bounds */
  struct cs_scaling_role *roles; /* by argument of the samples */
  const char **names;            /* by candidate */
  uint32_t *candidates;          /* by candidate: the argument */
  struct cs_points points;
};

struct cs_scaling_analysis {
  const struct cs_profile *profile;
  const struct cs_scaling_samples *samples;
  struct cs_scaling_measure measure;
  struct cs_arena arena;
  struct cs_vector findings; /* struct cs_scaling_finding: one, or one for each of several values of other arguments */
};

/* 0 or -ENOMEM. Free in any case with cs_scaling_analysis_free(). */
int cs_scaling_analyse(const struct cs_profile *profile, const struct cs_scaling_samples *samples,
                       const struct cs_scaling_measure *measure, struct cs_scaling_analysis *analysis);
void cs_scaling_analysis_free(struct cs_scaling_analysis *analysis);

/* Seconds per call of a row; 0 when there is none: every call of it was inside another. */
double cs_scaling_time(const struct cs_scaling_measure *measure, const struct cs_scaling_row *row);

#endif
