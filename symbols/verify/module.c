/*
 * Opens a module with libdwarf, and lists its scopes, ranges and calls.
 */
#include "symbols/verify/module.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols/verify/die.h"
#include "symbols/verify/object.h"

enum { DEPTH_MAX = 512 };

/* Makes room for one more in an array of the module. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity)
    return array;
  size_t larger = *capacity ? *capacity * 2 : 256;
  void *out = realloc(array, larger * size);
  if (out)
    *capacity = larger;
  return out;
}

static int add_range(struct vf_module *module, uint64_t low, uint64_t high, uint32_t scope)
{
  if (high <= low)
    return 0;
  struct vf_range *ranges = grow(module->ranges, module->range_count, &module->range_capacity, sizeof *module->ranges);
  if (!ranges)
    return -ENOMEM;
  module->ranges = ranges;
  ranges[module->range_count++] = (struct vf_range){low, high, scope};
  return 0;
}

/* A list of ranges. An index of a .dwo file's own table is looked up first: libdwarf does so only for a tied object. */
static bool open_rnglist(Dwarf_Debug dbg, Dwarf_Attribute attribute, Dwarf_Half form, uint64_t value,
                         Dwarf_Rnglists_Head *head, Dwarf_Unsigned *count)
{
  Dwarf_Unsigned relative, offset;
  if (dwarf_rnglists_get_rle_head(attribute, form, value, head, count, &offset, VF_ERROR) == DW_DLV_OK)
    return true;
  return form == DW_FORM_rnglistx &&
         dwarf_get_rnglist_offset_index_value(dbg, 0, value, &relative, &offset, VF_ERROR) == DW_DLV_OK &&
         dwarf_rnglists_get_rle_head(attribute, DW_FORM_sec_offset, offset, head, count, &offset, VF_ERROR) ==
             DW_DLV_OK;
}

static int add_rnglist(struct vf_module *module, Dwarf_Debug dbg, Dwarf_Attribute attribute, Dwarf_Half form,
                       uint64_t value, uint32_t scope)
{
  Dwarf_Rnglists_Head head;
  Dwarf_Unsigned count;
  if (!open_rnglist(dbg, attribute, form, value, &head, &count)) {
    module->unreadable_ranges++;
    return 0;
  }
  int result = 0;
  for (Dwarf_Unsigned i = 0; i < count && result == 0; i++) {
    unsigned length, code;
    Dwarf_Unsigned raw1, raw2, low, high;
    Dwarf_Bool unavailable;
    if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &code, &raw1, &raw2, &unavailable, &low, &high, VF_ERROR) !=
        DW_DLV_OK)
      break;
    if (code == DW_RLE_end_of_list)
      break;
    if (code == DW_RLE_base_address || code == DW_RLE_base_addressx || unavailable)
      continue;
    result = add_range(module, low, high, scope);
  }
  dwarf_dealloc_rnglists_head(head);
  return result;
}

static int add_old_ranges(struct vf_module *module, Dwarf_Debug dbg, Dwarf_Die die, uint64_t offset, uint64_t base,
                          uint32_t scope)
{
  Dwarf_Ranges *list;
  Dwarf_Signed count;
  Dwarf_Off real;
  Dwarf_Unsigned bytes;
  if (dwarf_get_ranges_b(dbg, offset, die, &real, &list, &count, &bytes, VF_ERROR) != DW_DLV_OK) {
    module->unreadable_ranges++;
    return 0;
  }
  int result = 0;
  for (Dwarf_Signed i = 0; i < count && result == 0; i++) {
    if (list[i].dwr_type == DW_RANGES_END)
      break;
    if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
      base = list[i].dwr_addr2;
    else
      result = add_range(module, base + list[i].dwr_addr1, base + list[i].dwr_addr2, scope);
  }
  dwarf_ranges_dealloc(dbg, list, count);
  return result;
}

/* A walk over one unit. */
struct walk {
  struct vf_module *module;
  struct vf_object *object;
  Dwarf_Half version;
  uint64_t base;     /* low_pc of the unit */
  uint64_t function; /* the offset of the subprogram that is walked */
  bool is_cxx;
};

static int add_ranges_of(struct walk *walk, Dwarf_Die die, uint32_t scope)
{
  Dwarf_Addr low, high;
  Dwarf_Half form = 0;
  enum Dwarf_Form_Class class;
  Dwarf_Attribute attribute;
  if (dwarf_lowpc(die, &low, VF_ERROR) == DW_DLV_OK && dwarf_highpc_b(die, &high, &form, &class, VF_ERROR) == DW_DLV_OK)
    return add_range(walk->module, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high, scope);
  if (!vf_attribute(die, DW_AT_ranges, &attribute))
    return 0;
  Dwarf_Off offset = 0;
  Dwarf_Unsigned value = 0;
  int result = 0;
  dwarf_whatform(attribute, &form, VF_ERROR);
  bool known = form == DW_FORM_rnglistx ? dwarf_formudata(attribute, &value, VF_ERROR) == DW_DLV_OK
                                        : dwarf_global_formref(attribute, &offset, VF_ERROR) == DW_DLV_OK;
  if (form != DW_FORM_rnglistx)
    value = offset;
  if (known && walk->version >= 5)
    result = add_rnglist(walk->module, walk->object->dbg, attribute, form, value, scope);
  else if (known)
    result = add_old_ranges(walk->module, walk->object->dbg, die, value, walk->base, scope);
  dwarf_dealloc_attribute(attribute);
  return result;
}

static int add_scope(struct walk *walk, Dwarf_Die die, int32_t outer, int32_t *added)
{
  struct vf_module *module = walk->module;
  bool is_inlined = vf_tag(die) == DW_TAG_inlined_subroutine;
  if (!vf_has(die, DW_AT_low_pc) && !vf_has(die, DW_AT_ranges))
    return 0;
  struct vf_scope *scopes = grow(module->scopes, module->scope_count, &module->scope_capacity, sizeof *module->scopes);
  if (!scopes)
    return -ENOMEM;
  module->scopes = scopes;
  scopes[module->scope_count] = (struct vf_scope){
      .die = die,
      .object = walk->object,
      .outer = is_inlined ? outer : -1,
      .caller = is_inlined ? walk->function : vf_offset(die),
      .depth = is_inlined && outer >= 0 ? (uint16_t)(scopes[outer].depth + 1) : 0,
      .is_inlined = is_inlined,
  };
  *added = (int32_t)module->scope_count;
  return add_ranges_of(walk, die, (uint32_t)module->scope_count++);
}

static int add_parent(struct vf_object *object, Dwarf_Die die, uint64_t parent)
{
  struct vf_parent *parents =
      grow(object->parents, object->parent_count, &object->parent_capacity, sizeof *object->parents);
  if (!parents)
    return -ENOMEM;
  object->parents = parents;
  parents[object->parent_count++] = (struct vf_parent){vf_parent_key(die), parent};
  return 0;
}

static int add_call(struct walk *walk, Dwarf_Die die)
{
  struct vf_module *module = walk->module;
  Dwarf_Attribute attribute;
  Dwarf_Addr pc = 0;
  Dwarf_Debug dbg = walk->object->dbg;
  Dwarf_Die origin = vf_reference(dbg, die, vf_has(die, DW_AT_call_origin) ? DW_AT_call_origin : DW_AT_abstract_origin);
  if (vf_attribute(die, DW_AT_call_return_pc, &attribute) || vf_attribute(die, DW_AT_low_pc, &attribute)) {
    if (dwarf_formaddr(attribute, &pc, VF_ERROR) != DW_DLV_OK)
      pc = 0;
    dwarf_dealloc_attribute(attribute);
  }
  struct vf_call *calls = grow(module->calls, module->call_count, &module->call_capacity, sizeof *module->calls);
  if (!calls)
    return -ENOMEM;
  module->calls = calls;
  calls[module->call_count++] = (struct vf_call){.pc = pc,
                                                 .origin = origin ? vf_offset(origin) : 0,
                                                 .root = origin ? vf_offset(vf_root(dbg, origin)) : 0,
                                                 .caller = walk->function,
                                                 .die = die,
                                                 .object = walk->object};
  return 0;
}

static int walk_children(struct walk *walk, Dwarf_Die parent, int32_t outer, int depth);

static int walk_die(struct walk *walk, Dwarf_Die die, Dwarf_Die parent, int32_t outer, int depth, bool *kept)
{
  Dwarf_Half tag = vf_tag(die);
  int32_t scope = outer;
  int result = 0;
  if (walk->is_cxx && vf_is_named_after(tag, vf_tag(parent)))
    result = add_parent(walk->object, die, vf_offset(parent));
  if (result < 0)
    return result;
  switch (tag) {
  case DW_TAG_subprogram:
  case DW_TAG_inlined_subroutine:
    scope = tag == DW_TAG_subprogram ? -1 : outer;
    result = add_scope(walk, die, outer, &scope);
    *kept = true;
    break;
  case DW_TAG_call_site:
  case DW_TAG_GNU_call_site:
    *kept = true;
    return add_call(walk, die);
  case DW_TAG_lexical_block:
  case DW_TAG_namespace:
  case DW_TAG_module:
  case DW_TAG_class_type:
  case DW_TAG_structure_type:
  case DW_TAG_union_type:
    break;
  default:
    return 0;
  }
  const uint64_t outer_function = walk->function;
  if (tag == DW_TAG_subprogram)
    walk->function = vf_offset(die);
  if (result >= 0)
    result = walk_children(walk, die, scope, depth + 1);
  walk->function = outer_function;
  return result;
}

static int walk_children(struct walk *walk, Dwarf_Die parent, int32_t outer, int depth)
{
  Dwarf_Die child = depth < DEPTH_MAX ? vf_child(parent) : NULL;
  while (child) {
    bool kept = false;
    int result = walk_die(walk, child, parent, outer, depth, &kept);
    if (result < 0)
      return result;
    Dwarf_Die next = vf_sibling(walk->object->dbg, child);
    if (!kept)
      dwarf_dealloc_die(child);
    child = next;
  }
  return 0;
}

/* Opens the .dwo file of a skeleton unit, beside the module or where the compiler put it. NULL when it cannot be. */
static struct vf_object *open_split(struct vf_module *module, struct vf_object *main, Dwarf_Die unit)
{
  Dwarf_Attribute attribute;
  char *name = NULL, *directory = NULL;
  if ((vf_attribute(unit, DW_AT_dwo_name, &attribute) || vf_attribute(unit, DW_AT_GNU_dwo_name, &attribute)))
    dwarf_formstring(attribute, &name, VF_ERROR);
  if (vf_attribute(unit, DW_AT_comp_dir, &attribute))
    dwarf_formstring(attribute, &directory, VF_ERROR);
  if (!name)
    return NULL;
  struct stat facts;
  const char *path = name[0] == '/' || !directory ? name : base_arena_printf(&module->arena, "%s/%s", directory, name);
  struct vf_object *object = base_arena_alloc(&module->arena, sizeof *object);
  struct vf_object **objects = realloc(module->objects, (module->object_count + 1) * sizeof *objects);
  if (objects)
    module->objects = objects;
  /* A FIFO in its place would be waited for. */
  if (!path || !object || !objects || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) ||
      !vf_open_object(path, DW_GROUPNUMBER_DWO, NULL, 0, &object->dbg))
    return NULL;
  dwarf_set_tied_dbg(object->dbg, main->dbg, NULL);
  module->objects[module->object_count++] = object;
  return object;
}

static int walk_units(struct vf_module *module, struct vf_object *object, uint64_t skeleton_base);

/* A unit of an object. */
struct unit {
  Dwarf_Die die;
  Dwarf_Half version, type;
};

static int walk_unit(struct vf_module *module, struct vf_object *object, const struct unit *unit,
                     uint64_t skeleton_base)
{
  struct walk walk = {.module = module, .object = object, .version = unit->version, .base = skeleton_base};
  Dwarf_Addr low;
  if (dwarf_lowpc(unit->die, &low, VF_ERROR) == DW_DLV_OK)
    walk.base = low;
  bool is_skeleton = unit->type == DW_UT_skeleton || vf_has(unit->die, DW_AT_GNU_dwo_name);
  if (is_skeleton && object == module->objects[0]) {
    struct vf_object *split = open_split(module, object, unit->die);
    if (split)
      return walk_units(module, split, walk.base);
    module->unreadable_units++;
    return 0;
  }
  walk.is_cxx = vf_is_cxx(object->dbg, unit->die);
  return walk_children(&walk, unit->die, -1, 0);
}

/* All units of an object, in an array from malloc(). They are listed before any is walked, because libdwarf starts its
 * own list again while a .dwo file is read. */
static int list_units(struct vf_object *object, Dwarf_Bool is_info, struct unit **units, size_t *count,
                      size_t *capacity)
{
  struct unit unit;
  while (dwarf_next_cu_header_d(object->dbg, is_info, NULL, &unit.version, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                &unit.type, VF_ERROR) == DW_DLV_OK) {
    if (dwarf_siblingof_b(object->dbg, NULL, is_info, &unit.die, VF_ERROR) != DW_DLV_OK)
      continue;
    struct unit *list = grow(*units, *count, capacity, sizeof *list);
    if (!list)
      return -ENOMEM;
    *units = list;
    list[(*count)++] = unit;
  }
  return 0;
}

static int compare_parents(const void *left, const void *right)
{
  const struct vf_parent *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

static int walk_units(struct vf_module *module, struct vf_object *object, uint64_t skeleton_base)
{
  struct unit *units = NULL;
  size_t count = 0, capacity = 0;
  int result = list_units(object, 1, &units, &count, &capacity);
  if (result == 0)
    result = list_units(object, 0, &units, &count, &capacity);
  for (size_t i = 0; i < count && result == 0; i++)
    result = walk_unit(module, object, &units[i], skeleton_base);
  free(units);
  if (object->parent_count)
    qsort(object->parents, object->parent_count, sizeof *object->parents, compare_parents);
  return result;
}

static int compare_ranges(const void *left, const void *right)
{
  const struct vf_range *a = left, *b = right;
  return a->low < b->low ? -1 : a->low > b->low;
}

static int compare_calls(const void *left, const void *right)
{
  const struct vf_call *a = left, *b = right;
  return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int sort(struct vf_module *module)
{
  if (module->call_count)
    qsort(module->calls, module->call_count, sizeof *module->calls, compare_calls);
  if (!module->range_count)
    return 0;
  qsort(module->ranges, module->range_count, sizeof *module->ranges, compare_ranges);
  module->reach = malloc(module->range_count * sizeof *module->reach);
  if (!module->reach)
    return -ENOMEM;
  uint64_t reach = 0;
  for (size_t i = 0; i < module->range_count; i++) {
    if (module->ranges[i].high > reach)
      reach = module->ranges[i].high;
    module->reach[i] = reach;
  }
  return 0;
}

/* The number of the out-of-line scope that a scope belongs to. */
static size_t root_of(const struct vf_module *module, size_t scope)
{
  while (module->scopes[scope].outer >= 0)
    scope = (size_t)module->scopes[scope].outer;
  return scope;
}

/* Where several units describe the code at one address, as for what C++ compiles in each of them, the linker has kept
 * the first unit's: scopes are numbered in the order of units, and only those of the first function there count. */
struct vf_scope *vf_scope_at(struct vf_module *module, uint64_t pc)
{
  size_t low = 0, high = module->range_count, root = SIZE_MAX;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (module->ranges[middle].low <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  struct vf_scope *best = NULL;
  for (size_t i = low; i-- > 0 && module->reach[i] > pc;) {
    const struct vf_range *range = &module->ranges[i];
    struct vf_scope *scope = &module->scopes[range->scope];
    size_t its_root = root_of(module, range->scope);
    if (pc >= range->high || its_root > root)
      continue;
    if (best == NULL || its_root < root || scope->depth > best->depth)
      best = scope;
    root = its_root;
  }
  return best;
}

bool vf_scope_range(const struct vf_module *module, const struct vf_scope *scope, uint64_t pc, uint64_t *low,
                    uint64_t *high)
{
  uint32_t number = (uint32_t)(scope - module->scopes);
  for (size_t i = 0; i < module->range_count; i++) {
    const struct vf_range *range = &module->ranges[i];
    if (range->scope != number || pc < range->low || pc >= range->high)
      continue;
    *low = range->low;
    *high = range->high;
    return true;
  }
  return false;
}

static void tell(const char *path, const char *what, base_message_fn message, void *data)
{
  char line[PATH_MAX + 256];
  snprintf(line, sizeof line, "%s: %s", path, what);
  if (message)
    message(line, data);
}

int vf_module_open(struct vf_module *module, const char *path, FILE *out, base_message_fn message, void *data)
{
  char found[PATH_MAX] = "";
  module->path = path;
  module->out = out;
  struct vf_object *main = base_arena_alloc(&module->arena, sizeof *main);
  module->objects = calloc(1, sizeof *module->objects);
  if (!main || !module->objects)
    return -ENOMEM;
  if (!vf_open_object(path, DW_GROUPNUMBER_ANY, found, sizeof found, &main->dbg)) {
    tell(path, "libdwarf finds no debug information: nothing to verify", message, data);
    return -ENOENT;
  }
  module->objects[module->object_count++] = main;
  vf_open_frames(module);
  int result = walk_units(module, main, 0);
  if (result == 0)
    result = sort(module);
  if (result < 0)
    tell(path, "not enough memory to verify", message, data);
  return result;
}

void vf_module_close(struct vf_module *module)
{
  vf_close_frames(module);
  for (size_t i = module->object_count; i-- > 0;) {
    free(module->objects[i]->parents);
    dwarf_finish(module->objects[i]->dbg, NULL);
  }
  free(module->objects);
  free(module->scopes);
  free(module->ranges);
  free(module->reach);
  free(module->calls);
  free(module->types);
  base_arena_free(&module->arena);
}
