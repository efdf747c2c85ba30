/*
 * The place of a run's recording, which is the run's from before its program starts until the command ends.
 *
 * An empty recording is laid there, with nothing in it but the run's number, and locked as whoever writes or awaits a
 * recording locks it (format/recording.h): no other run takes it away.
 */
#ifndef CALLSIG_CLI_RUN_RECORDING_PLACE_H
#define CALLSIG_CLI_RUN_RECORDING_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/recording.h"

struct cli_recording_place {
  char path[PATH_MAX]; /* absolute */
  uint64_t run;        /* the run's number, which the recordings of its processes have in their headers; never 0 */
  int fd;              /* of the file that lies there, held with its lock; -1: none */
};

/* Opens the regular file `path` in `folder` to read, never through a link, and reads what it has of a header; zeroes
 * otherwise. Returns the descriptor, or a negative errno: -EINVAL when it is no regular file. */
int cli_recording_open(int folder, const char *path, struct fmt_rec_header *header);

/* Does another hold the lock of this recording, who writes or awaits it? If not, it is this descriptor's from now on,
 * as far as the file system has locks. */
bool cli_recording_is_locked(int fd);

/* Is a recording written at `path`, or awaited there? What replaces the file then takes its name from it, and nobody
 * finds it any more. */
bool cli_recording_is_held(const char *path);

/* May a recording take the place `path`, where nothing lies, or an older one? Returns 0, after it was removed if
 * `removes` and nobody writes it; or a negative errno after a message. */
int cli_recording_make_way(const char *path, bool removes);

/* Takes the place `path`; an older recording there is removed. Returns 0; -EBUSY without a message when a recording is
 * written there, or awaited, with *writer the process (0: not known); or a negative errno after a message. */
int cli_recording_place_take(const char *path, struct cli_recording_place *place, uint32_t *writer);

/* The header of the recording that this run's program made in its place. Returns 0; -ENOENT when it made none; -ESTALE
 * when what lies there is another file by now; or a negative errno where that cannot be read. */
int cli_recording_place_header(const struct cli_recording_place *place, struct fmt_rec_header *header);

/* Did the runtime come for the place, whether it made a recording there or told why it could not? */
bool cli_recording_place_claimed(const struct cli_recording_place *place);

/* Is less there than was laid, so that somebody has cut it off since? */
bool cli_recording_place_was_cut(const struct cli_recording_place *place);

/* Tells the program, in its environment, where its recording goes and whose it is. 0 or -ENOMEM. */
int cli_recording_place_hand_over(const struct cli_recording_place *place);

/* Gives the place back: a recording stays, what was laid there for one that never came is removed. */
void cli_recording_place_leave(struct cli_recording_place *place);

#endif
