/* Whether a stopped thread may call functions of the C library that take locks. */
#ifndef CALLSIG_CLI_ATTACH_SAFE_POINT_H
#define CALLSIG_CLI_ATTACH_SAFE_POINT_H

#include <stdbool.h>

#include "cli/attach/borrow.h"
#include "cli/attach/mappings.h"

/* Is nothing under way in the thread that the dynamic loader, the allocator or the runtime would come upon? `why` gets
 * what speaks against it, a phrase that begins "it is ", or "its ". Returns 1, 0, or a negative errno. */
int cli_safe_point(const struct cli_borrowed *thread, const struct cli_mappings *mappings, const char **why);

#endif
