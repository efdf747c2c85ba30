#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

/* A walk of the contexts from `first` on: for each, its first child and next sibling; how often each function, each
 * module and each pair of them is open on the path to where the walk stands. */
struct walk {
  struct cs_profile *profile;
  uint32_t first, count;
  uint32_t *child, *sibling;     /* by context - first, numbers of contexts; CS_NONE at the end */
  uint32_t *functions, *modules; /* open counts */
  struct cs_idset pair_set;      /* codes by (function, module label) */
  uint32_t *pair_of;             /* by code: the first code with the same function and module */
  uint32_t *pairs;               /* open counts, by pair_of */
};

struct pair_key {
  uint32_t function, label;
};

static bool equal_pair(const void *owner, uint32_t number, const void *key)
{
  const struct cs_code *code = cs_profile_code(owner, number);
  const struct pair_key *wanted = key;
  return code->function == wanted->function && cs_profile_label(owner, code->module) == wanted->label;
}

static int find_pairs(struct walk *walk)
{
  for (uint32_t i = 0; i < walk->profile->codes.count; i++) {
    const struct cs_code *code = cs_profile_code(walk->profile, i);
    struct pair_key key = {.function = code->function, .label = cs_profile_label(walk->profile, code->module)};
    uint64_t hash = cs_hash_mix(key.function, key.label);
    walk->pair_of[i] = cs_idset_find(&walk->pair_set, hash, walk->profile, &key, equal_pair);
    if (walk->pair_of[i] == CS_NONE) {
      walk->pair_of[i] = i;
      int result = cs_idset_add(&walk->pair_set, hash, i);
      if (result < 0)
        return result;
    }
  }
  return 0;
}

static int allocate(struct walk *walk)
{
  const struct cs_profile *profile = walk->profile;
  size_t contexts = walk->count + 1u, codes = profile->codes.count + 1u;
  walk->child = malloc(contexts * sizeof *walk->child);
  walk->sibling = malloc(contexts * sizeof *walk->sibling);
  walk->functions = calloc(profile->functions.count + 1u, sizeof *walk->functions);
  walk->modules = calloc(profile->modules.count + 1u, sizeof *walk->modules);
  walk->pair_of = malloc(codes * sizeof *walk->pair_of);
  walk->pairs = calloc(codes, sizeof *walk->pairs);
  if (!walk->child || !walk->sibling || !walk->functions || !walk->modules || !walk->pair_of || !walk->pairs)
    return -ENOMEM;
  memset(walk->child, 0xFF, contexts * sizeof *walk->child);
  return find_pairs(walk);
}

static void release(struct walk *walk)
{
  free(walk->child);
  free(walk->sibling);
  free(walk->functions);
  free(walk->modules);
  free(walk->pair_of);
  free(walk->pairs);
  cs_idset_free(&walk->pair_set);
}

static uint32_t link_children(struct walk *walk)
{
  uint32_t root = CS_NONE;
  for (uint32_t i = walk->count; i-- > 0;) {
    uint32_t parent = cs_profile_context(walk->profile, walk->first + i)->parent;
    uint32_t *list = parent == CS_NONE ? &root : &walk->child[parent - walk->first];
    walk->sibling[i] = *list;
    *list = walk->first + i;
  }
  return root;
}

/* Notes what encloses the context when the walk comes to it, with `step` 1, and forgets it again with -1. */
static void visit(struct walk *walk, uint32_t number, int step)
{
  struct cs_context *context = cs_profile_context(walk->profile, number);
  if (context->code == CS_NONE)
    return;
  const struct cs_code *code = cs_profile_code(walk->profile, context->code);
  uint32_t *function = &walk->functions[code->function];
  uint32_t *pair = &walk->pairs[walk->pair_of[context->code]];
  uint32_t *module = code->module == CS_NONE ? NULL : &walk->modules[code->module];
  if (step > 0) {
    context->cover |= *function ? CS_COVER_FUNCTION : 0u;
    context->cover |= *pair ? CS_COVER_MODULE_CODE : 0u;
    context->cover |= module && *module ? CS_COVER_MODULE : 0u;
  }
  *function += (uint32_t)step;
  *pair += (uint32_t)step;
  if (module)
    *module += (uint32_t)step;
}

static int enter(struct walk *walk, uint32_t number)
{
  uint32_t *order = cs_vector_add(&walk->profile->preorder, 1);
  if (!order)
    return -ENOMEM;
  *order = number;
  visit(walk, number, 1);
  return 0;
}

/* Depth first without a stack: a context knows its parent. Contexts on a cycle of a damaged file are never reached. */
static int walk_tree(struct walk *walk, uint32_t root)
{
  uint32_t at = root;
  while (at != CS_NONE) {
    int result = enter(walk, at);
    if (result < 0)
      return result;
    uint32_t next = walk->child[at - walk->first];
    while (next == CS_NONE && at != CS_NONE) {
      visit(walk, at, -1);
      next = walk->sibling[at - walk->first];
      at = cs_profile_context(walk->profile, at)->parent;
    }
    at = next;
  }
  return 0;
}

int cs_load_cover(struct cs_profile *profile, uint32_t first)
{
  struct walk walk = {.profile = profile, .first = first, .count = profile->contexts.count - first};
  int result = allocate(&walk);
  if (result == 0)
    result = walk_tree(&walk, link_children(&walk));
  release(&walk);
  return result;
}
