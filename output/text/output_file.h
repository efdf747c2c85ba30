/*
 * A file that is written whole or not at all.
 */
#ifndef CALLSIG_OUTPUT_TEXT_OUTPUT_FILE_H
#define CALLSIG_OUTPUT_TEXT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* A file on its way. Belongs to whoever opened it, from out_output_file_open() to out_output_file_close(). */
struct out_output_file {
  FILE *stream;
  const char *path; /* borrowed */
  char *temporary;  /* owned; NULL when the path is written directly: it is no regular file */
  bool is_unnamed;  /* nothing is called so until it is put in place */
  /* What lies at the path is this process's to replace, which may hold it itself: to be set before it is closed. */
  bool is_own_place;
};

/*
 * Opens what becomes `path`: a new file beside it, its owner's alone (0600) as the recording was that it is made of,
 * that takes its place when it is complete, and has no name before, where the file system can do that: what a kill
 * leaves then is at most one whole file, beside another that was to be replaced, until that is written again. A pipe or
 * device is written directly. A symbolic link is not followed: a link that somebody else made must not choose which
 * file is replaced.
 *
 * What is no recording takes no recording's place: what was measured cannot be made again.
 *
 * 0, or a negative errno after a message that names the path: -ELOOP for a symbolic link, -EISDIR for a folder, -EEXIST
 * for a recording.
 */
int out_output_file_open(struct out_output_file *file, const char *path);

/* The same for what is a recording itself, and may replace one. */
int out_output_file_open_recording(struct out_output_file *file, const char *path);

/*
 * Ends the file. `result` is how writing it went: 0, -EIO when its stream could not be written (and errno still says
 * why), or another negative errno that a message was given for. When it is 0 the file is flushed and put in place,
 * otherwise what was written is removed and whatever was at the path stays. When the disk has it is the system's to
 * choose, as of what is recorded: a power failure may take either. Returns `result`, or a negative errno after
 * a message when the file could not be completed: a full disk; -EBUSY where by now a program records at the path, or
 * will, which loses its recording to nobody.
 */
int out_output_file_close(struct out_output_file *file, int result);

#endif
