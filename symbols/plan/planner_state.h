/*
 * What a planner consists of, for the files that make plans and diagnose rules.
 */
#ifndef CALLSIG_SYMBOLS_PLAN_PLANNER_STATE_H
#define CALLSIG_SYMBOLS_PLAN_PLANNER_STATE_H

#include "symbols/dwarf/catalog.h"
#include "symbols/plan/args.h"
#include "symbols/plan/planner.h"

struct sym_plan_slot {
  void *addr; /* of the root DIE, NULL for a free slot */
  struct sym_plan *plan;
};

struct sym_planner {
  struct sym_planner_options options;
  struct base_arena arena; /* plans and everything they point to, but for the two below */
  struct sym_types *types;
  struct sym_catalog *catalog;
  struct sym_ranges ranges;
  struct sym_rule_set sets[SYM_RULE_SETS]; /* the module's own rules, then those of the rules file */
  struct sym_plan_slot *slots;
  size_t slot_count, used;
  struct fmt_index_rule *rules; /* the section, after sym_rule_diagnostics_make() */
  uint32_t rule_count;
  bool is_diagnosing; /* what is planned now has no probe site */
};

#endif
