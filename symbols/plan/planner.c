/*
 * What all plans of a module share, and each function's plan once.
 */
#include "symbols/plan/planner.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/dwarf/die.h"
#include "symbols/plan/planner_state.h"

int sym_planner_new(const struct sym_planner_options *options, struct sym_planner **planner)
{
  struct sym_planner *made = calloc(1, sizeof *made);
  if (!made)
    return -ENOMEM;
  made->options = *options;
  made->sets[0].rules = options->module_rules;
  made->sets[1].rules = options->rules;
  made->types = sym_types_new(options->strings);
  made->catalog = sym_catalog_new(options->dwarf);
  bool complete = made->types && made->catalog;
  for (int i = 0; i < SYM_RULE_SETS; i++) {
    size_t count = made->sets[i].rules ? made->sets[i].rules->count : 0;
    made->sets[i].states = calloc(count + 1, sizeof *made->sets[i].states);
    complete = complete && made->sets[i].states;
  }
  if (!complete) {
    sym_planner_free(made);
    return -ENOMEM;
  }
  *planner = made;
  return 0;
}

void sym_planner_free(struct sym_planner *planner)
{
  if (!planner)
    return;
  for (int i = 0; i < SYM_RULE_SETS; i++)
    free(planner->sets[i].states);
  sym_types_free(planner->types);
  sym_catalog_free(planner->catalog);
  free(planner->ranges.values);
  free(planner->slots);
  free(planner->rules);
  base_arena_free(&planner->arena);
  free(planner);
}

static struct sym_plan_slot *find_slot(struct sym_plan_slot *slots, size_t slot_count, void *addr)
{
  size_t at = ((uintptr_t)addr * 0x9E3779B97F4A7C15u >> 17) & (slot_count - 1);
  while (slots[at].addr && slots[at].addr != addr)
    at = (at + 1) & (slot_count - 1);
  return &slots[at];
}

static int grow_slots(struct sym_planner *planner)
{
  size_t slot_count = planner->slot_count ? planner->slot_count * 2 : 512;
  struct sym_plan_slot *slots = calloc(slot_count, sizeof *slots);
  if (!slots)
    return -ENOMEM;
  for (size_t i = 0; i < planner->slot_count; i++)
    if (planner->slots[i].addr)
      *find_slot(slots, slot_count, planner->slots[i].addr) = planner->slots[i];
  free(planner->slots);
  planner->slots = slots;
  planner->slot_count = slot_count;
  return 0;
}

int sym_planner_function(struct sym_planner *planner, Dwarf_Die *function, const struct sym_plan **plan)
{
  Dwarf_Die root;
  sym_die_root(function, &root);
  if (planner->used * 2 >= planner->slot_count) {
    int result = grow_slots(planner);
    if (result < 0)
      return result;
  }
  struct sym_plan_slot *slot = find_slot(planner->slots, planner->slot_count, root.addr);
  if (!slot->addr) {
    struct sym_plan *made = base_arena_alloc(&planner->arena, sizeof *made);
    int result = made ? sym_plan_make(planner, &root, made) : -ENOMEM;
    if (result < 0)
      return result;
    *slot = (struct sym_plan_slot){root.addr, made};
    planner->used++;
  }
  *plan = slot->plan;
  return 0;
}

struct sym_types *sym_planner_types(struct sym_planner *planner)
{
  return planner->types;
}

const int64_t *sym_planner_ranges(const struct sym_planner *planner, uint32_t *count)
{
  *count = planner->ranges.count;
  return planner->ranges.values;
}

const struct fmt_index_rule *sym_planner_rules(const struct sym_planner *planner, uint32_t *count)
{
  *count = planner->rule_count;
  return planner->rules;
}
