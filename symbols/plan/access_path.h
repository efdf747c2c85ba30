/*
 * Access paths: the steps from a parameter to a field or element found from it, while names are looked up.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_ACCESS_PATH_H
#define CALLSIG_SYMBOLS_PLAN_ACCESS_PATH_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "symbols/dwarf/catalog.h"
#include "symbols/plan/plan.h"
#include "symbols/plan/problem.h"
#include "symbols/plan/rules.h"

/* Enough for every path of SYM_RULE_PARTS_MAX parts: each derefs and offsets at most once, and a bit-field is one more.
 */
enum { SYM_ACCESS_PATH_STEPS_MAX = 2 * SYM_RULE_PARTS_MAX + 4 };

struct sym_access_path {
  Dwarf_Die type; /* with typedefs and qualifiers; not set when is_void */
  bool is_void;
  uint8_t stars;      /* of a cast: it leads to a pointer to the type, or to a pointer to such a one, and so on */
  bool is_decayed;    /* of a cast: and that is the address of what it leads to, an array */
  uint16_t parameter; /* ordinal */
  struct sym_step steps[SYM_ACCESS_PATH_STEPS_MAX];
  uint16_t step_count;
  uint32_t bit_storage; /* of a bit-field: bytes that hold its bits; else 0 */
};

/* What every step of a search needs. */
struct sym_access_path_context {
  struct base_arena *arena;
  struct sym_catalog *catalog; /* to find the definition of what a unit only declares */
  struct sym_problem *problem;
};

/* Goes on to the field `name` of what the path leads to, following a pointer or reference to it first. -EINVAL with a
 * problem. */
int sym_access_path_field(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                          const char *name);

/* Goes to element `index` of an array, or of what a pointer points to. */
int sym_access_path_element(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                            uint64_t index);

/* Goes to what a pointer or reference points to. */
int sym_access_path_deref(const struct sym_access_path_context *context, struct sym_access_path *access_path);

/* Takes what the path leads to, a pointer, an integer of 8 bytes or an array, for a pointer to the type `name` with so
 * many stars: "struct header", "unsigned int", "void". -EINVAL with a problem. */
int sym_access_path_cast(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                         const char *name, uint64_t stars);

/* All parts of `path` from number `first` on. */
int sym_access_path_parts(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                          const struct sym_rule_path *path, size_t first);

/* Makes of an access path what a plan keeps, in `arena`; its size and sign are those of the object of `size` bytes that
 * it leads to. -ENOMEM. */
int sym_access_path_finish(struct base_arena *arena, const struct sym_access_path *access_path, uint32_t size,
                           bool is_signed, struct sym_plan_path *path);

#endif
