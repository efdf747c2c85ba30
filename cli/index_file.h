/* An index file of the cache, mapped and checked. */
#ifndef CALLSIG_CLI_INDEX_FILE_H
#define CALLSIG_CLI_INDEX_FILE_H

#include <stddef.h>

#include "symbols.h"

struct cs_index_file {
  void *data; /* the mapping; owned */
  size_t size;
  struct cs_index index; /* borrows data */
};

/* Opens the index at `path`. Returns 0, or a negative errno after a message. */
int cs_index_file_open(const char *path, struct cs_index_file *file);
void cs_index_file_close(struct cs_index_file *file);

#endif
