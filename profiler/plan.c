/*
 * Plans: what a tree knows of a probe site, and what the fast path compares there.
 *
 * A plan is made with the levels of widening that its function has then. Edges keep the plan that they were made with,
 * so an edge that is older than a widening goes on comparing its exact words, which is sound: it is one of the rows
 * that the widened one is made of.
 */
#include "guard.h"
#include "recording.h"
#include "table.h"
#include "tree.h"

static uint64_t hash_pc(uintptr_t pc)
{
  return cs_hash_mix(0, pc);
}

struct cs_plan *cs_plan_find(const struct cs_tree *tree, uintptr_t pc)
{
  const struct cs_table_slot *slot;
  for (uint64_t i = hash_pc(pc); (slot = cs_table_at(&tree->plans, i))->item; i++) {
    struct cs_plan *plan = slot->item;
    if (plan->site->pc == pc)
      return plan;
  }
  return NULL;
}

static uint8_t frame_kind(uint8_t size)
{
  return size == 8 ? CS_PLAN_FRAME8 : size == 4 ? CS_PLAN_FRAME4 : size == 2 ? CS_PLAN_FRAME2 : CS_PLAN_FRAME1;
}

/* What the fast path does for one op at this level of its arg; false when only the interpreter can. *omit: nothing is
 * compared. */
static bool plan_op(const struct cs_op *op, unsigned level, struct cs_plan_op *planned, bool *omit)
{
  bool frame = op->code == CS_OP_EMIT_FRAME || op->code == CS_OP_EMIT_NULL_FRAME;
  if (op->code > CS_OP_EMIT_NULL_FRAME)
    return false;
  *omit = level == CS_WIDEN_TYPE;
  if (*omit)
    return true;
  if (op->code == CS_OP_EMIT_CONST) {
    *planned = (struct cs_plan_op){.kind = CS_PLAN_SKIP};
    return true;
  }
  bool sized = op->size == 8 || op->size == 4 || op->size == 2 || op->size == 1;
  if (op->reg > 15 || (frame && op->imm != (int32_t)op->imm) || (op->code == CS_OP_EMIT_FRAME && !sized))
    return false;
  *planned = (struct cs_plan_op){.reg = op->reg,
                                 .shift = op->size >= 8 ? 0 : (uint8_t)(64 - 8 * op->size),
                                 .flags = op->flags & CS_OPF_SIGNED,
                                 .offset = frame ? (int32_t)op->imm : 0};
  if (level == CS_WIDEN_LOG2)
    planned->kind = CS_PLAN_LOG2;
  else if (op->code == CS_OP_EMIT_REG)
    planned->kind = CS_PLAN_REG;
  else if (op->code == CS_OP_EMIT_NULL_REG)
    planned->kind = CS_PLAN_REG_NULL;
  else
    planned->kind = op->code == CS_OP_EMIT_FRAME ? frame_kind(op->size) : CS_PLAN_FRAME_NULL;
  return !(frame && level == CS_WIDEN_LOG2);
}

static void fill_ops(struct cs_plan *plan, const uint8_t *levels)
{
  const struct cs_site *site = plan->site;
  uint32_t count = 0;
  for (uint32_t i = 0; i < site->op_count; i++) {
    bool omit = false;
    unsigned level = levels ? levels[site->ops[i].arg] : CS_WIDEN_NONE;
    if (!plan_op(&site->ops[i], level, &plan->ops[count], &omit)) {
      plan->fast = false;
      plan->count = 0;
      return;
    }
    count += !omit;
  }
  plan->count = count;
}

static struct cs_plan *make_plan(struct cs_tree *tree, const struct cs_site *site, struct cs_rec_function *function,
                                 bool arguments)
{
  size_t ops = arguments ? site->op_count : 0;
  struct cs_plan *plan = cs_arena_alloc(&tree->arena, sizeof *plan + ops * sizeof(struct cs_plan_op));
  if (!plan)
    return NULL;
  plan->active = &function->active;
  plan->site = site;
  plan->function = function;
  plan->widened = (uint32_t)function->widenings;
  plan->arguments = arguments;
  plan->fast = true;
  plan->words = (uint32_t)offsetof(struct cs_rec_edge, words) + site->state_words * (uint32_t)sizeof(uint64_t);
  if (arguments)
    fill_ops(plan, cs_function_levels(function));
  return plan;
}

void cs_tree_check_pressure(struct cs_tree *tree)
{
  uint64_t used = cs_recording_used(), limit = cs_process.reserved;
  if (used >= limit / 16 * 15)
    tree->pressure = CS_PRESSURE_SIGNATURES;
  else if (used >= limit / 4 * 3)
    tree->pressure = CS_PRESSURE_CONTEXTS;
}

struct cs_plan *cs_tree_plan(struct cs_tree *tree, const struct cs_site *site)
{
  bool arguments = cs_process.settings.signatures && tree->pressure < CS_PRESSURE_SIGNATURES;
  struct cs_table_slot *slot;
  uint64_t hash = hash_pc(site->pc), i = hash;
  for (; (slot = cs_table_at(&tree->plans, i))->item; i++) {
    const struct cs_plan *plan = slot->item;
    if (plan->site->pc == site->pc)
      break;
  }
  struct cs_plan *known = slot->item;
  if (known && known->site == site && known->function && known->widened == known->function->widenings &&
      known->arguments == arguments)
    return known;
  uint64_t module = site->module ? (uintptr_t)site->module->record : 0;
  uint64_t address = site->function == CS_NONE || !site->index_function->address
                         ? site->function_address
                         : site->index_function->address + site->module->bias;
  struct cs_rec_function *function = cs_tree_function(tree, module, CS_FUNCTION_KIND_CODE, site->function, address);
  struct cs_plan *made = function ? make_plan(tree, site, function, arguments) : NULL;
  if (!made)
    return NULL;
  if (known)
    slot->item = made;
  else if (!cs_table_add(&tree->plans, &tree->arena, hash, made))
    return NULL;
  return made;
}

bool cs_plan_exclude(struct cs_tree *tree, const struct cs_site *site)
{
  /* The exits of the function are known by its address, which is no return address. */
  struct cs_site *function = cs_arena_alloc(&tree->arena, sizeof *function);
  struct cs_plan *of_site = cs_arena_alloc(&tree->arena, sizeof *of_site);
  struct cs_plan *of_function = cs_arena_alloc(&tree->arena, sizeof *of_function);
  if (!function || !of_site || !of_function)
    return false;
  function->pc = site->function_address;
  function->excluded = true;
  of_site->site = site;
  of_function->site = function;
  return cs_table_add(&tree->plans, &tree->arena, hash_pc(site->pc), of_site) &&
         cs_table_add(&tree->plans, &tree->arena, hash_pc(function->pc), of_function);
}
