/*
 * Holds the names and the file of a function against what a rule asks for.
 */
#include "symbols/plan/rule_match.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "symbols/dwarf/declfile.h"
#include "symbols/dwarf/die.h"
#include "symbols/plan/planner_state.h"

int sym_function_names(struct sym_planner *planner, Dwarf_Die *root, struct sym_function_names *names)
{
  names->qualified = sym_types_qualified_name(planner->types, root);
  if (!names->qualified)
    return -ENOMEM;
  names->plain = dwarf_diename(root) ? dwarf_diename(root) : "";
  names->linkage = sym_die_linkage_name(root);
  if (!names->linkage)
    names->linkage = "";
  char path[SYM_FILE_MAX];
  const char *file = sym_decl_file(root, path);
  names->file = file ? base_arena_copy(&planner->arena, file, strlen(file)) : "";
  return names->file ? 0 : -ENOMEM;
}

bool sym_function_constructs(const struct sym_function_names *names, Dwarf_Die pointer)
{
  Dwarf_Die class;
  if (!sym_type_strip(&pointer) || !sym_type_of(&pointer, &class) || !sym_type_strip(&class))
    return false;
  /* No other member of a class can be called as it is. Template arguments are part of either name, or of none. */
  const char *name = dwarf_diename(&class);
  const size_t length = strcspn(names->plain, "<");
  return name && length > 0 && strcspn(name, "<") == length && strncmp(name, names->plain, length) == 0;
}

static bool name_matches(const struct sym_rule *rule, const char *name)
{
  if (!*name)
    return false;
  return rule->is_glob ? fnmatch(rule->name, name, 0) == 0 : strcmp(rule->name, name) == 0;
}

/* A glob of the whole path, or of as many last parts of it as the glob has. */
static bool file_matches(const char *glob, const char *file)
{
  if (fnmatch(glob, file, 0) == 0)
    return true;
  for (const char *at = strchr(file, '/'); at; at = strchr(at + 1, '/'))
    if (fnmatch(glob, at + 1, FNM_PATHNAME) == 0)
      return true;
  return false;
}

bool sym_rule_matches(const struct sym_rule *rule, const struct sym_function_names *names)
{
  if (rule->kind == SYM_RULE_TYPE)
    return false;
  if (rule->file && !file_matches(rule->file, names->file))
    return false;
  return name_matches(rule, names->qualified) || name_matches(rule, names->plain) || name_matches(rule, names->linkage);
}

const char *sym_rule_origin(struct base_arena *arena, const struct sym_planner *planner, int set,
                            const struct sym_rule *rule)
{
  const char *origin = planner->sets[set].rules->origin;
  if (set == 0)
    return base_arena_printf(arena, "%s: rule %u of its .note.callsig", origin, rule->line);
  return base_arena_printf(arena, "%s:%u", origin, rule->line);
}
