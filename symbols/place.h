/*
 * Places in a program's data: a parameter, or a field or element found from it, with the steps that lead there.
 */
#ifndef CALLSIG_SYMBOLS_PLACE_H
#define CALLSIG_SYMBOLS_PLACE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "catalog.h"
#include "plan.h"
#include "rules.h"

/* Enough for every path of CS_RULE_PARTS_MAX parts: each derefs and offsets at most once, and a bit-field is one more.
 */
enum { CS_PLACE_STEPS_MAX = 2 * CS_RULE_PARTS_MAX + 4 };

struct cs_place {
  Dwarf_Die type; /* with typedefs and qualifiers; not set when is_void */
  bool is_void;
  uint16_t parameter; /* ordinal */
  struct cs_step steps[CS_PLACE_STEPS_MAX];
  uint16_t step_count;
  uint32_t bit_storage; /* of a bit-field: bytes that hold its bits; else 0 */
};

/* Why a rule cannot be carried out in a module. The deeper the names were found, the more likely it is what was meant.
 */
enum cs_problem_depth {
  CS_PROBLEM_NONE,
  CS_PROBLEM_NAME,      /* no such function or type */
  CS_PROBLEM_PARAMETER, /* no such parameter */
  CS_PROBLEM_FIELD,     /* no such field */
  CS_PROBLEM_KIND,      /* everything exists and is of the wrong kind */
};

struct cs_problem {
  enum cs_problem_depth depth;
  const char *text; /* in the arena of the caller */
};

/* Keeps a problem, unless one is kept already; returns -EINVAL, or -ENOMEM. */
int cs_problem_set(struct cs_problem *problem, struct cs_arena *arena, enum cs_problem_depth depth, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* What every step of a search needs. */
struct cs_place_context {
  struct cs_arena *arena;
  struct cs_catalog *catalog; /* to find the definition of what a unit only declares */
  struct cs_problem *problem;
};

/* Goes from `place` to its field `name`, following a pointer or reference to it first. -EINVAL with a problem. */
int cs_place_field(const struct cs_place_context *context, struct cs_place *place, const char *name);

/* Goes to element `index` of an array, or of what a pointer points to. */
int cs_place_element(const struct cs_place_context *context, struct cs_place *place, uint64_t index);

/* Goes to what a pointer or reference points to. */
int cs_place_deref(const struct cs_place_context *context, struct cs_place *place);

/* All parts of `path` from number `first` on. */
int cs_place_parts(const struct cs_place_context *context, struct cs_place *place, const struct cs_rule_path *path,
                   size_t first);

/* The path of a plan to the place; its size and sign are those of the object of `size` bytes there. */
int cs_place_path(struct cs_arena *arena, const struct cs_place *place, uint32_t size, bool is_signed,
                  struct cs_path *path);

#endif
