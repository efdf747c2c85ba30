/*
 * The functions of an index: each source function once, however many units, clones and inlined instances it has.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_FUNCTIONS_H
#define CALLSIG_SYMBOLS_INDEX_FUNCTIONS_H

#include <elfutils/libdw.h>

#include "base/arena.h"
#include "base/strings.h"
#include "base/vector.h"
#include "symbols/base/addressmap.h"
#include "symbols/dwarf/scopes.h"
#include "symbols/elf/hook.h"
#include "symbols/elf/symboltable.h"
#include "symbols/plan/plan.h"

struct sym_function_entry {
  struct fmt_index_function function; /* without its place in FMT_SECTION_ARGS */
  const struct sym_plan *plan;        /* NULL: no DWARF, or not made */
  uint32_t next;                      /* of those with the same key, FMT_NONE at the end */
  bool counts_whole, counts_part;     /* out of line: where it begins, and in a part that was split off */
};

struct sym_functions {
  struct base_vector entries;   /* struct sym_function_entry: the section's order */
  struct sym_address_map roots; /* declaring DIE -> entry */
  struct sym_address_map keys;  /* hash of name, linkage name, file and line -> first entry */
  struct base_strings *strings; /* borrowed */
  struct base_arena names;      /* as they were spelled, before they went to `strings` */
};

/* An empty list whose names go to `strings` (borrowed). sym_functions_free() frees it. */
void sym_functions_init(struct sym_functions *functions, struct base_strings *strings);
void sym_functions_free(struct sym_functions *functions);

/* The entry of the function that `die` (any instance) belongs to; `plan` is its plan. Functions of several units are
 * one when name, linkage name, file, line and args are the same. -ENOMEM, -E2BIG. */
int sym_functions_add(struct sym_functions *functions, Dwarf_Die *die, const struct sym_plan *plan, uint32_t *index);

/* The same without a plan, for who asks for names, files and lines alone: functions that only their args tell apart are
 * one. -ENOMEM, -E2BIG. */
int sym_functions_add_name(struct sym_functions *functions, Dwarf_Die *die, struct sym_scopes *scopes, uint32_t *index);

/* The entry of a function without DWARF, by its symbol; without one (NULL) its name is its address. */
int sym_functions_add_symbol(struct sym_functions *functions, const struct sym_symbol *symbol, uint64_t address,
                             uint32_t *index);

/* The entry of an imported function, one for all of its slots: with the declaration `die` and its plan, or with neither
 * (NULL). `is_timed`: the ends of its calls are heard of. -ENOMEM, -E2BIG. */
int sym_functions_add_import(struct sym_functions *functions, const struct sym_import *import, Dwarf_Die *die,
                             const struct sym_plan *plan, bool is_timed, uint32_t *index);

/* The entry that `die`'s function has got, or FMT_NONE. */
uint32_t sym_functions_find(const struct sym_functions *functions, Dwarf_Die *die);

/* The string of a source file as the unit of `die` spells it (NULL: ""), made absolute with the unit's compilation
 * directory. -ENOMEM, -E2BIG. */
int sym_functions_file(struct sym_functions *functions, Dwarf_Die *die, const char *file, uint32_t *string);

#endif
