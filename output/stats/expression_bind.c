/* Finds what the names of a condition mean in one function's parameters. */
#include "output/stats/expression_bind.h"

#include <errno.h>
#include <string.h>

#include "output/stats/expression_lex.h"

/* Does the argument's name begin the path? Returns how much of the path it takes, 0 for no. Names by rule may have
 * "->", which the path writes as ".". */
static size_t match(const char *name, const char *path)
{
  size_t at = 0;
  for (; *name; name++, at++) {
    if (name[0] == '-' && name[1] == '>')
      name++;
    char byte = *name == '>' ? '.' : *name;
    if (path[at] != byte)
      return 0;
  }
  return at > 0 && (path[at] == '\0' || path[at] == '.') ? at : 0;
}

/* Finds the path among the arguments [from, to) of one group or function: `direct` of them are stepped to. */
static struct out_path_binding find(const struct out_layout *layout, uint32_t from, uint32_t to, const char *path)
{
  struct out_path_binding found = {.argument = FMT_NONE};
  const struct fmt_index_arg *args = &layout->index->args[layout->entry->first_arg];
  size_t longest = 0;
  for (uint32_t i = from; i < to; i += 1u + args[i].children) {
    size_t length = match(fmt_index_string(layout->index, args[i].name), path);
    if (length <= longest)
      continue;
    longest = length;
    found = (struct out_path_binding){.argument = i};
  }
  if (longest == 0 || path[longest] == '\0')
    return found;
  const struct fmt_index_arg *arg = &args[found.argument];
  const char *rest = path + longest + 1;
  uint32_t end = found.argument + 1u + arg->children;
  struct out_path_binding inner = {.argument = FMT_NONE};
  if (arg->kind == FMT_ARG_GROUP)
    inner = find(layout, found.argument + 1, end < to ? end : to, rest);
  if (inner.argument == FMT_NONE && strcmp(rest, "len") == 0)
    inner = (struct out_path_binding){.argument = found.argument, .is_length = true};
  return inner;
}

struct out_path_binding out_expression_bind(struct out_node *path, const struct out_profile *profile, uint32_t layout)
{
  if (path->bound_layout != layout) {
    const struct out_layout *known = out_profile_layout(profile, layout);
    path->bound_layout = layout;
    path->binding = (struct out_path_binding){.argument = FMT_NONE};
    if (known->entry)
      path->binding = find(known, 0, known->entry->arg_count, path->text);
  }
  return path->binding;
}

static bool is_argument(struct out_node *path, const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->layouts.count; i++) {
    if (out_expression_bind(path, profile, i).argument != FMT_NONE)
      return true;
  }
  return false;
}

static bool is_named_in(const struct fmt_index *index, const char *name)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_ENUMERATORS]; i++) {
    if (strcmp(fmt_index_string(index, index->enumerators[i].name), name) == 0)
      return true;
  }
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SYMBOLS]; i++) {
    if (strcmp(fmt_index_string(index, index->symbols[i].name), name) == 0)
      return true;
  }
  return false;
}

/* An enumerator, or a function that a pointer may be compared with. */
static bool names_constant(const struct out_node *path, const struct out_profile *profile)
{
  for (uint32_t i = 0; i < profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    if (module->index.header && is_named_in(&module->index, path->text))
      return true;
  }
  return false;
}

int out_expression_check(struct out_expression *expression, const struct out_profile *profile)
{
  for (uint32_t i = 0; i < expression->nodes.count; i++) {
    struct out_node *node = out_expression_node(expression, i);
    if (node->kind != OUT_NODE_PATH)
      continue;
    node->is_constant = !is_argument(node, profile);
    if (node->is_constant && !names_constant(node, profile))
      return out_expression_fail(
          expression, node->column,
          "no recorded function has an argument '%s', and no enumerator or function is called so", node->text);
  }
  return 0;
}
