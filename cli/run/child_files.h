/*
 * The recordings beside a run's own: PATH.PID and PATH.PID.N of the processes that its program started, and
 * PATH.family, which has those of them that were folded.
 */
#ifndef CALLSIG_CLI_RUN_CHILD_FILES_H
#define CALLSIG_CLI_RUN_CHILD_FILES_H

#include <stdbool.h>

#include "format/recording.h"

#define CLI_FAMILY_SUFFIX ".family"

/* A process's recording, open to read. */
struct cli_child_file {
  int folder;       /* that it lies in, open */
  const char *name; /* in it */
  int fd;
  bool has_ended; /* nobody writes to it: its lock was free; false where locks are not known */
  const struct fmt_rec_header *header;
};

/* Visits the recordings PATH.PID and PATH.PID.N of the process PID, in no order, until `visit` returns something else
 * than 0, which is returned; a negative errno when the folder cannot be read. `path` is absolute. */
int cli_child_files_each(const char *path, int (*visit)(const struct cli_child_file *file, void *data), void *data);

/* Is `name` that of such a recording of `base`? */
bool cli_child_files_is_name(const char *name, const char *base);

/* Removes the recordings that an earlier run at `path` left, as their headers tell, and that nobody writes to, so that
 * none of them passes for one of the run with this number. */
void cli_child_files_remove_older(const char *path, uint64_t run);

#endif
