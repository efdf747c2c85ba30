/* The planner: what all plans of a module share, and each function's plan once. */
#include "planner.h"

#include <errno.h>
#include <stdlib.h>

int cs_planner_new(const struct cs_planner_options *options, struct cs_planner **planner)
{
  struct cs_planner *made = calloc(1, sizeof *made);
  if (!made)
    return -ENOMEM;
  made->options = *options;
  made->sets[0].rules = options->module_rules;
  made->sets[1].rules = options->rules;
  made->types = cs_types_new(options->strings);
  made->catalog = cs_catalog_new(options->dwarf);
  bool complete = made->types && made->catalog;
  for (int i = 0; i < CS_RULE_SETS; i++) {
    size_t count = made->sets[i].rules ? made->sets[i].rules->count : 0;
    made->sets[i].states = calloc(count + 1, sizeof *made->sets[i].states);
    complete = complete && made->sets[i].states;
  }
  if (!complete) {
    cs_planner_free(made);
    return -ENOMEM;
  }
  *planner = made;
  return 0;
}

void cs_planner_free(struct cs_planner *planner)
{
  if (!planner)
    return;
  for (int i = 0; i < CS_RULE_SETS; i++)
    free(planner->sets[i].states);
  cs_types_free(planner->types);
  cs_catalog_free(planner->catalog);
  free(planner->ranges.values);
  free(planner->slots);
  free(planner->rules);
  cs_arena_free(&planner->arena);
  free(planner);
}

static struct cs_plan_slot *find_slot(struct cs_plan_slot *slots, size_t slot_count, void *addr)
{
  size_t at = ((uintptr_t)addr * 0x9E3779B97F4A7C15u >> 17) & (slot_count - 1);
  while (slots[at].addr && slots[at].addr != addr)
    at = (at + 1) & (slot_count - 1);
  return &slots[at];
}

static int grow_slots(struct cs_planner *planner)
{
  size_t slot_count = planner->slot_count ? planner->slot_count * 2 : 512;
  struct cs_plan_slot *slots = calloc(slot_count, sizeof *slots);
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

int cs_planner_function(struct cs_planner *planner, Dwarf_Die *function, const struct cs_plan **plan)
{
  Dwarf_Die root;
  cs_plan_root(function, &root);
  if (planner->used * 2 >= planner->slot_count) {
    int result = grow_slots(planner);
    if (result < 0)
      return result;
  }
  struct cs_plan_slot *slot = find_slot(planner->slots, planner->slot_count, root.addr);
  if (!slot->addr) {
    struct cs_plan *made = cs_arena_alloc(&planner->arena, sizeof *made);
    int result = made ? cs_plan_make(planner, &root, made) : -ENOMEM;
    if (result < 0)
      return result;
    *slot = (struct cs_plan_slot){root.addr, made};
    planner->used++;
  }
  *plan = slot->plan;
  return 0;
}

struct cs_types *cs_planner_types(struct cs_planner *planner)
{
  return planner->types;
}

const int64_t *cs_planner_ranges(const struct cs_planner *planner, uint32_t *count)
{
  *count = planner->ranges.count;
  return planner->ranges.values;
}

const struct cs_index_rule *cs_planner_rules(const struct cs_planner *planner, uint32_t *count)
{
  *count = planner->rule_count;
  return planner->rules;
}
