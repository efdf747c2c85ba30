/* Which functions `--below` looks for, where indexes are made: the same as a report's. */
#ifndef CALLSIG_CLI_COMMON_TOPS_H
#define CALLSIG_CLI_COMMON_TOPS_H

#include "symbols/index/build.h"

struct cli_tops;

/* Has indexes that are made with `options` tell the functions whose printed name the expression is found in. NULL:
 * none, and *tops is NULL. Returns 0, or a negative errno after a message. */
int cli_tops_open(const char *below, struct sym_index_options *options, struct cli_tops **tops);
/* After the indexes: -EINVAL after a message when a search had to be given up. */
int cli_tops_check(const struct cli_tops *tops);
void cli_tops_free(struct cli_tops *tops);

#endif
