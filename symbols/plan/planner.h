/*
 * The planner of a module: makes the plan of each function once, and keeps the types, ranges and rules they share.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_PLANNER_H
#define CALLSIG_SYMBOLS_PLAN_PLANNER_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/message.h"
#include "base/strings.h"
#include "symbols/dwarf/types.h"
#include "symbols/plan/plan.h"
#include "symbols/plan/rules.h"

struct sym_planner;

struct sym_planner_options {
  struct base_strings *strings;  /* borrowed: shared with the rest of the build */
  const struct sym_rules *rules; /* the rules file, NULL for none; borrowed */
  const struct sym_rules
      *module_rules;  /* what the module's own .note.callsig says (notes.h), NULL for none; borrowed */
  Dwarf *dwarf;       /* the module's main one, to look names up in; borrowed */
  const char *module; /* path for messages; borrowed */
  bool library_calls; /* functions that the module imports are planned as well */
  base_message_fn message;
  void *data;
};

/* -ENOMEM. Everything that a planner hands out belongs to it and lives until sym_planner_free(). */
int sym_planner_new(const struct sym_planner_options *options, struct sym_planner **planner);
void sym_planner_free(struct sym_planner *planner);

/* The plan of the function that `function` (a subprogram or inlined_subroutine DIE; its root is taken) is an instance
 * of. The same root gives the same plan. -ENOMEM, -E2BIG. */
int sym_planner_function(struct sym_planner *planner, Dwarf_Die *function, const struct sym_plan **plan);

/* The sections that the planner makes. Valid until the next sym_planner_function() or sym_rule_diagnostics_make(). */
struct sym_types *sym_planner_types(struct sym_planner *planner);
const int64_t *sym_planner_ranges(const struct sym_planner *planner, uint32_t *count);
const struct fmt_index_rule *sym_planner_rules(const struct sym_planner *planner, uint32_t *count);

#endif
