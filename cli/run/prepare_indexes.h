/* Before the program runs: the signature indexes of all the modules that it will start with. */
#ifndef CALLSIG_CLI_RUN_PREPARE_INDEXES_H
#define CALLSIG_CLI_RUN_PREPARE_INDEXES_H

#include "cli/run/libraries.h"
#include "cli/run/profiled_program.h"

/* Makes sure that the cache holds the index of the program and of each instrumented one of its libraries, compiled with
 * the rules file `rules` (NULL: none), with the functions that they import if
 * `library_calls`, with those told that the expression `below` is of (NULL: none is), and that every rule names
 * something. A module without names or debug information
 * is told of. When nothing is instrumented, that is an error, unless the program may yet load instrumented modules with
 * dlopen(). Returns 0, or a negative errno after a message. */
int cli_prepare_indexes(const struct cli_profiled_program *program, const struct cli_libraries *libraries,
                        const char *rules, bool library_calls, const char *below);

#endif
