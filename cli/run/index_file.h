/* An index file of the cache, mapped and checked. */
#ifndef CALLSIG_CLI_RUN_INDEX_FILE_H
#define CALLSIG_CLI_RUN_INDEX_FILE_H

#include <stddef.h>

#include "format/open.h"

struct cli_index_file {
  void *data; /* the mapping; owned */
  size_t size;
  struct fmt_index index; /* borrows data */
};

/* Opens the index at `path`. Returns 0, or a negative errno after a message. */
int cli_index_file_open(const char *path, struct cli_index_file *file);
void cli_index_file_close(struct cli_index_file *file);

#endif
