/* What is said when the profiled program has ended. */
#ifndef CALLSIG_CLI_RUN_RUN_END_H
#define CALLSIG_CLI_RUN_RUN_END_H

#include "cli/common/row_options.h"
#include "cli/run/family.h"

/* What `callsig run` was told of its table. */
struct cli_run_table {
  const char *sort; /* NULL: the default */
  struct cli_row_options rows;
  bool has_end; /* nothing was recorded any more from some moment on (--for) */
};

/* Checks it before the program runs; with `output`, which is NULL or what -o named, no table is printed. An exit
 * status, after a message unless it is CLI_EXIT_OK. */
int cli_run_table_check(const struct cli_command *command, const struct cli_run_table *table, const char *output);

/* Is a part of the calls asked for alone, so that there may be none though the program made some? */
bool cli_run_end_asks_for_part(const struct cli_run_table *table);

/* Prints the table of all processes on stderr, if it `is_shown`; a line says so where there are no calls, shown or not.
 * Of a full recording (`is_full`) without calls its notes say why; of one that was off from the beginning to the end
 * (`is_off`) a line does. */
void cli_run_end_print_table(const struct cli_family_end *end, const struct cli_run_table *table, bool is_full,
                             bool is_off, bool is_shown);

/* Says why there is no recording, which the user calls `output`, unless the runtime has; `status` is the program's, as
 * wait() gives it. */
void cli_run_end_explain_nothing(const struct cli_recording_place *place, const char *output, int status);

/* Tells of the processes that the program started; `output` is the recording's path, as it is shown. */
void cli_run_end_tell(const struct cli_family_end *end, const char *output);

#endif
