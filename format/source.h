/*
 * What a signature index says of the file that it was made from: the last bytes of the index, behind its sections.
 *
 * A build-id is not enough. Builds that set it themselves give all of their programs the same, and tools that write a
 * program's code anew leave it as it is.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_SOURCE_H
#define CALLSIG_FORMAT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/index.h"

#define FMT_SOURCE_MAGIC "CSIGSRC" /* eight bytes with the terminating NUL */

struct fmt_index_source {
  char magic[8];
  /* Of the file that was last seen to be the one that the index is of. No device and no inode: one file has others on
   * each machine that mounts it. */
  uint64_t file_size;
  int64_t modified, modified_ns; /* st_mtim */
  /* Of the file that the index was made from. */
  uint64_t loaded; /* XXH64 of what each loadable segment has in the file, without the ELF header; the seed is that of
                      the one before, first 0 */
  uint64_t whole;  /* XXH64, seed 0, of the whole file */
};

/* Of an index that was opened; NULL: it says nothing, as those of version 1 and of earlier writers. */
static inline const struct fmt_index_source *fmt_index_source(const struct fmt_index_header *header)
{
  static const char magic[sizeof((struct fmt_index_source *)NULL)->magic] = FMT_SOURCE_MAGIC;
  if (header->file_size % 8 || header->file_size < header->header_size + sizeof(struct fmt_index_source))
    return NULL;
  const void *end = (const char *)header + header->file_size;
  const struct fmt_index_source *source = (const struct fmt_index_source *)end - 1;
  for (size_t i = 0; i < sizeof magic; i++)
    if (source->magic[i] != magic[i])
      return NULL;
  return source;
}

/* Was a file of this size and time of its last change seen to be the one? */
static inline bool fmt_source_knows(const struct fmt_index_source *source, uint64_t size, int64_t modified,
                                    int64_t modified_ns)
{
  return source->file_size == size && source->modified == modified && source->modified_ns == modified_ns;
}

#endif
