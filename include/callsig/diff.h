/*
 * callsig: compare recordings of two sides, an old one and a new one, row by row, and tell changes from noise.
 *
 * A callsig_diff object belongs to its caller and is used by one thread at a time; different objects are independent.
 * Functions that can fail return 0 or a negative errno after giving one clear line to the message callback, which is
 * that of callsig_stats_set_message(): -ENOMEM when memory is short, and what is said at each. Set `size` of a
 * structure before it is handed over; fields are only ever added at the end. A structure of a newer header is refused
 * (-EINVAL) when a field that this library does not know is not 0. docs/compare.md says how functions of two builds
 * meet, and how changes are judged.
 */
#ifndef CALLSIG_DIFF_H
#define CALLSIG_DIFF_H

#include "callsig/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct callsig_diff;

/* An object without recordings. */
CALLSIG_STATS_API int callsig_diff_new(struct callsig_diff **diff);

/* Frees the object; NULL is allowed. */
CALLSIG_STATS_API void callsig_diff_free(struct callsig_diff *diff);

enum callsig_diff_side { CALLSIG_DIFF_OLD, CALLSIG_DIFF_NEW };

/* Reads the recording at `path` as one run of a side; sides may come in any order. Errors as of callsig_stats_add();
 * -EINVAL for another side. A comparison that was made is given up. A file that cannot be opened or is no
 * recording leaves the object as it was; after an error on the way through it (-ENOMEM, -EIO) the object is good only
 * for callsig_diff_free(), and is not compared. */
CALLSIG_STATS_API int callsig_diff_add(struct callsig_diff *diff, enum callsig_diff_side side, const char *path);

/* What is judged of a row: the seconds of its calls themselves, those with callees, or tottime / ncalls. */
enum callsig_diff_metric { CALLSIG_DIFF_TOTTIME, CALLSIG_DIFF_CUMTIME, CALLSIG_DIFF_PERCALL };

/* How sides are compared; all zeros but for `size` is how `callsig diff` does. */
struct callsig_diff_options {
  size_t size;
  unsigned metric; /* enum callsig_diff_metric */
  unsigned by;     /* enum callsig_stats_by, what rows are by: function, signature, stage, module; 0: signature */
  double level;    /* the probability, of all rows together, that noise is called a change: below 1; 0: 0.05 */
  double min_time; /* seconds: rows with less of the metric on both sides are left out */
  const struct callsig_stats_filter *filter; /* which calls count, as of callsig_stats_filter(); NULL: all */
  int strip_dirs;                            /* as of callsig_stats_strip_dirs() */
  int compensate; /* 1: as callsig_stats_compensate(stats, 1); -1: as with 0; 0: as without a call of it */
};

/* Compares what was added; `options` may be NULL. It can be done again with others. Changes are judged when both sides
 * have two recordings or more that were all timed alike. Nothing of `options` is kept. -EINVAL for a side without
 * recordings, a grouping that two runs have not in common (thread, process, rank), a filter with a mistake, or a number
 * that makes no sense. After an error there is no comparison. */
CALLSIG_STATS_API int callsig_diff_compare(struct callsig_diff *diff, const struct callsig_diff_options *options);

/* Orders of rows; rows that are equal by it come by name. */
enum callsig_diff_sort {
  CALLSIG_DIFF_BY_CHANGE,   /* the largest change of the metric first, whatever its sign */
  CALLSIG_DIFF_BY_RELATIVE, /* the same as a part of the old value */
  CALLSIG_DIFF_BY_OLD,      /* the old metric, the largest first */
  CALLSIG_DIFF_BY_NEW,      /* the new metric, the largest first */
  CALLSIG_DIFF_BY_NCALLS,   /* calls of both sides together, the most first */
  CALLSIG_DIFF_BY_P,        /* the smallest probability first */
  CALLSIG_DIFF_BY_NAME,
  CALLSIG_DIFF_UNSORTED, /* in no order that means anything: the cheapest to walk over */
};

/* Which rows there are, and in which order; all zeros but for `size` is the default. */
struct callsig_diff_view {
  size_t size;
  unsigned sort; /* enum callsig_diff_sort */
  int all;       /* rows whose verdict is CALLSIG_DIFF_SAME, too */
  int has_limit; /* `limit` is given; else there is none */
  size_t limit;  /* rows at most: the first of the order */
};

/* From now on rows and prints are so, also after the next callsig_diff_compare(). `view` NULL is the default. -EINVAL
 * for an unknown order. After an error rows are as they were. */
CALLSIG_STATS_API int callsig_diff_arrange(struct callsig_diff *diff, const struct callsig_diff_view *view);

enum callsig_diff_verdict {
  CALLSIG_DIFF_SAME,     /* equal, or, when judged, not told from noise */
  CALLSIG_DIFF_SLOWER,   /* more of the metric, when judged */
  CALLSIG_DIFF_FASTER,   /* less of it */
  CALLSIG_DIFF_CHANGED,  /* another number of calls, and no change of the metric is told */
  CALLSIG_DIFF_ADDED,    /* no call on the old side */
  CALLSIG_DIFF_GONE,     /* no call on the new side */
  CALLSIG_DIFF_UNJUDGED, /* more or less of the metric, and nothing is judged */
};

/* "same", "slower", "faster", "changed", "new", "gone", "unjudged"; NULL for another number. Never freed. Any thread.
 */
CALLSIG_STATS_API const char *callsig_diff_verdict_name(unsigned verdict);

/* One row. Calls and times are means of a side's recordings, times in seconds; a recording without the row counts as
 * none. Strings belong to the object and live until it is compared again, added to or freed. */
struct callsig_diff_row {
  size_t size;
  const char *name; /* as tables have it: "file.c:12(scan(n=4096))" */
  const char *file; /* with the two below as the new side knows them; NULL where rows are not by function */
  unsigned line;
  const char *function;
  const char *signature; /* the printed text; NULL by function, and for calls recorded without */
  const char *stage;     /* its label, "-" outside of any; NULL where rows are not by stage */
  const char *module;    /* NULL where rows are not by module */
  unsigned verdict;      /* enum callsig_diff_verdict */
  double old_ncalls, old_tottime, old_cumtime;
  double new_ncalls, new_tottime, new_cumtime;
  double change;    /* of the metric, new - old, seconds */
  double relative;  /* the same as a part of the old one; INFINITY where that is 0 and the new one is not */
  double low, high; /* the confidence interval of `change`; like the next two NAN when nothing is judged; NAN alone
                       where a side has calls in one recording only, and the metric is by call */
  double p;         /* the probability of such a change if there were none */
  double adjusted;  /* the same, corrected for the number of rows */
};

/* Rows of the comparison in the current order; 0 before it was made. */
CALLSIG_STATS_API size_t callsig_diff_row_count(const struct callsig_diff *diff);
/* -EINVAL when there is no such row. */
CALLSIG_STATS_API int callsig_diff_row(struct callsig_diff *diff, size_t index, struct callsig_diff_row *row);

/* All rows together, those that are left out and not shown included; judged by tottime whatever the metric. */
struct callsig_diff_total {
  size_t size;
  unsigned old_recordings, new_recordings;
  int judged;      /* both sides have two recordings or more, and all were timed alike */
  size_t compared; /* rows, for whose number the probabilities are corrected */
  size_t left_out; /* rows below callsig_diff_options.min_time */
  unsigned verdict;
  double old_ncalls, old_tottime, new_ncalls, new_tottime;
  double change, relative, low, high, p; /* of tottime, as those of a row */
  uint64_t damaged;                      /* callsig_stats_damaged() of all recordings */
  /* How either side was timed, where the recordings' clocks are of different kinds, or calls of some were all timed
   * and of others at random, so that times tell nothing of the program; else NULL. It lives as long as strings of rows.
   */
  const char *timed_differently;
};
/* -EINVAL before the comparison was made. */
CALLSIG_STATS_API int callsig_diff_total(const struct callsig_diff *diff, struct callsig_diff_total *total);

/* Prints the rows of the current view, with what is known of all of them, as a table; as JSON ("callsig.diff/1"); as
 * CSV (RFC 4180), which has the rows alone. docs/compare.md describes all three. `out` is flushed. -EINVAL before the
 * comparison was made; -EIO when `out` cannot be written. */
CALLSIG_STATS_API int callsig_diff_print(const struct callsig_diff *diff, FILE *out);
CALLSIG_STATS_API int callsig_diff_print_json(const struct callsig_diff *diff, FILE *out);
CALLSIG_STATS_API int callsig_diff_print_csv(const struct callsig_diff *diff, FILE *out);

/* Writes all rows, whatever the view, and the trees of calls of both sides as a page for a browser, in one file that
 * asks nobody for anything; it appears at `path` when it is complete. -EINVAL before the comparison was made; the error
 * of writing it otherwise, after a message: -ELOOP for a symbolic link. */
CALLSIG_STATS_API int callsig_diff_write_html(struct callsig_diff *diff, const char *path);

#ifdef __cplusplus
}
#endif

#endif
