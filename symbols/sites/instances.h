/*
 * Which instance of which function holds each probe site.
 *
 * The units are walked once. A concrete subprogram's ranges select its sites by binary search, and only subprograms
 * that have any are descended into, so the cost is linear in the DIEs read and needs no .debug_aranges (clang writes
 * none). The innermost inlined_subroutine around PC = site - 1 is the function entered, unless the address that the
 * code passes to the hook names another of the enclosing instances: then that one is (the scheduler moves calls across
 * scope borders).
 */
#ifndef CALLSIG_SYMBOLS_SITES_INSTANCES_H
#define CALLSIG_SYMBOLS_SITES_INSTANCES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "format/index.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/hook.h"
#include "symbols/elf/symboltable.h"

/* A function instance around a site; `parent` is the one it was inlined into, FMT_NONE for a subprogram. */
struct sym_scope {
  Dwarf_Die die;
  uint32_t parent;
  uint32_t call_line; /* of an inlined instance, 0 unknown */
};

/* What is known of a found site (the entry of the same number). */
struct sym_instance {
  bool is_known;   /* a subprogram covers the site: `physical` and `entered` are set */
  bool is_inlined; /* it shares its frame with the function that it was inlined into */
  bool is_hidden; /* the function entered is known by the address passed to the hook alone: `entered` is its out-of-line
                     subprogram, whose locations say nothing here */
  uint32_t call_line;     /* of an inlined instance, 0 unknown */
  uint64_t this_function; /* what the code passes to the hook, 0 when that could not be told; of a sled, the function */
  Dwarf_Die physical;     /* the subprogram that the code belongs to */
  Dwarf_Die entered;      /* the subprogram or inlined_subroutine entered there */
};

/* A range of code of one concrete subprogram. */
struct sym_range {
  uint64_t low, high;
  Dwarf_Die die;
  uint64_t entry; /* the subprogram's entry point: the low of its first range */
};

struct sym_instances {
  struct base_vector instances; /* struct sym_instance, one for each found site */
  struct base_vector ranges;    /* struct sym_range of all concrete subprograms, ascending by low after the walk */
};

/* The instances around each of `sites` (struct sym_found_site, ascending by pc): the innermost one's number in `scopes`
 * (struct sym_scope) by site, FMT_NONE outside of every subprogram. Both are the caller's to free, by
 * base_vector_free() and free(). -ENOMEM. */
int sym_scopes_around(const struct sym_debugfile *file, const struct base_vector *sites, struct base_vector *scopes,
                      uint32_t **innermost);

/* `sites` as sym_sites_find() gives them. Without DWARF everything is unknown. -ENOMEM. */
int sym_instances_find(struct sym_instances *instances, const struct sym_debugfile *file, const struct sym_hook *hook,
                       const struct base_vector *sites, const struct sym_symbol_table *symbols);
void sym_instances_free(struct sym_instances *instances);

/* The range that holds `address`, or FMT_NONE. Only after sym_instances_find(). */
uint32_t sym_instances_range_at(const struct sym_instances *instances, uint64_t address);

#endif
