/*
 * The processes of a run as one recording.
 *
 * While the program runs, the recordings of processes that have ended are folded into PATH.family once they are many or
 * large, so that thousands of short processes leave few files and bytes: what was folded is removed when the new
 * PATH.family is there. That says of which files it was made, so that none counts twice where this command is killed in
 * between. When the program has ended, all becomes the run's own recording. What cannot be written is tried again, ever
 * more seldom, and at the end. A file PATH.family that is not this run's stays as it is: then all is folded at the end.
 */
#ifndef CALLSIG_CLI_RUN_FAMILY_H
#define CALLSIG_CLI_RUN_FAMILY_H

#include <stdbool.h>

#include "callsig/pipeline.h"
#include "cli/run/recording_place.h"
#include "cli/run/trigger_watch.h"

struct cli_family;

/* What became of the recordings of a run's processes. */
struct cli_family_end {
  unsigned processes; /* in the run's own recording and in `files` */
  unsigned apart;     /* recordings of processes that have ended, beside it */
  unsigned live;      /* processes that go on, and record beside it */
  bool is_doubtful;   /* of some process no recording could be made: those that go on may be of these */
  char **files;       /* what has all calls of processes that have ended. Owned */
  unsigned count;     /* of them */
};

/* Begins to fold, in a thread, what `monitor` and `triggers` (or NULL) have read; `apart`: nothing. NULL after a
 * message when memory is short. `place` has to stay, and both readers until cli_family_rest(). */
struct cli_family *cli_family_start(const struct cli_recording_place *place, struct callsig_monitor *monitor,
                                    struct cli_trigger_watch *triggers, bool apart);

/* Folds nothing more before the end. NULL is allowed. */
void cli_family_rest(struct cli_family *family);

/* Makes one recording of the run's processes, or with `apart` seals each, and frees the family, which may be NULL. What
 * cannot be folded stays as it is, after a message. cli_family_end_free() frees what is told of it. */
struct cli_family_end cli_family_finish(struct cli_family *family, bool apart);
void cli_family_end_free(struct cli_family_end *end);

#endif
