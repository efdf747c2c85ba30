/*
 * What `callsig top` looks at: the recording of a process or in a file, read anew at every look. The program does not
 * know of it.
 */
#ifndef CALLSIG_CLI_TOP_SOURCE_H
#define CALLSIG_CLI_TOP_SOURCE_H

#include <limits.h>
#include <sys/types.h>

#include "callsig/stats.h"
#include "cli/top/model.h"

/* What one look read. */
struct cli_top_kept {
  struct callsig_stats *stats; /* NULL: there was none. Owned */
  double at;                   /* as in the reading that is made of it */
};

struct cli_top_source {
  char path[PATH_MAX];
  char name[256];                      /* of the program, without its folders */
  unsigned pid;                        /* 0: not known */
  unsigned others;                     /* processes that it started and that run: their rows are among its own */
  unsigned by;                         /* enum callsig_stats_by */
  double began;                        /* when it began to count, seconds since 1970 */
  double elapsed;                      /* seconds from then until now, or the program's end */
  bool is_off;                         /* its recording is switched off */
  bool ended;                          /* it runs no more; the last look saw its last state */
  struct base_vector notes;            /* char *: lines on queues and on what bounds the pipelines. Owned */
  struct callsig_pipeline *before;     /* of the look before; NULL: none. Owned */
  struct cli_top_kept earlier, latest; /* the readings that rates are made of */
  unsigned looks;
};

/* Finds the recording: `what` is a file, or the number of a process that records; NULL: callsig.out. An exit status,
 * after a message where it is not CLI_EXIT_OK. */
int cli_top_source_open(struct cli_top_source *source, const char *what);
void cli_top_source_free(struct cli_top_source *source);

/* Reads what the recording has now. A reading whose moment is not later than that of the last takes its place. 0, or a
 * negative errno after a message. */
int cli_top_source_read(struct cli_top_source *source, struct cli_top_reading *reading);

/* The readings of the looks that are there once more, without a look: by the grouping `source->by`, and the earlier one
 * named as the latest is. `*count`: 1, only `now`; 2, `before` too. The same errors: then there is none. */
int cli_top_source_again(struct cli_top_source *source, struct cli_top_reading *before, struct cli_top_reading *now,
                         unsigned *count);

/* Writes a recording of what the program did until now. The same errors. */
int cli_top_source_save(const struct cli_top_source *source, const char *path);

#endif
