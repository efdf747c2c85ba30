/*
 * Which instance of which function holds each probe site.
 *
 * The innermost inlined_subroutine around PC = site - 1 is the function entered, unless the address that the
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
#include "symbols/sites/scope_walk.h"

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

struct sym_instances {
  struct base_vector instances; /* struct sym_instance, one for each found site */
  struct base_vector ranges;    /* struct sym_range of all concrete subprograms, ascending by low after the walk */
};

/* `sites` as sym_sites_find() gives them. Without DWARF everything is unknown. -ENOMEM. */
int sym_instances_find(struct sym_instances *instances, const struct sym_debugfile *file, const struct sym_hook *hook,
                       const struct base_vector *sites, const struct sym_symbol_table *symbols);
void sym_instances_free(struct sym_instances *instances);

/* The range that holds `address`, or FMT_NONE. Only after sym_instances_find(). */
uint32_t sym_instances_range_at(const struct sym_instances *instances, uint64_t address);

#endif
