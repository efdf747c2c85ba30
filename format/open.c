/*
 * Opening a signature index: its header, its sections and their sizes are checked before anything is followed.
 */
#include "format/open.h"

#include <errno.h>
#include <stddef.h>

#include "format/hash.h"
#include "format/references.h"

/* The arrays of this version are indexed directly, so their entries have exactly the size that this version knows. */
static const uint32_t entry_sizes[FMT_SECTION_COUNT] = {
    [FMT_SECTION_STRINGS] = 1,
    [FMT_SECTION_SITES] = sizeof(struct fmt_index_site),
    [FMT_SECTION_PHYSICALS] = sizeof(struct fmt_index_physical),
    [FMT_SECTION_FUNCTIONS] = sizeof(struct fmt_index_function),
    [FMT_SECTION_ARGS] = sizeof(struct fmt_index_arg),
    [FMT_SECTION_TYPES] = sizeof(struct fmt_index_type),
    [FMT_SECTION_ENUMERATORS] = sizeof(struct fmt_index_enumerator),
    [FMT_SECTION_OPS] = sizeof(struct fmt_op),
    [FMT_SECTION_STATES] = sizeof(uint64_t),
    [FMT_SECTION_RANGES] = sizeof(int64_t),
    [FMT_SECTION_CALL_SITES] = sizeof(struct fmt_index_call_site),
    [FMT_SECTION_CALL_VALUES] = sizeof(struct fmt_index_call_value),
    [FMT_SECTION_SYMBOLS] = sizeof(struct fmt_index_symbol),
    [FMT_SECTION_SAVED] = sizeof(struct fmt_index_saved),
    [FMT_SECTION_RULES] = sizeof(struct fmt_index_rule),
    [FMT_SECTION_SLEDS] = sizeof(struct fmt_index_sled),
};

/* How many of the sections each version has, from version 1 on. Later ones are added at the end. */
static const uint32_t section_counts[FMT_INDEX_VERSION] = {FMT_SECTION_SLEDS, FMT_SECTION_COUNT};

static bool has_magic(const struct fmt_index_header *header)
{
  static const char magic[sizeof header->magic] = FMT_INDEX_MAGIC;
  for (size_t i = 0; i < sizeof magic; i++)
    if (header->magic[i] != magic[i])
      return false;
  return true;
}

/* The header, and that every section lies inside the file. */
static int check_header(const struct fmt_index_header *header, size_t size)
{
  if (size < FMT_INDEX_HEADER_MIN || (uintptr_t)header % 8 || !has_magic(header))
    return -EINVAL;
  if (header->version > FMT_INDEX_VERSION)
    return -ENOTSUP;
  if (header->version < 1)
    return -EINVAL;
  uint32_t sections = section_counts[header->version - 1];
  size_t header_size = offsetof(struct fmt_index_header, sections) + sections * sizeof header->sections[0];
  if (size < header_size || header->header_size != header_size || header->file_size != size ||
      header->section_count != sections || header->build_id_size > sizeof header->build_id)
    return -EINVAL;
  for (unsigned i = 0; i < sections; i++) {
    const struct fmt_index_section *section = &header->sections[i];
    if (section->entry_size != entry_sizes[i] || section->offset % 8 || section->offset < header->header_size ||
        !fmt_within(section->offset, (uint64_t)section->count * section->entry_size, size))
      return -EINVAL;
  }
  return 0;
}

void fmt_index_set(struct fmt_index *index, const void *data)
{
  const struct fmt_index_header *header = data;
  const char *base = data;
  index->header = header;
  for (unsigned i = 0; i < FMT_SECTION_COUNT; i++)
    index->count[i] = i < header->section_count ? header->sections[i].count : 0;
#define SECTION(field, id)                                                                                             \
  index->field = (const void *)(base + (id < header->section_count ? header->sections[id].offset : header->header_size))
  SECTION(strings, FMT_SECTION_STRINGS);
  SECTION(sites, FMT_SECTION_SITES);
  SECTION(physicals, FMT_SECTION_PHYSICALS);
  SECTION(functions, FMT_SECTION_FUNCTIONS);
  SECTION(args, FMT_SECTION_ARGS);
  SECTION(types, FMT_SECTION_TYPES);
  SECTION(enumerators, FMT_SECTION_ENUMERATORS);
  SECTION(ops, FMT_SECTION_OPS);
  SECTION(states, FMT_SECTION_STATES);
  SECTION(ranges, FMT_SECTION_RANGES);
  SECTION(call_sites, FMT_SECTION_CALL_SITES);
  SECTION(call_values, FMT_SECTION_CALL_VALUES);
  SECTION(symbols, FMT_SECTION_SYMBOLS);
  SECTION(saved, FMT_SECTION_SAVED);
  SECTION(rules, FMT_SECTION_RULES);
  SECTION(sleds, FMT_SECTION_SLEDS);
#undef SECTION
}

int fmt_index_open(const void *data, size_t size, struct fmt_index *index)
{
  const struct fmt_index_header *header = data;
  int error = check_header(header, size);
  if (error)
    return error;
  if (fmt_hash((const char *)data + header->header_size, size - header->header_size) != header->checksum)
    return -EINVAL;
  fmt_index_set(index, data);
  return fmt_references_sound(index) ? 0 : -EINVAL;
}
