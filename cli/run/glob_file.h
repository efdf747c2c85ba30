/*
 * Lists of globs, one a line, as the options give them one by one or a file does all at once.
 */
#ifndef CALLSIG_CLI_RUN_GLOB_FILE_H
#define CALLSIG_CLI_RUN_GLOB_FILE_H

/* Appends a glob to the list, which is NULL while it is empty, and the caller's to free. 0 or -ENOMEM. */
int cli_glob_add(char **list, const char *glob);

/* Appends each line of the file, but empty ones and those that begin with '#'. A negative errno when it cannot be read,
 * holds a zero byte, or makes the list longer than the environment has room for. */
int cli_glob_file_read(const char *path, char **list);

#endif
