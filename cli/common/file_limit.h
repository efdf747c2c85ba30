/*
 * A limit on the size of files (RLIMIT_FSIZE) while this command writes: an error that is told, as a full disk is. By
 * itself SIGXFSZ ends a command without a word, and with it what it watches.
 */
#ifndef CALLSIG_CLI_COMMON_FILE_LIMIT_H
#define CALLSIG_CLI_COMMON_FILE_LIMIT_H

#include <signal.h>

/* From now on what is written beyond the limit fails with EFBIG. Once, when the command begins. */
void cli_file_limit_is_error(void);

/* The signals that a program which is started has to have at their default again, as it has them without callsig. */
void cli_file_limit_defaults(sigset_t *signals);

/* The same, in the process that is about to become that program. Async-signal-safe. */
void cli_file_limit_reset(void);

#endif
