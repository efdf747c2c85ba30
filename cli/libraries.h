/* The libraries that a program will start with, as its own dynamic linker finds them, without running it. */
#ifndef CALLSIG_CLI_LIBRARIES_H
#define CALLSIG_CLI_LIBRARIES_H

#include <stddef.h>

struct cs_libraries {
  char **paths; /* owned */
  size_t count;
};

/* Asks `interpreter`, the dynamic linker of `image`, for its libraries. Returns 0, or a negative errno after a message:
 * for a library that is missing, -ENOENT. *libraries is valid in either case. */
int cs_libraries_list(const char *interpreter, const char *image, struct cs_libraries *libraries);

/* The one of `libraries` that has to be loaded before all others, as AddressSanitizer's runtime insists; NULL for none.
 */
const char *cs_libraries_first(const struct cs_libraries *libraries);

void cs_libraries_free(struct cs_libraries *libraries);

#endif
