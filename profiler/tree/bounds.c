/* Which calls lie in the part of the tree that is recorded, and the edges that stand for those outside. */
#include "profiler/tree/bounds.h"

#include "format/index.h"
#include "profiler/base/arena.h"
#include "profiler/base/table.h"
#include "profiler/stack/modes.h"
#include "profiler/tree/call.h"
#include "profiler/tree/fast_compare.h"
#include "profiler/tree/tree.h"

#define MOST_STAND_INS 65536u /* of a thread: some 16 MB */

bool prof_bounds_leave_out(const struct prof_tree *tree, const struct fmt_rec_variant *from,
                           const struct prof_site *site)
{
  const struct prof_settings *settings = &prof_process.settings;
  const struct fmt_rec_function *function = prof_tree_function_find(
      tree, prof_site_module(site), FMT_FUNCTION_KIND_CODE, site->function, prof_site_entry(site));
  uint32_t contexts = 0, around = 0;
  for (const struct fmt_rec_context *at = (const struct fmt_rec_context *)from->context; at && at->function;
       at = (const struct fmt_rec_context *)at->parent) {
    const struct fmt_rec_function *open = (const struct fmt_rec_function *)at->function;
    if (open == function)
      return false;
    contexts++;
    /* Of code, only what lies below such a function is recorded: the outermost that there is, is one. */
    if (!settings->below || open->kind == FMT_FUNCTION_KIND_CODE)
      around = contexts;
  }
  if (settings->below && around == 0 && !site->top)
    return true;
  return settings->depth && around >= settings->depth;
}

struct fmt_rec_edge *prof_bounds_stand_in(const struct prof_tree *tree, const struct fmt_rec_variant *from,
                                          const struct prof_site *site)
{
  struct fmt_rec_edge *edge = prof_edge_find(tree, from, prof_site_key(site), site->function_address, NULL, 0);
  return edge && !edge->to ? edge : NULL;
}

bool prof_bounds_more(const struct prof_tree *tree)
{
  return tree->stand_ins < MOST_STAND_INS;
}

void prof_bounds_make(struct prof_tree *tree, struct fmt_rec_variant *from, const struct prof_site *site)
{
  struct prof_fast_compare *compare = prof_fast_compare_note(tree, site);
  struct fmt_rec_edge *edge = compare ? prof_bounds_stand_in(tree, from, site) : NULL;
  if (compare && !edge && prof_bounds_more(tree)) {
    edge = prof_arena_alloc(&tree->arena, sizeof *edge);
    if (!edge)
      return;
    edge->site = prof_site_key(site);
    edge->function_address = site->function_address;
    edge->from = (uintptr_t)from;
    edge->site_info = (uintptr_t)compare;
    edge->mode = PROF_MODE_NEVER;
    prof_tree_encode_cfa(site, &edge->cfa);
    edge->flags = FMT_EDGE_GENERIC;
    if (!prof_edge_add_stand_in(tree, edge))
      return;
    edge->next = tree->first_stand_in;
    __atomic_store_n(&tree->first_stand_in, (uintptr_t)edge, __ATOMIC_RELEASE);
    tree->stand_ins++;
  }
  if (edge)
    prof_edge_settle(edge, site);
}
