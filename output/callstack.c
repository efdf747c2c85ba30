#include "callstack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cs_callstacks_free(struct cs_callstacks *stacks)
{
  cs_vector_free(&stacks->list);
  cs_idset_free(&stacks->set);
  free(stacks->of_context);
  *stacks = (struct cs_callstacks){0};
}

static bool equal_stack(const void *owner, uint32_t number, const void *key)
{
  const struct cs_callstack *there = cs_callstack_at(owner, number), *wanted = key;
  return there->function == wanted->function && there->outer == wanted->outer;
}

static int intern_stack(struct cs_callstacks *stacks, const struct cs_callstack *stack, uint32_t *number)
{
  uint64_t hash = cs_hash_mix(stack->function, stack->outer);
  *number = cs_idset_find(&stacks->set, hash, stacks, stack, equal_stack);
  if (*number != CS_NONE)
    return 0;
  struct cs_callstack *added = cs_vector_add(&stacks->list, 1);
  if (!added)
    return -ENOMEM;
  *added = *stack;
  *number = stacks->list.count - 1;
  return cs_idset_add(&stacks->set, hash, *number);
}

static int find_stack(const struct cs_profile *profile, const uint32_t *shown_function, struct cs_callstacks *stacks,
                      uint32_t context, uint32_t *number)
{
  uint32_t functions[CS_CALLSTACK_MAX], count = 0;
  uint32_t at = cs_profile_context(profile, context)->parent;
  while (at != CS_NONE && count < stacks->frames) {
    const struct cs_context *around = cs_profile_context(profile, at);
    if (around->code != CS_NONE)
      functions[count++] = shown_function[cs_profile_code(profile, around->code)->function];
    at = around->parent;
  }
  int result = 0;
  *number = 0;
  while (count > 0 && result == 0) {
    struct cs_callstack stack = {.function = functions[--count], .outer = *number};
    result = intern_stack(stacks, &stack, number);
  }
  return result;
}

int cs_callstacks_make(const struct cs_profile *profile, const uint32_t *shown_function, unsigned frames,
                       struct cs_callstacks *stacks)
{
  *stacks = (struct cs_callstacks){.frames = frames, .list = CS_VECTOR_OF(struct cs_callstack)};
  if (frames == 0)
    return 0;
  struct cs_callstack *empty = cs_vector_add(&stacks->list, 1);
  stacks->of_context = calloc(profile->contexts.count + 1u, sizeof *stacks->of_context);
  int result = empty && stacks->of_context ? 0 : -ENOMEM;
  if (empty)
    *empty = (struct cs_callstack){.function = CS_NONE};
  /* The contexts of a cycle in a damaged file are not among those of the preorder. */
  for (uint32_t i = 0; i < profile->preorder.count && result == 0; i++) {
    uint32_t context = *(uint32_t *)cs_vector_at(&profile->preorder, i);
    result = find_stack(profile, shown_function, stacks, context, &stacks->of_context[context]);
  }
  if (result < 0)
    cs_callstacks_free(stacks);
  return result;
}

int cs_callstack_compare(const struct cs_profile *profile, const struct cs_callstacks *stacks, uint32_t left,
                         uint32_t right)
{
  while (left != right && left && right) {
    const struct cs_callstack *one = cs_callstack_at(stacks, left), *other = cs_callstack_at(stacks, right);
    if (one->function != other->function) {
      const struct cs_known_function *a = cs_profile_function(profile, one->function),
                                     *b = cs_profile_function(profile, other->function);
      int order = strcmp(cs_profile_string(profile, a->file), cs_profile_string(profile, b->file));
      if (order == 0)
        order = a->line < b->line ? -1 : a->line > b->line;
      if (order == 0)
        order = strcmp(cs_profile_string(profile, a->name), cs_profile_string(profile, b->name));
      if (order != 0)
        return order;
    }
    left = one->outer;
    right = other->outer;
  }
  return left == right ? 0 : left ? 1 : -1;
}
