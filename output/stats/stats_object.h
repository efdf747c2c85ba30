/*
 * The callsig_stats object as the files of output/ share it.
 */
#ifndef CALLSIG_OUTPUT_STATS_STATS_OBJECT_H
#define CALLSIG_OUTPUT_STATS_STATS_OBJECT_H

#include <math.h>

#include "callsig/stats.h"
#include "output/profile/profile.h"
#include "output/recording/recording.h"
#include "output/recording/taken_files.h"
#include "output/stats/columns.h"
#include "output/stats/compensate.h"
#include "output/stats/filter.h"
#include "output/stats/names.h"
#include "output/stats/row_errors.h"
#include "output/stats/row_sleep.h"
#include "output/stats/rows.h"
#include "output/stats/signature_merge.h"
#include "output/stats/sort.h"

/* From which recordings' times what the hooks cost is taken off. */
enum out_compensating {
  OUT_COMPENSATE_SAMPLED, /* from those in which not all calls were timed */
  OUT_COMPENSATE_NONE,
  OUT_COMPENSATE_ALL,
};

struct callsig_stats {
  struct out_profile profile;
  unsigned by; /* enum callsig_stats_by */
  bool strip_dirs;
  bool until_now; /* open calls of programs that run count until now */
  enum out_compensating compensating;
  unsigned frames; /* of call stacks that rows are by; 0: none */
  struct out_filter filter;
  uint32_t only_process; /* of profile.recordings, counted from 1: calls of its threads alone are counted; 0: of all */
  struct out_sort sort;
  struct callsig_stats_style style; /* its columns are read into `columns` */
  struct out_columns columns;

  /* What follows from the above, made when it is first asked for; out_stats_forget() gives it up. */
  bool grouped, built, prepared; /* all up to `selection` is there; up to `rows`; all is */
  struct out_grouping grouping;
  uint32_t *shown_function;
  struct out_callstacks callstacks;
  uint32_t *ranks; /* by rank: out_process_ranks(); else NULL */
  struct out_signature_merge signature_merge;
  struct out_compensation compensation;
  struct out_selection selection;
  struct out_rows rows;
  struct out_percentiles *percentiles; /* by row, NULL until out_stats_percentiles() made them */
  struct out_row_error *errors;        /* by row, NULL when all calls were timed */
  uint32_t errors_count;               /* of them: rows that are made later for callers have none */
  struct out_row_sleep *sleep;         /* by row, NULL where no recording tells of it */
  struct out_sleep_total all_sleep;    /* of all rows, where there is such a list */
  bool has_inclusive_sleep;            /* `sleep` tells of times with callees: out_stats_inclusive_sleep() */
  struct out_taken_files files;        /* recordings that were added */
  uint64_t damaged;                    /* records that are missing of damaged recordings */
  bool incomplete;                     /* reading a recording failed on the way: what is there is a part of it */
  uint32_t *order;                     /* rows with calls, sorted */
  bool has_asleep;                     /* the last of them are those of threads that only slept */
  uint32_t listed;                     /* of them */
  uint8_t *printed;                    /* by function: the table that was opened last has a row of it; NULL: none was */
  uint32_t printed_rows;               /* of that table */
  uint32_t printed_uncertain;          /* of these: struct out_row_error.is_uncertain */
  char **signatures;                   /* by row, NULL until callsig_stats_row() made it; in `texts` */
  char **callers, **sites;             /* the same of callers, and of where calls were made */
  struct base_arena texts;
  struct callsig_stats_total total;
};

/* Names are not shortened to less. */
#define OUT_NAME_WIDTH_LEAST 16u

/* The function that a row is of, as it is shown; FMT_NONE: of none. The rows must have been built. */
uint32_t out_stats_function(const struct callsig_stats *stats, const struct out_row_key *key);

/* An empty object with the default order and grouping. NULL when memory is short, after a message. */
struct callsig_stats *out_stats_new(void);

/* The finest tick of the recordings whose calls are counted, in seconds: what all others are scaled to. There is one.
 */
double out_stats_finest_tick(const struct callsig_stats *stats);

/* 0 when the object holds recordings, and each of them whole, else -EINVAL after a message. */
int out_stats_not_empty(const struct callsig_stats *stats);

/* Makes what calls are grouped and selected by when it is not there, without the rows. 0 or a negative errno after a
 * message. */
int out_stats_group(struct callsig_stats *stats);

/* Does the table count a part of the recordings' calls alone? */
static inline bool out_stats_is_filtered(const struct callsig_stats *stats)
{
  const struct out_filter *filter = &stats->filter;
  return stats->only_process > 0 || filter->function || filter->signature || filter->stage || filter->thread ||
         filter->module || filter->below || filter->depth > 0;
}

/* Are there signatures, where calls have been grouped, of which the filter's condition is neither true nor false? */
static inline bool out_stats_is_undecided(const struct callsig_stats *stats)
{
  return stats->selection.undecided > 0 || stats->selection.incomparable > 0;
}

/* Makes that and the rows when they are not there: in no order, and without their errors. 0 or a negative errno after a
 * message. */
int out_stats_build(struct callsig_stats *stats);

/* Makes that, errors and order when they are not there. 0 or a negative errno after a message. */
int out_stats_prepare(struct callsig_stats *stats);

/* Are times less than what the clock read, by what the hooks cost? */
bool out_stats_compensates(const struct callsig_stats *stats);

/* Is it told how much that was? What nobody asked for is told where it is to be seen at all. The rows have been built.
 */
bool out_stats_tells_compensation(const struct callsig_stats *stats);

/* How far the times of a row may be off; the object must be prepared. Of a function whose calls have no times that is
 * not known, and none of its calls is timed. */
struct out_row_error out_stats_error(const struct callsig_stats *stats, uint32_t row);

/* The caller of a listed row, NULL where it has none, without the rest of what callsig_stats_row() tells, for which
 * much may have to be worked out. Kept as long as the rows. 0, or a negative errno after a message. */
int out_stats_row_caller(struct callsig_stats *stats, size_t index, const char **caller);

/* May rows have errors, or calls without times? */
bool out_stats_has_errors(const struct callsig_stats *stats);

/* How much of the times of a row threads slept, as every format tells it: not known, with its error, where all of a
 * time may be off, as of a call that is open in a program that runs. The object must be prepared. */
struct out_row_sleep out_stats_sleep(const struct callsig_stats *stats, uint32_t row);

/* Makes what rows slept in the functions that they call, as it is asked for: 0 in `sleep` until then. The object must
 * be prepared. 0 or -ENOMEM after a message. */
int out_stats_inclusive_sleep(struct callsig_stats *stats);

/* Makes the rows' percentiles when they are not there and some recording has histograms. The object must be prepared. 0
 * or -ENOMEM after a message. */
int out_stats_percentiles(struct callsig_stats *stats);

/* Gives up rows and order: something that they follow from changed. */
void out_stats_forget(struct callsig_stats *stats);

/* What names are made of, for names.h. Valid while the rows are. */
struct out_names out_stats_names(const struct callsig_stats *stats);

/* Adds a recording that was read; takes it over. `now` may be NULL. */
int out_stats_take(struct callsig_stats *stats, struct out_recording *recording, const struct fmt_rec_clock_point *now);

/* A new object of a recording that was read; takes it over. `now` may be NULL. 0; or a negative errno after a message,
 * with `*stats` NULL. */
int out_stats_of_recording(struct out_recording *recording, const struct fmt_rec_clock_point *now,
                           struct callsig_stats **stats);

/* A new object of the recording in an open file, which `path` names in messages. `now` may be NULL. 0 or a negative
 * errno after a message. Of damage its caller tells. */
int out_stats_read_file(int file, const char *path, const struct fmt_rec_clock_point *now,
                        struct callsig_stats **stats);

#endif
