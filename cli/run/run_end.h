/* What is said when the profiled program has ended. */
#ifndef CALLSIG_CLI_RUN_RUN_END_H
#define CALLSIG_CLI_RUN_RUN_END_H

#include "cli/run/family.h"

/* Prints the table of all processes on stderr, ordered by `sort`. */
void cli_run_end_print_table(const struct cli_family_end *end, const char *sort);

/* Says why there is no recording at `output`; `status` is the program's, as wait() gives it. */
void cli_run_end_explain_nothing(const char *output, int status);

/* Tells of the processes that the program started; `output` is the recording's path, as it is shown. */
void cli_run_end_tell(const struct cli_family_end *end, const char *output);

#endif
