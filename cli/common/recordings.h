/*
 * The recordings that a command reads: which of its arguments they are, and what they hold, in one object.
 */
#ifndef CALLSIG_CLI_COMMON_RECORDINGS_H
#define CALLSIG_CLI_COMMON_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "callsig/stats.h"
#include "cli/common/subcommand.h"

/* What is read, and written, where no recording is named. */
#define CLI_DEFAULT_RECORDING "callsig.out"

/* Moves the recordings among the `count` arguments to the front, in order. Returns how many they are: an argument that
 * names an existing file is a recording. */
size_t cli_recordings_to_front(char **arguments, size_t count);

/* Adds the recordings, of whatever order: where one of a whole run is among them, those that it was made of, and that
 * were left beside it, are left out. 0 or a negative errno after a message. */
int cli_recordings_add(struct callsig_stats *stats, char *const *recordings, size_t count);

/* Is the recording there that is read where none is named? If not, a message says so. */
bool cli_recordings_have_default(const struct cli_command *command);

/* Loads `count` recordings into one object, or the default one when there are none; of programs that run still, as of
 * now. `others` arguments follow them, which are restrictions: one that is named as recordings are is told to be
 * missing, and taken for no restriction. Returns an exit status; *stats is the caller's to free. */
int cli_recordings_load(const struct cli_command *command, char **recordings, size_t count, size_t others,
                        struct callsig_stats **stats);

/* The same of a command without restrictions, with the recordings' timelines if that is asked for. */
int cli_recordings_load_all(const struct cli_command *command, char **recordings, size_t count, bool timeline,
                            struct callsig_stats **stats);

/* After what was asked for was shown: says of each restriction that may have been meant as a file, and is in no row's
 * name, that it names no file. */
void cli_recordings_tell_unfound(const struct cli_command *command, struct callsig_stats *stats, char **restrictions,
                                 size_t count);

/* The exit status of a command that did what it was asked for: a failure where the recordings are damaged, as whatever
 * was shown lacks something. A message said so when they were loaded. */
int cli_recordings_status(const struct callsig_stats *stats);

#endif
