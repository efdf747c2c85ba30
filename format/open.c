#include "callsig/format/open.h"

#include <errno.h>

#include "callsig/format/hash.h"
#include "references.h"

/* The arrays of this version are indexed directly, so their entries have exactly the size that this version knows. */
static const uint32_t entry_sizes[CS_SECTION_COUNT] = {
    [CS_SECTION_STRINGS] = 1,
    [CS_SECTION_SITES] = sizeof(struct cs_index_site),
    [CS_SECTION_PHYSICALS] = sizeof(struct cs_index_physical),
    [CS_SECTION_FUNCTIONS] = sizeof(struct cs_index_function),
    [CS_SECTION_ARGS] = sizeof(struct cs_index_arg),
    [CS_SECTION_TYPES] = sizeof(struct cs_index_type),
    [CS_SECTION_ENUMERATORS] = sizeof(struct cs_index_enumerator),
    [CS_SECTION_OPS] = sizeof(struct cs_op),
    [CS_SECTION_STATES] = sizeof(uint64_t),
    [CS_SECTION_RANGES] = sizeof(int64_t),
    [CS_SECTION_CALL_SITES] = sizeof(struct cs_index_call_site),
    [CS_SECTION_CALL_VALUES] = sizeof(struct cs_index_call_value),
    [CS_SECTION_SYMBOLS] = sizeof(struct cs_index_symbol),
    [CS_SECTION_SAVED] = sizeof(struct cs_index_saved),
    [CS_SECTION_RULES] = sizeof(struct cs_index_rule),
};

static bool has_magic(const struct cs_index_header *header)
{
  static const char magic[sizeof header->magic] = CS_INDEX_MAGIC;
  for (size_t i = 0; i < sizeof magic; i++)
    if (header->magic[i] != magic[i])
      return false;
  return true;
}

/* The header, and that every section lies inside the file. */
static int check_header(const struct cs_index_header *header, size_t size)
{
  if (size < sizeof *header || (uintptr_t)header % 8 || !has_magic(header))
    return -EINVAL;
  if (header->version > CS_INDEX_VERSION)
    return -ENOTSUP;
  if (header->version != CS_INDEX_VERSION || header->header_size != sizeof *header || header->file_size != size ||
      header->section_count != CS_SECTION_COUNT || header->build_id_size > sizeof header->build_id)
    return -EINVAL;
  for (unsigned i = 0; i < CS_SECTION_COUNT; i++) {
    const struct cs_index_section *section = &header->sections[i];
    if (section->entry_size != entry_sizes[i] || section->offset % 8 || section->offset < header->header_size ||
        !cs_within(section->offset, (uint64_t)section->count * section->entry_size, size))
      return -EINVAL;
  }
  return 0;
}

void cs_index_set(struct cs_index *index, const void *data)
{
  const struct cs_index_header *header = data;
  const char *base = data;
  index->header = header;
  for (unsigned i = 0; i < CS_SECTION_COUNT; i++)
    index->count[i] = header->sections[i].count;
#define SECTION(field, id) index->field = (const void *)(base + header->sections[id].offset)
  SECTION(strings, CS_SECTION_STRINGS);
  SECTION(sites, CS_SECTION_SITES);
  SECTION(physicals, CS_SECTION_PHYSICALS);
  SECTION(functions, CS_SECTION_FUNCTIONS);
  SECTION(args, CS_SECTION_ARGS);
  SECTION(types, CS_SECTION_TYPES);
  SECTION(enumerators, CS_SECTION_ENUMERATORS);
  SECTION(ops, CS_SECTION_OPS);
  SECTION(states, CS_SECTION_STATES);
  SECTION(ranges, CS_SECTION_RANGES);
  SECTION(call_sites, CS_SECTION_CALL_SITES);
  SECTION(call_values, CS_SECTION_CALL_VALUES);
  SECTION(symbols, CS_SECTION_SYMBOLS);
  SECTION(saved, CS_SECTION_SAVED);
  SECTION(rules, CS_SECTION_RULES);
#undef SECTION
}

int cs_index_open(const void *data, size_t size, struct cs_index *index)
{
  const struct cs_index_header *header = data;
  int error = check_header(header, size);
  if (error)
    return error;
  if (cs_hash((const char *)data + header->header_size, size - header->header_size) != header->checksum)
    return -EINVAL;
  cs_index_set(index, data);
  return cs_references_sound(index) ? 0 : -EINVAL;
}
