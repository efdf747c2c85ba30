/* Library calls as rows: where they cannot be had, and what the program's environment says of them. */
#ifndef CALLSIG_CLI_RUN_LIBRARY_CALLS_H
#define CALLSIG_CLI_RUN_LIBRARY_CALLS_H

#include <stdbool.h>

#include "cli/common/subcommand.h"
#include "cli/run/profiled_program.h"

/* What the options asked for. */
struct cli_library_calls {
  char *globs; /* one a line; NULL: none. Owned */
  bool alloc;
};

/* Adds what an option says: --library-calls, of all functions when `glob` is NULL, which then counts what they ask the
 * allocator for as well; or --alloc, which takes the allocator's functions for that. 0, or a negative errno after a
 * message. */
int cli_library_calls_add(struct cli_library_calls *calls, bool is_alloc, const char *glob);

/* Are calls counted, as the options or the environment ask for? */
bool cli_library_calls_wanted(const struct cli_library_calls *calls);

/* Tells the program of them by its environment. 0, or a negative errno. */
int cli_library_calls_set(const struct cli_library_calls *calls);

/* Checks the options: nobody asked where there are no globs. CLI_EXIT_OK, or CLI_EXIT_USAGE after a message. */
int cli_library_calls_check(const struct cli_command *command, const struct cli_library_calls *calls, bool beside);

/* Refuses a program that has the runtime linked into it. 0, or -EINVAL after a message. */
int cli_library_calls_refuse(const struct cli_profiled_program *program);

#endif
