/*
 * The sleds of a module (format/sled.h): what its sections list, held against the code.
 *
 * Nothing in the sections is believed: a sled counts when the bytes at its address are those of a sled, its address is
 * one that a single store can switch, its function has an entry, and no sled of that lies between a comparison and the
 * jump that goes by it. What does not count is left out.
 */
#ifndef CALLSIG_SYMBOLS_SITES_SLEDS_H
#define CALLSIG_SYMBOLS_SITES_SLEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "format/index.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/hook.h"
#include "symbols/elf/symboltable.h"

struct sym_sleds {
  struct base_vector sleds; /* struct fmt_index_sled as the index has them, but for `site`, which is FMT_NONE */
  uint32_t refused;         /* entries of the sections that are no sleds */
  uint32_t versions;        /* of these, entries of a version whose addresses are not relative */
  uint32_t patched;         /* and exits of functions that have room for patches in the place of their entry */
  uint32_t broken;          /* and all of functions of which one lies between a comparison and its jump */
  uint32_t broken_functions;
};

/* Reads the sled sections of a module. A module without any gives none. `sleds` must be freed, also after an error.
 * -ENOMEM; -EINVAL after a message for a section that cannot be read. */
int sym_sleds_find(struct sym_sleds *sleds, const struct sym_debugfile *file, const struct sym_hook *code,
                   const struct sym_symbol_table *symbols);
void sym_sleds_free(struct sym_sleds *sleds);

/* Whether a sled between `low` and `high` stands before a jump to another function. */
bool sym_sleds_have_tail(const struct sym_sleds *sleds, uint64_t low, uint64_t high);

/* Adds to the flags of the entry sled at `address`, and gives all others those of the entries of their functions. */
void sym_sleds_add_flags(struct sym_sleds *sleds, uint64_t address, uint8_t flags);
void sym_sleds_share_flags(struct sym_sleds *sleds);

/* Adds a site for each entry sled to `sites` (struct sym_found_site), which stays ascending by pc. -ENOMEM. */
int sym_sleds_add_sites(const struct sym_sleds *sleds, struct base_vector *sites);

#endif
