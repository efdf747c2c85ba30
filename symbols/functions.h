/*
 * The functions of an index: each source function once, however many units, clones and inlined instances it has.
 */
#ifndef CALLSIG_SYMBOLS_FUNCTIONS_H
#define CALLSIG_SYMBOLS_FUNCTIONS_H

#include <elfutils/libdw.h>

#include "addressmap.h"
#include "plan.h"
#include "strings.h"
#include "symboltable.h"
#include "vector.h"

struct cs_function_entry {
  struct cs_index_function function; /* without its place in CS_SECTION_ARGS */
  const struct cs_plan *plan;        /* NULL: no DWARF */
  uint32_t next;                     /* of those with the same key, CS_NONE at the end */
};

struct cs_functions {
  struct cs_vector entries;    /* struct cs_function_entry: the section's order */
  struct cs_address_map roots; /* declaring DIE -> entry */
  struct cs_address_map keys;  /* hash of name, linkage name, file and line -> first entry */
  struct cs_strings *strings;  /* borrowed */
};

void cs_functions_init(struct cs_functions *functions, struct cs_strings *strings);
void cs_functions_free(struct cs_functions *functions);

/* The entry of the function that `die` (any instance) belongs to; `plan` is its plan. Functions of several units are
 * one when name, linkage name, file, line and args are the same. -ENOMEM, -E2BIG. */
int cs_functions_add(struct cs_functions *functions, Dwarf_Die *die, const struct cs_plan *plan, uint32_t *index);

/* The entry of a function without DWARF, by its symbol; without one (NULL) its name is its address. */
int cs_functions_add_symbol(struct cs_functions *functions, const struct cs_symbol *symbol, uint64_t address,
                            uint32_t *index);

/* The entry that `die`'s function has got, or CS_NONE. */
uint32_t cs_functions_find(const struct cs_functions *functions, Dwarf_Die *die);

#endif
