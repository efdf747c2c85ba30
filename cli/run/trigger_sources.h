/*
 * The recordings that triggers are watched for in: the run's own, and those of processes that its program starts.
 */
#ifndef CALLSIG_CLI_RUN_TRIGGER_SOURCES_H
#define CALLSIG_CLI_RUN_TRIGGER_SOURCES_H

#include <sys/types.h>

#include "cli/run/recording_place.h"
#include "cli/run/span_rings.h"

/* Of which triggers calls of an edge may be: one bit each, cleared once it is known that they are not. */
struct cli_known_edge {
  uint64_t edge;
  uint32_t triggers;
};

struct cli_trigger_source {
  struct cli_span_rings rings;
  struct base_vector known; /* struct cli_known_edge, until threads are folded */
  uint32_t folds;
  dev_t device;
  ino_t inode;
  char *path;     /* owned; NULL: the run's own */
  bool is_there;  /* it was, when recordings were looked for last */
  bool has_ended; /* nobody writes to it any more */
  bool is_done;   /* all of it was looked at, which whoever does that says */
};

struct cli_trigger_sources {
  const struct cli_recording_place *place; /* borrowed */
  struct base_vector list;                 /* struct cli_trigger_source, the run's own first */
  bool was_told;                           /* that not all processes are watched */
};

/* Begins with the run's own recording. 0 or -ENOMEM. */
int cli_trigger_sources_open(struct cli_trigger_sources *sources, const struct cli_recording_place *place);
void cli_trigger_sources_close(struct cli_trigger_sources *sources);

static inline struct cli_trigger_source *cli_trigger_source_at(const struct cli_trigger_sources *sources,
                                                               uint32_t number)
{
  return base_vector_at(&sources->list, number);
}

/* Looks for processes that began or ended since the last time. What cannot be watched is told of once. */
void cli_trigger_sources_find(struct cli_trigger_sources *sources);

/* Forgets recordings that are gone and done. Those that are kept may have another number then. */
void cli_trigger_sources_drop(struct cli_trigger_sources *sources);

/* The header of a recording as it is now. False: there is none yet. */
bool cli_trigger_source_header(const struct cli_trigger_sources *sources, const struct cli_trigger_source *source,
                               struct fmt_rec_header *header);

/* Loads the recording as it is now, with its timeline. NULL after a message. */
struct callsig_stats *cli_trigger_source_load(const struct cli_trigger_sources *sources,
                                              const struct cli_trigger_source *source);

#endif
