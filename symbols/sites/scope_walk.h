/*
 * Which subprograms and inlined instances of functions lie around places of a module's code.
 *
 * A concrete subprogram's ranges select its places by binary search, so the cost is linear in the DIEs read and needs
 * no .debug_aranges (clang writes none). Internal to callsig; not thread-safe.
 */
#ifndef CALLSIG_SYMBOLS_SITES_SCOPE_WALK_H
#define CALLSIG_SYMBOLS_SITES_SCOPE_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "format/index.h"
#include "symbols/base/addressmap.h"
#include "symbols/dwarf/siblings.h"
#include "symbols/elf/debugfile.h"

/* A function instance around a site; `parent` is the one it was inlined into, FMT_NONE for a subprogram. */
struct sym_scope {
  Dwarf_Die die;
  uint32_t parent;
  uint32_t call_line; /* of an inlined instance, 0 unknown */
};

/* A range of code of one concrete subprogram. */
struct sym_range {
  uint64_t low, high;
  Dwarf_Die die;
  uint64_t entry; /* the subprogram's entry point: the low of its first range */
};

struct sym_scope_walk {
  const struct base_vector *sites;
  struct base_vector nodes;       /* struct sym_scope */
  uint32_t *innermost;            /* node of each site, FMT_NONE outside of every subprogram */
  struct base_vector *ranges;     /* struct sym_range */
  struct sym_address_map entries; /* of the subprograms visited: address -> the visit */
  bool for_sites;                 /* nothing is asked for but what holds them */
  bool is_first;                  /* of two visits to a unit for its sites: it looks where nearly all functions are */
  struct sym_siblings siblings;
  uint32_t visit; /* an even number for the first one, the next one for the second */
};

/* Walks all units for `sites`, or with `for_sites` those alone that have some; `walk` must be released, also after an
 * error. */
int sym_scope_walk_all(struct sym_scope_walk *walk, const struct sym_debugfile *file, const struct base_vector *sites,
                       struct base_vector *ranges, bool for_sites);
void sym_scope_walk_free(struct sym_scope_walk *walk);

/* The instances around each of `sites` (struct sym_found_site, ascending by pc): the innermost one's number in `scopes`
 * (struct sym_scope) by site, FMT_NONE outside of every subprogram. Both are the caller's to free, by
 * base_vector_free() and free(). Units whose code has none of them are not read. -ENOMEM. */
int sym_scopes_around(const struct sym_debugfile *file, const struct base_vector *sites, struct base_vector *scopes,
                      uint32_t **innermost);

#endif
