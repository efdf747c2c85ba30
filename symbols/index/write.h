/*
 * The flat file made of finished sections.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_WRITE_H
#define CALLSIG_SYMBOLS_INDEX_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "format/source.h"

/* A section's entries, borrowed. */
struct sym_section_data {
  const void *data;
  uint32_t count;
  uint32_t entry_size;
};

/* What the header says beyond the sections. */
struct sym_index_identity {
  const uint8_t *build_id; /* NULL for none */
  size_t build_id_size;    /* over 32: treated as none, as fmt_cache_name() does */
  uint32_t flags;
  uint32_t machine;
  uint32_t path; /* string */
  uint64_t rules_hash;
  const struct fmt_index_source *source; /* NULL: the index does not say what file it is of */
};

/* Lays the sections out behind a header with its checksum. The caller frees `file`. -ENOMEM; -E2BIG beyond 4 GiB
 * entries. */
int sym_index_write(const struct sym_index_identity *identity,
                    const struct sym_section_data sections[FMT_SECTION_COUNT], void **file, size_t *size);

#endif
