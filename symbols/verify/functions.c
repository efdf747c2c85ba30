/*
 * Functions as libdwarf reads them, each once, with their parameters.
 */
#include "symbols/verify/functions.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/verify/die.h"

enum { BUCKETS = 4096, PARAMETERS_MAX = 255 };

static bool is_parameter(Dwarf_Die die)
{
  return vf_tag(die) == DW_TAG_formal_parameter;
}

static bool is_pack(Dwarf_Die die)
{
  return vf_tag(die) == DW_TAG_GNU_formal_parameter_pack;
}

static bool add_parameter(struct vf_module *module, struct vf_function *function, Dwarf_Die die, const char *pack,
                          unsigned pack_index)
{
  if (function->parameter_count == PARAMETERS_MAX)
    return true;
  struct vf_parameter *parameter = &function->parameters[function->parameter_count++];
  const char *name = vf_name(die);
  bool is_this = name && (strcmp(name, "this") == 0 || strcmp(name, "__closure") == 0);
  parameter->die = die;
  parameter->is_hidden = vf_has(die, DW_AT_artificial) && !is_this;
  parameter->type = vf_type_of(module, function->object, die);
  if (name)
    parameter->name = name;
  else if (pack && *pack)
    parameter->name = base_arena_printf(&module->arena, "%s[%u]", pack, pack_index);
  else
    parameter->name = base_arena_printf(&module->arena, "$%u", (unsigned)function->parameter_count);
  return parameter->type && parameter->name;
}

static bool add_parameters(struct vf_module *module, struct vf_function *function, Dwarf_Die parent, const char *pack)
{
  unsigned pack_index = 0;
  Dwarf_Debug dbg = function->object->dbg;
  for (Dwarf_Die child = vf_child(parent); child; child = vf_sibling(dbg, child)) {
    bool added = true;
    if (is_parameter(child))
      added = add_parameter(module, function, child, pack, pack_index++);
    else if (is_pack(child) && !pack)
      added = add_parameters(module, function, child, vf_name(child) ? vf_name(child) : "");
    else if (vf_tag(child) == DW_TAG_unspecified_parameters)
      function->is_variadic = true;
    if (!added)
      return false;
  }
  return true;
}

static struct vf_function *make(struct vf_module *module, struct vf_object *object, Dwarf_Die root)
{
  struct vf_function *function = base_arena_alloc(&module->arena, sizeof *function);
  if (!function)
    return NULL;
  *function = (struct vf_function){.object = object, .root = root, .offset = vf_offset(root), .checked_as = FMT_NONE};
  function->parameters = base_arena_alloc(&module->arena, PARAMETERS_MAX * sizeof *function->parameters);
  function->name = vf_qualified(module, object, root);
  function->linkage_name = vf_linkage_name(object->dbg, root);
  bool complete = function->parameters && function->name && add_parameters(module, function, root, NULL);
  return complete ? function : NULL;
}

struct vf_function *vf_function_of(struct vf_module *module, struct vf_functions *functions,
                                   const struct vf_scope *scope)
{
  if (!functions->buckets) {
    functions->buckets = calloc(BUCKETS, sizeof *functions->buckets);
    if (!functions->buckets)
      return NULL;
    functions->bucket_count = BUCKETS;
  }
  Dwarf_Die root = vf_root(scope->object->dbg, scope->die);
  uint64_t offset = vf_offset(root);
  struct vf_function **bucket = &functions->buckets[offset % functions->bucket_count];
  for (struct vf_function *function = *bucket; function; function = function->next)
    if (function->object == scope->object && function->offset == offset)
      return function;
  struct vf_function *function = make(module, scope->object, root);
  if (function) {
    function->next = *bucket;
    *bucket = function;
  }
  return function;
}

/* Whether a constructor's or destructor's variant (C1, C2, D0 ...) stands at `at` in a linkage name. */
static bool is_variant(const char *at)
{
  return (at[0] == 'C' || at[0] == 'D') && at[1] >= '0' && at[1] <= '9' && (at[2] == 'E' || at[2] == 'I');
}

bool vf_is_same_overload(const struct vf_function *a, const struct vf_function *b)
{
  const char *first = a->linkage_name, *second = b->linkage_name;
  if (a == b || !first || !second)
    return true;
  for (; *first && *first == *second; first++, second++)
    if (is_variant(first) && is_variant(second)) {
      first++;
      second++;
    }
  return *first == *second;
}

static void find_instances(const struct vf_scope *scope, const struct vf_function *function, Dwarf_Die parent,
                           Dwarf_Die *dies)
{
  Dwarf_Debug dbg = scope->object->dbg;
  for (Dwarf_Die child = vf_child(parent); child; child = vf_sibling(dbg, child)) {
    if (is_pack(child)) {
      find_instances(scope, function, child, dies);
      continue;
    }
    if (!is_parameter(child))
      continue;
    uint64_t root = vf_offset(vf_root(dbg, child));
    for (uint16_t i = 0; i < function->parameter_count; i++)
      if (!dies[i] && vf_offset(function->parameters[i].die) == root)
        dies[i] = child;
  }
}

void vf_instance_parameters(const struct vf_scope *scope, const struct vf_function *function, Dwarf_Die *dies)
{
  memset(dies, 0, function->parameter_count * sizeof *dies);
  find_instances(scope, function, scope->die, dies);
}
