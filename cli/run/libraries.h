/* The libraries that a program will start with, as its own dynamic linker finds them, without running it. */
#ifndef CALLSIG_CLI_RUN_LIBRARIES_H
#define CALLSIG_CLI_RUN_LIBRARIES_H

#include <stddef.h>

struct cli_libraries {
  char **paths; /* owned */
  size_t count;
};

/* Asks `interpreter`, the dynamic linker of `image`, for its libraries; where one is missing, once more with `runtime`
 * (NULL: none) loaded before them, which a program that links it may find nowhere else. Returns 0, or a negative errno
 * after a message: for a library that is missing, -ENOENT. *libraries is valid in either case. */
int cli_libraries_list(const char *interpreter, const char *image, const char *runtime,
                       struct cli_libraries *libraries);

/* The one of `libraries` that has to be loaded before all others, as AddressSanitizer's runtime insists; NULL for none.
 */
const char *cli_libraries_first(const struct cli_libraries *libraries);

void cli_libraries_free(struct cli_libraries *libraries);

#endif
