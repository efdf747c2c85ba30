/*
 * Text files that a user names: rules, lists of globs.
 */
#ifndef CALLSIG_SYMBOLS_BASE_TEXT_FILE_H
#define CALLSIG_SYMBOLS_BASE_TEXT_FILE_H

#include <stdio.h>

/* Opens a file, or a pipe that somebody writes to (the shell's <(COMMAND)), for reading: *file is closed by fclose().
 * Never waits for a writer. -EISDIR for a folder, -ENXIO for what else is no text: devices, sockets, and pipes that
 * nobody writes to; or the error of opening it. */
int sym_text_file_open(const char *path, FILE **file);

/* What the error of opening one means, for a message: "it is a FIFO that nobody writes to, a socket or a device". */
const char *sym_text_file_problem(int error);

#endif
