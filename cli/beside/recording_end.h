/* The recording of a process that has ended, opened to be added to. */
#ifndef CALLSIG_CLI_BESIDE_RECORDING_END_H
#define CALLSIG_CLI_BESIDE_RECORDING_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/recording.h"

/* Opens it for reading and writing, reads its header, and finds out where it ends: a multiple of 8. The file, to be
 * closed; -ENOENT when there is no recording of process `pid` at `path`, or the error of opening it. */
int cli_recording_end(const char *path, pid_t pid, struct fmt_rec_header *header, uint64_t *end);

/* Reads the bytes that the recording has at an address. */
bool cli_recording_read_at(int file, const struct fmt_rec_header *header, uint64_t address, void *bytes, size_t size);

/* Reads a name's text, with its final NUL, into `text`. False when there is none, or one that has no room. */
bool cli_recording_read_name(int file, const struct fmt_rec_header *header, uint64_t address, char *text, size_t size);

#endif
