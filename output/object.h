/*
 * The callsig_stats object as the files of output/ share it.
 */
#ifndef CALLSIG_OUTPUT_OBJECT_H
#define CALLSIG_OUTPUT_OBJECT_H

#include "callsig/stats.h"
#include "columns.h"
#include "compensate.h"
#include "filter.h"
#include "names.h"
#include "profile.h"
#include "recording.h"
#include "rows.h"
#include "sort.h"
#include "widen.h"

struct callsig_stats {
  struct cs_profile profile;
  unsigned by; /* enum callsig_stats_by */
  bool strip_dirs, compensating;
  unsigned frames; /* of call stacks that rows are by; 0: none */
  struct cs_filter filter;
  uint32_t only_process; /* of profile.recordings, counted from 1: calls of its threads alone are counted; 0: of all */
  struct cs_sort sort;
  struct callsig_stats_style style; /* its columns are read into `columns` */
  struct cs_columns columns;

  /* What follows from the above, made when it is first asked for; cs_stats_forget() gives it up. */
  bool grouped, prepared; /* all up to `selection` is there; all is */
  struct cs_grouping grouping;
  uint32_t *shown_function;
  struct cs_callstacks callstacks;
  uint32_t *ranks; /* by rank: cs_process_ranks(); else NULL */
  struct cs_meeting meeting;
  struct cs_compensation compensation;
  struct cs_selection selection;
  struct cs_rows rows;
  struct cs_percentiles *percentiles; /* by row, NULL until cs_stats_percentiles() made them */
  uint32_t *order;                    /* rows with calls, sorted */
  uint32_t listed;                    /* of them */
  char **signatures;                  /* by row, NULL until callsig_stats_row() made it; in `texts` */
  struct cs_arena texts;
  struct callsig_stats_total total;
};

/* An empty object with the default order and grouping. 0 or -ENOMEM after a message. */
int cs_stats_new(struct callsig_stats **stats);

/* Makes what calls are grouped and selected by when it is not there, without the rows. 0 or a negative errno after a
 * message. */
int cs_stats_group(struct callsig_stats *stats);

/* Makes that, rows and order when they are not there. 0 or a negative errno after a message. */
int cs_stats_prepare(struct callsig_stats *stats);

/* Makes the rows' percentiles when they are not there and some recording has histograms. The object must be prepared. 0
 * or -ENOMEM after a message. */
int cs_stats_percentiles(struct callsig_stats *stats);

/* Gives up rows and order: something that they follow from changed. */
void cs_stats_forget(struct callsig_stats *stats);

/* What names are made of, for names.h. Valid while the rows are. */
struct cs_names cs_stats_names(const struct callsig_stats *stats);

/* Adds a recording that was read; takes it over. `now` may be NULL. */
int cs_stats_take(struct callsig_stats *stats, struct cs_recording *recording, const struct cs_rec_clock_point *now);

/* A new object of the recording in an open file, which `path` names in messages. `now` may be NULL. 0 or a negative
 * errno after a message. */
int cs_stats_read_file(int file, const char *path, const struct cs_rec_clock_point *now, struct callsig_stats **stats);

#endif
