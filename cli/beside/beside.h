/* `callsig run --beside`: the times of a run without hooks for the counts and signatures of the one with them. */
#ifndef CALLSIG_CLI_BESIDE_BESIDE_H
#define CALLSIG_CLI_BESIDE_BESIDE_H

#include <sys/types.h>

struct cli_beside;

/* Keeps the environment and the standard files as they are, for the second run of `program`, or a run of `plain`,
 * another build of it. Returns 0, or a negative errno after a message: where `plain` cannot be run, and where `program`
 * would record itself. */
int cli_beside_open(struct cli_beside **beside, const char *program, const char *plain);

/* When the first run has ended with `status` (as wait() gives it) as process `pid`, whose recording is at `output`:
 * runs the program again with `argv`, and adds its samples to the recording. Returns 0, or a negative errno after a
 * message; the recording is then as it was. */
int cli_beside_run(struct cli_beside *beside, char **argv, const char *output, pid_t pid, int status);

/* NULL is nothing. */
void cli_beside_free(struct cli_beside *beside);

#endif
