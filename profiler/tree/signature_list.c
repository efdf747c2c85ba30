/* Lists of signatures by their functions: links in the tree's arena, found by a table. */
#include "profiler/tree/signature_list.h"

#include <stddef.h>

#include "profiler/base/arena.h"
#include "profiler/base/table.h"

struct list {
  const struct fmt_rec_function *function;
  const struct prof_signature_link *newest;
};

static uint64_t hash_of(const struct fmt_rec_function *function)
{
  return prof_hash_mix(0, (uintptr_t)function);
}

static struct list *find(const struct prof_tree *tree, const struct fmt_rec_function *function)
{
  const struct prof_table_slot *slot;
  for (uint64_t i = hash_of(function); (slot = prof_table_at(&tree->signature_lists, i))->item; i++) {
    struct list *known = slot->item;
    if (known->function == function)
      return known;
  }
  return NULL;
}

static struct list *make(struct prof_tree *tree, const struct fmt_rec_function *function)
{
  struct list *made = prof_arena_alloc(&tree->arena, sizeof *made);
  if (!made || !prof_table_add(&tree->signature_lists, &tree->arena, hash_of(function), made))
    return NULL;
  made->function = function;
  return made;
}

bool prof_signature_list_add(struct prof_tree *tree, const struct fmt_rec_function *function,
                             const struct fmt_rec_signature *signature)
{
  struct list *list = find(tree, function);
  if (!list)
    list = make(tree, function);
  struct prof_signature_link *link = list ? prof_arena_alloc(&tree->arena, sizeof *link) : NULL;
  if (!link)
    return false;
  *link = (struct prof_signature_link){list->newest, signature};
  list->newest = link;
  return true;
}

const struct prof_signature_link *prof_signature_list(const struct prof_tree *tree,
                                                      const struct fmt_rec_function *function)
{
  const struct list *list = find(tree, function);
  return list ? list->newest : NULL;
}
