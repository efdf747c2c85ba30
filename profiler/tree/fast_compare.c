/*
 * Fast comparisons: what a tree knows of a probe site, and what the fast path compares there.
 *
 * One is made with the levels of widening that its function has then. Edges keep the one that they were made with,
 * so an edge that is older than a widening goes on comparing its exact words, which is sound: it is one of the rows
 * that the widened one is made of.
 */
#include "profiler/tree/fast_compare.h"

#include <stddef.h>

#include "format/index.h"
#include "profiler/base/arena.h"
#include "profiler/base/process.h"
#include "profiler/base/table.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/compare_ops.h"
#include "profiler/tree/tree.h"

static uint64_t hash_compare(uintptr_t pc, uintptr_t return_pc)
{
  return prof_hash_mix(prof_hash_mix(0, pc), return_pc);
}

/* Another module's may lie at the same address by now, while what it had stays for when it comes back. */
static bool is_gone(const struct prof_fast_compare *compare)
{
  return compare->site->module && compare->site->module->unloaded;
}

/* The slot of the comparison, or the free one where it would be. What was in it, NULL for nothing, is *found: a signal
 * handler's hooks may put another site's there a moment later. */
static struct prof_table_slot *slot_of(const struct prof_tree *tree, uintptr_t pc, uintptr_t function_address,
                                       uintptr_t return_pc, struct prof_fast_compare **found)
{
  for (uint64_t i = hash_compare(pc, return_pc);; i++) {
    struct prof_table_slot *slot = prof_table_at(&tree->fast_compares, i);
    struct prof_fast_compare *compare = __atomic_load_n(&slot->item, __ATOMIC_RELAXED);
    *found = compare;
    if (!compare || (compare->site->pc == pc && compare->site->function_address == function_address &&
                     compare->return_pc == return_pc && !is_gone(compare)))
      return slot;
  }
}

struct prof_fast_compare *prof_fast_compare_find(const struct prof_tree *tree, uintptr_t pc, uintptr_t function_address,
                                                 uintptr_t return_pc)
{
  struct prof_fast_compare *found;
  (void)slot_of(tree, pc, function_address, return_pc, &found);
  return found;
}

struct prof_fast_compare *prof_fast_compare_at(const struct prof_tree *tree, uintptr_t pc)
{
  struct prof_fast_compare *compare;
  uint64_t i = hash_compare(pc, 0);
  while ((compare = prof_table_at(&tree->fast_compares, i)->item) != NULL &&
         (compare->site->pc != pc || is_gone(compare)))
    i++;
  return compare && compare->site->module ? compare : NULL;
}

static struct prof_fast_compare *make_compare(struct prof_tree *tree, const struct prof_site *site,
                                              struct fmt_rec_function *function, bool arguments, uintptr_t return_pc)
{
  const bool call_site = prof_process.settings.call_sites;
  /* Two for a return address. */
  size_t ops = (arguments ? site->op_count + 2u + site->state_words : 0) + call_site;
  struct prof_fast_compare *compare =
      prof_arena_alloc(&tree->arena, sizeof *compare + ops * sizeof(struct prof_fast_compare_op));
  if (!compare)
    return NULL;
  compare->active = &function->active;
  compare->site = site;
  compare->function = function;
  compare->widened = (uint32_t)function->widenings;
  compare->arguments = arguments;
  compare->call_site = call_site;
  compare->return_pc = return_pc;
  compare->words =
      (uint32_t)(offsetof(struct fmt_rec_edge, words) + prof_compare_state_words(compare) * sizeof(uint64_t));
  prof_compare_fill_ops(compare, prof_function_levels(function));
  if (compare->fast && site->sled && prof_process.upcalls.make_code)
    compare->number = prof_process.upcalls.make_code(compare);
  return compare;
}

bool prof_compare_says_all(struct prof_fast_compare *compare, const uint64_t *words, uint32_t count)
{
  const uint32_t states = prof_compare_state_words(compare);
  if (!compare->fast || (compare->texts && !compare->probed))
    return false;
  /* Where an arg is lost at times, words are missing; of texts that tells nothing, but its state does. */
  if (!compare->texts)
    return count == states + compare->compared;
  bool same = count > states;
  for (uint32_t i = 0; same && i < states; i++)
    same = words[i] == prof_compare_states(compare)[i];
  return same;
}

struct prof_fast_compare *prof_fast_compare_of(struct prof_tree *tree, const struct prof_site *site,
                                               uintptr_t return_pc)
{
  bool arguments = prof_process.settings.signatures && tree->pressure < PROF_PRESSURE_SIGNATURES;
  struct prof_fast_compare *known;
  struct prof_table_slot *slot = slot_of(tree, site->pc, site->function_address, return_pc, &known);
  if (known && known->site == site && known->function && known->widened == known->function->widenings &&
      known->arguments == arguments)
    return known;
  struct fmt_rec_function *function =
      prof_tree_function(tree, prof_site_module(site), FMT_FUNCTION_KIND_CODE, site->function, prof_site_entry(site));
  struct prof_fast_compare *made = function ? make_compare(tree, site, function, arguments, return_pc) : NULL;
  if (!made)
    return NULL;
  if (known)
    slot->item = made;
  else if (!prof_table_add(&tree->fast_compares, &tree->arena, hash_compare(site->pc, return_pc), made))
    return NULL;
  return made;
}

/* Puts the comparison into its slot, which another site's may hold that lay at the same address. */
static bool put_compare(struct prof_tree *tree, struct prof_fast_compare *compare)
{
  const struct prof_site *site = compare->site;
  struct prof_fast_compare *known;
  struct prof_table_slot *slot = slot_of(tree, site->pc, site->function_address, 0, &known);
  if (!known)
    return prof_table_add(&tree->fast_compares, &tree->arena, hash_compare(site->pc, 0), compare);
  slot->item = compare;
  return true;
}

struct prof_fast_compare *prof_fast_compare_note(struct prof_tree *tree, const struct prof_site *site)
{
  struct prof_fast_compare *known = prof_fast_compare_find(tree, site->pc, site->function_address, 0);
  if (known && known->site == site)
    return known;
  struct prof_fast_compare *made = prof_arena_alloc(&tree->arena, sizeof *made);
  if (!made)
    return NULL;
  made->site = site;
  return put_compare(tree, made) ? made : NULL;
}

bool prof_fast_compare_exclude(struct prof_tree *tree, const struct prof_site *site)
{
  const struct prof_fast_compare *known = prof_fast_compare_find(tree, site->pc, site->function_address, 0);
  if (known && known->site == site)
    return true;
  /* The exits of the function are known by its address alone, which is no return address. */
  struct prof_site *function = prof_arena_alloc(&tree->arena, sizeof *function);
  struct prof_fast_compare *of_function = prof_arena_alloc(&tree->arena, sizeof *of_function);
  if (!function || !of_function)
    return false;
  function->pc = site->function_address;
  function->module = site->module;
  function->excluded = true;
  of_function->site = function;
  return prof_fast_compare_note(tree, site) && put_compare(tree, of_function);
}

/* How many words of an edge an op compares, the first of which this is. */
static uint32_t words_of(const struct prof_fast_compare_op *op, const uint64_t *word)
{
  const bool is_null = op->kind == PROF_COMPARE_TEXT && *word == UINT64_MAX;
  if (op->kind == PROF_COMPARE_STEP)
    return 0;
  return op->kind == PROF_COMPARE_TEXT && !is_null ? 1 + (uint32_t)((*word << 1 >> 1) + 7) / 8 : 1;
}

void prof_fast_compare_note_nulls(struct prof_fast_compare *compare, const struct fmt_rec_edge *edge)
{
  const uint64_t *word = (const uint64_t *)((const char *)edge + compare->words);
  for (uint32_t i = 0; i < compare->count && i < PROF_COMPARE_NULLS; i++) {
    const uint8_t kind = compare->ops[i].kind;
    if (kind == PROF_COMPARE_REG_NULL || kind == PROF_COMPARE_FRAME_NULL)
      *(*word ? &compare->was_set : &compare->was_null) |= 1u << i;
    word += words_of(&compare->ops[i], word);
  }
}
