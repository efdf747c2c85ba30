/* Lines of code for reports that show where calls were made. */
#ifndef CALLSIG_CLI_COMMON_CODE_LINES_H
#define CALLSIG_CLI_COMMON_CODE_LINES_H

#include "callsig/stats.h"

/* A callsig_stats_lines_fn, from the debug information of the file, if that is the build that was recorded: else
 * -ENOENT. -ENOMEM, or the error of reading it. */
int cli_code_lines(const struct callsig_stats_code *code, void *data);

#endif
