/*
 * The flat file made of finished sections.
 */
#ifndef CALLSIG_SYMBOLS_WRITE_H
#define CALLSIG_SYMBOLS_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "callsig/format/index.h"

/* A section's entries, borrowed. */
struct cs_section_data {
  const void *data;
  uint32_t count;
  uint32_t entry_size;
};

/* What the header says beyond the sections. */
struct cs_index_identity {
  const uint8_t *build_id; /* NULL for none */
  size_t build_id_size;    /* over 32: treated as none, as cs_cache_name() does */
  uint32_t flags;
  uint32_t machine;
  uint32_t path; /* string */
  uint64_t rules_hash;
};

/* Lays the sections out behind a header with its checksum. The caller frees `file`. -ENOMEM; -E2BIG beyond 4 GiB
 * entries. */
int cs_index_write(const struct cs_index_identity *identity, const struct cs_section_data sections[CS_SECTION_COUNT],
                   void **file, size_t *size);

#endif
