/* Whether a stopped thread may call functions of the C library that take locks. */
#ifndef CALLSIG_CLI_ATTACH_SAFE_POINT_H
#define CALLSIG_CLI_ATTACH_SAFE_POINT_H

#include <stdbool.h>

#include "cli/attach/borrow.h"
#include "cli/common/mappings.h"

/* What the thread is to call. */
enum cli_purpose {
  CLI_TO_LOAD,   /* dlopen(), which needs the dynamic loader, the allocator, and the runtime when it starts */
  CLI_TO_SWITCH, /* the runtime, which needs neither of the others */
};

/* Is nothing under way in the thread that what it is to call would come upon? `why` gets what speaks against it, a
 * phrase that begins "it is ", or "its ". Returns 1, 0, or a negative errno. */
int cli_safe_point(const struct cli_borrowed *thread, const struct cli_mappings *mappings, enum cli_purpose purpose,
                   const char **why);

#endif
