/*
 * Which instance of which function holds each probe site.
 *
 * The units are walked once. A concrete subprogram's ranges select its sites by binary search, and only subprograms
 * that have any are descended into, so the cost is linear in the DIEs read and needs no .debug_aranges (clang writes
 * none). The innermost inlined_subroutine around PC = site - 1 is the function entered, unless the address that the
 * code passes to the hook names another of the enclosing instances: then that one is (the scheduler moves calls across
 * scope borders).
 */
#ifndef CALLSIG_SYMBOLS_INSTANCES_H
#define CALLSIG_SYMBOLS_INSTANCES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "debugfile.h"
#include "hook.h"
#include "symboltable.h"
#include "vector.h"

/* What is known of a found site (the entry of the same number). */
struct cs_instance {
  bool is_known;   /* a subprogram covers the site: `physical` and `entered` are set */
  bool is_inlined; /* it shares its frame with the function that it was inlined into */
  bool is_hidden; /* the function entered is known by the address passed to the hook alone: `entered` is its out-of-line
                     subprogram, whose locations say nothing here */
  uint32_t call_line;     /* of an inlined instance, 0 unknown */
  uint64_t this_function; /* what the code passes to the hook, 0 when that could not be told */
  Dwarf_Die physical;     /* the subprogram that the code belongs to */
  Dwarf_Die entered;      /* the subprogram or inlined_subroutine entered there */
};

/* A range of code of one concrete subprogram. */
struct cs_range {
  uint64_t low, high;
  Dwarf_Die die;
  uint64_t entry; /* the subprogram's entry point: the low of its first range */
};

struct cs_instances {
  struct cs_vector instances; /* struct cs_instance, one for each found site */
  struct cs_vector ranges;    /* struct cs_range of all concrete subprograms, ascending by low after the walk */
};

/* `sites` as cs_sites_find() gives them. Without DWARF everything is unknown. -ENOMEM. */
int cs_instances_find(struct cs_instances *instances, const struct cs_debugfile *file, const struct cs_hook *hook,
                      const struct cs_vector *sites, const struct cs_symbol_table *symbols);
void cs_instances_free(struct cs_instances *instances);

/* The range that holds `address`, or CS_NONE. Only after cs_instances_find(). */
uint32_t cs_instances_range_at(const struct cs_instances *instances, uint64_t address);

#endif
