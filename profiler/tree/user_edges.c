/* The edges of what no hook is called for: the nodes that they lead to are those of tasks, actions and waits. */
#include "profiler/tree/user_edges.h"

struct fmt_rec_function *prof_tree_task_function(struct prof_tree *tree, const struct fmt_rec_stage *stage)
{
  return prof_tree_function(tree, 0, FMT_FUNCTION_KIND_TASK, FMT_NONE, (uintptr_t)stage);
}

/* No code is there: what the function is named by stands for its site and its this_fn, the same in all threads. */
static struct prof_edge_key user_key(struct fmt_rec_function *function)
{
  return (struct prof_edge_key){.site = function->address,
                                .function_address = function->address,
                                .function = function,
                                .signature_flags = FMT_SIGNATURE_NONE,
                                .generic = true};
}

struct fmt_rec_edge *prof_tree_user_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                         struct fmt_rec_function *function, const struct fmt_rec_name *text,
                                         bool inherited)
{
  const uint64_t word = (uintptr_t)text;
  struct prof_edge_key key = user_key(function);
  if (text) {
    key.words = &word;
    key.word_count = 1;
    key.signature_flags = FMT_SIGNATURE_TEXT;
  }
  if (inherited)
    prof_edge_key_inherit(&key);
  return prof_edge_find_or_make(tree, from, &key);
}

struct fmt_rec_edge *prof_tree_wait_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                         struct fmt_rec_function *function)
{
  struct prof_edge_key key = user_key(function);
  key.is_wait = true;
  return prof_edge_find_or_make(tree, from, &key);
}
