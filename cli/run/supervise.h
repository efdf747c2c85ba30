/* Runs a program as `env` would, but stays: hands signals on and waits. */
#ifndef CALLSIG_CLI_RUN_SUPERVISE_H
#define CALLSIG_CLI_RUN_SUPERVISE_H

#include <stdbool.h>
#include <sys/types.h>

/* Executes `path` with `argv` and `environment`, and waits for its end. A signal that another process sends to this one
 * is sent on; what the terminal sends reaches the program by itself. Where `is_bound` is
 * set the program is killed when this thread is gone. Stores its id and its status as wait() gives it.
 * Standard input and output are the program's from then on (cli_standard_files_let_go()).
 * `look`, when it is not NULL, is called with `data` when the program has started, and when it has ended and /proc
 * still has it. Returns 0, or the negative errno of starting it. Process-wide: it changes the handlers of signals until
 * it returns.
 */
int cli_supervise(const char *path, char *const argv[], char *const environment[], bool is_bound,
                  void (*look)(pid_t pid, void *data), void *data, pid_t *pid, int *status);

/* Last of all: the status that this process is to exit with. Where the terminal's key (Ctrl-C) has ended the program it
 * does not return: shells end what is interrupted only where the command has ended by the signal itself, too. Its
 * status is 128 and the signal's number for them as well. */
int cli_supervise_end(int status);

#endif
