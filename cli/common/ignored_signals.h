/*
 * Signals that would end this command without a word, and with it what it watches, where an error is told instead: of a
 * limit on the size of files (SIGXFSZ), and of a pipe that nobody reads any more (SIGPIPE).
 */
#ifndef CALLSIG_CLI_COMMON_IGNORED_SIGNALS_H
#define CALLSIG_CLI_COMMON_IGNORED_SIGNALS_H

#include <signal.h>

/* From now on the signal is ignored here: what would have raised it fails with its errno. Before there are threads. */
void cli_signal_ignore(int signal);

/* The signals that a program which is started has to have at their default again, as it has them without callsig. */
void cli_signals_defaults(sigset_t *signals);

/* The same, in the process that is about to become that program. Async-signal-safe. */
void cli_signals_reset(void);

#endif
