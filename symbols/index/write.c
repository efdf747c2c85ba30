/*
 * Lays the sections of an index out as one flat file with a checksum.
 */
#include "symbols/index/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static size_t aligned(size_t size)
{
  return (size + 7) & ~(size_t)7;
}

int sym_index_write(const struct sym_index_identity *identity,
                    const struct sym_section_data sections[FMT_SECTION_COUNT], void **file, size_t *size)
{
  size_t total = aligned(sizeof(struct fmt_index_header));
  for (unsigned i = 0; i < FMT_SECTION_COUNT; i++)
    total += aligned((size_t)sections[i].count * sections[i].entry_size);
  const size_t end = total;
  total += identity->source ? sizeof *identity->source : 0;
  uint8_t *bytes = calloc(1, total);
  if (!bytes)
    return -ENOMEM;
  struct fmt_index_header *header = (struct fmt_index_header *)(void *)bytes;
  memcpy(header->magic, FMT_INDEX_MAGIC, sizeof header->magic);
  header->version = FMT_INDEX_VERSION;
  header->header_size = sizeof *header;
  header->file_size = total;
  if (identity->build_id && identity->build_id_size <= sizeof header->build_id) {
    memcpy(header->build_id, identity->build_id, identity->build_id_size);
    header->build_id_size = (uint32_t)identity->build_id_size;
  }
  header->flags = identity->flags;
  header->machine = identity->machine;
  header->path = identity->path;
  header->rules_hash = identity->rules_hash;
  header->section_count = FMT_SECTION_COUNT;
  header->producer = SYM_PRODUCER;
  size_t offset = aligned(sizeof *header);
  for (unsigned i = 0; i < FMT_SECTION_COUNT; i++) {
    size_t length = (size_t)sections[i].count * sections[i].entry_size;
    header->sections[i] =
        (struct fmt_index_section){.offset = offset, .count = sections[i].count, .entry_size = sections[i].entry_size};
    if (length)
      memcpy(bytes + offset, sections[i].data, length);
    offset += aligned(length);
  }
  if (identity->source)
    memcpy(bytes + end, identity->source, sizeof *identity->source);
  header->checksum = XXH64(bytes + header->header_size, total - header->header_size, 0);
  *file = bytes;
  *size = total;
  return 0;
}
