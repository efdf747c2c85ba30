/*
 * Reads single debugging information entries with libdwarf.
 */
#include "symbols/verify/die.h"

#include <string.h>

enum { ORIGINS_MAX = 16, SCOPES_MAX = 32 };

Dwarf_Half vf_tag(Dwarf_Die die)
{
  Dwarf_Half tag = 0;
  return die && dwarf_tag(die, &tag, VF_ERROR) == DW_DLV_OK ? tag : 0;
}

uint64_t vf_offset(Dwarf_Die die)
{
  Dwarf_Off offset = 0;
  return dwarf_dieoffset(die, &offset, VF_ERROR) == DW_DLV_OK ? offset : 0;
}

const char *vf_name(Dwarf_Die die)
{
  char *name = NULL;
  return dwarf_diename(die, &name, VF_ERROR) == DW_DLV_OK ? name : NULL;
}

bool vf_attribute(Dwarf_Die die, Dwarf_Half name, Dwarf_Attribute *attribute)
{
  return dwarf_attr(die, name, attribute, VF_ERROR) == DW_DLV_OK;
}

bool vf_has(Dwarf_Die die, Dwarf_Half name)
{
  Dwarf_Bool has = 0;
  return dwarf_hasattr(die, name, &has, VF_ERROR) == DW_DLV_OK && has;
}

bool vf_unsigned(Dwarf_Die die, Dwarf_Half name, uint64_t *value)
{
  Dwarf_Attribute attribute;
  if (!vf_attribute(die, name, &attribute))
    return false;
  Dwarf_Unsigned word;
  Dwarf_Signed signed_word;
  bool found = false;
  Dwarf_Half form;
  bool is_signed = dwarf_whatform(attribute, &form, VF_ERROR) == DW_DLV_OK &&
                   (form == DW_FORM_sdata || form == DW_FORM_implicit_const);
  if (is_signed && dwarf_formsdata(attribute, &signed_word, VF_ERROR) == DW_DLV_OK) {
    *value = (uint64_t)signed_word;
    found = true;
  } else if (!is_signed && dwarf_formudata(attribute, &word, VF_ERROR) == DW_DLV_OK) {
    *value = word;
    found = true;
  }
  dwarf_dealloc_attribute(attribute);
  return found;
}

Dwarf_Die vf_at(Dwarf_Debug dbg, Dwarf_Die near, uint64_t offset)
{
  Dwarf_Die die = NULL;
  return dwarf_offdie_b(dbg, offset, dwarf_get_die_infotypes_flag(near), &die, VF_ERROR) == DW_DLV_OK ? die : NULL;
}

Dwarf_Die vf_reference(Dwarf_Debug dbg, Dwarf_Die die, Dwarf_Half name)
{
  Dwarf_Attribute attribute;
  if (!vf_attribute(die, name, &attribute))
    return NULL;
  Dwarf_Half form = 0;
  Dwarf_Die found = NULL;
  dwarf_whatform(attribute, &form, VF_ERROR);
  if (form == DW_FORM_ref_sig8) {
    Dwarf_Sig8 signature;
    Dwarf_Bool is_info;
    if (dwarf_formsig8(attribute, &signature, VF_ERROR) != DW_DLV_OK ||
        dwarf_find_die_given_sig8(dbg, &signature, &found, &is_info, VF_ERROR) != DW_DLV_OK)
      found = NULL;
  } else {
    Dwarf_Off offset;
    if (dwarf_global_formref(attribute, &offset, VF_ERROR) == DW_DLV_OK)
      found = vf_at(dbg, die, offset);
  }
  dwarf_dealloc_attribute(attribute);
  return found;
}

Dwarf_Die vf_child(Dwarf_Die die)
{
  Dwarf_Die child = NULL;
  return dwarf_child(die, &child, VF_ERROR) == DW_DLV_OK ? child : NULL;
}

Dwarf_Die vf_sibling(Dwarf_Debug dbg, Dwarf_Die die)
{
  Dwarf_Die next = NULL;
  return dwarf_siblingof_b(dbg, die, dwarf_get_die_infotypes_flag(die), &next, VF_ERROR) == DW_DLV_OK ? next : NULL;
}

Dwarf_Die vf_root(Dwarf_Debug dbg, Dwarf_Die die)
{
  for (int i = 0; i < ORIGINS_MAX; i++) {
    Dwarf_Die origin = vf_reference(dbg, die, DW_AT_abstract_origin);
    if (!origin)
      break;
    die = origin;
  }
  return die;
}

/* The DIE of the unit that holds `die`; NULL when it cannot be read. */
static Dwarf_Die unit_of(Dwarf_Debug dbg, Dwarf_Die die)
{
  Dwarf_Off offset;
  return dwarf_CU_dieoffset_given_die(die, &offset, VF_ERROR) == DW_DLV_OK ? vf_at(dbg, die, offset) : NULL;
}

bool vf_is_cxx(Dwarf_Debug dbg, Dwarf_Die die)
{
  uint64_t language = 0;
  Dwarf_Die unit = unit_of(dbg, die);
  if (!unit)
    return false;
  vf_unsigned(unit, DW_AT_language, &language);
  dwarf_dealloc_die(unit);
  return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 || language == DW_LANG_C_plus_plus_11 ||
         language == DW_LANG_C_plus_plus_14 || language == 0x2a || language == 0x2b ||
         language == DW_LANG_ObjC_plus_plus || language == DW_LANG_Rust || language == DW_LANG_D;
}

/* Whether the name of what compiled the unit of a DIE contains this. */
static bool is_made_by(Dwarf_Debug dbg, Dwarf_Die die, const char *name)
{
  Dwarf_Die unit = unit_of(dbg, die);
  Dwarf_Attribute attribute;
  char *producer = NULL;
  if (!unit || !vf_attribute(unit, DW_AT_producer, &attribute))
    return false;
  bool found = dwarf_formstring(attribute, &producer, VF_ERROR) == DW_DLV_OK && strstr(producer, name);
  dwarf_dealloc_attribute(attribute);
  dwarf_dealloc_die(unit);
  return found;
}

bool vf_is_clang(Dwarf_Debug dbg, Dwarf_Die die)
{
  return is_made_by(dbg, die, "clang");
}

bool vf_is_made_at_link(Dwarf_Debug dbg, Dwarf_Die die)
{
  return is_made_by(dbg, die, "GNU GIMPLE");
}

Dwarf_Die vf_complete(Dwarf_Debug dbg, Dwarf_Die type)
{
  Dwarf_Die definition = vf_has(type, DW_AT_declaration) ? vf_reference(dbg, type, DW_AT_signature) : NULL;
  return definition ? definition : type;
}

/* The abstract instance or declaration that a definition refers to, or NULL. */
static Dwarf_Die declaration_of(Dwarf_Debug dbg, Dwarf_Die die)
{
  Dwarf_Die next = vf_reference(dbg, die, DW_AT_abstract_origin);
  return next ? next : vf_reference(dbg, die, DW_AT_specification);
}

/* The name that a definition has from its declaration or abstract instance, and the DIE that has it. */
static const char *declared_name(Dwarf_Debug dbg, Dwarf_Die *die)
{
  const char *name = vf_name(*die);
  if (!name)
    name = vf_name(vf_complete(dbg, *die));
  for (int i = 0; i < ORIGINS_MAX; i++) {
    Dwarf_Die next = declaration_of(dbg, *die);
    if (!next)
      break;
    *die = next;
    if (!name)
      name = vf_name(next);
  }
  return name;
}

const char *vf_linkage_name(Dwarf_Debug dbg, Dwarf_Die die)
{
  Dwarf_Attribute attribute;
  char *name = NULL;
  for (int i = 0; i < ORIGINS_MAX && die && !name; i++) {
    if (vf_attribute(die, DW_AT_linkage_name, &attribute) || vf_attribute(die, DW_AT_MIPS_linkage_name, &attribute)) {
      if (dwarf_formstring(attribute, &name, VF_ERROR) != DW_DLV_OK)
        name = NULL;
      dwarf_dealloc_attribute(attribute);
    }
    die = declaration_of(dbg, die);
  }
  return name;
}

static bool is_scope_tag(Dwarf_Half tag)
{
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

static bool has_scoped_name(Dwarf_Half tag)
{
  return is_scope_tag(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef ||
         tag == DW_TAG_template_alias || tag == DW_TAG_base_type;
}

bool vf_is_named_after(Dwarf_Half tag, Dwarf_Half parent)
{
  if (parent == DW_TAG_subprogram || parent == DW_TAG_lexical_block)
    return is_scope_tag(tag) || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef || tag == DW_TAG_lexical_block;
  return is_scope_tag(parent) && has_scoped_name(tag);
}

uint64_t vf_parent_key(Dwarf_Die die)
{
  return vf_offset(die) << 1 | (dwarf_get_die_infotypes_flag(die) ? 1 : 0);
}

static Dwarf_Die parent_in(const struct vf_object *object, Dwarf_Die die)
{
  uint64_t key = vf_parent_key(die);
  size_t low = 0, high = object->parent_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (object->parents[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == object->parent_count || object->parents[low].key != key)
    return NULL;
  return vf_at(object->dbg, die, object->parents[low].parent);
}

/* The namespace, class or function that a DIE stands in. */
static Dwarf_Die parent_of(const struct vf_object *object, Dwarf_Die die)
{
  do
    die = parent_in(object, die);
  while (die && vf_tag(die) == DW_TAG_lexical_block);
  return die;
}

const char *vf_qualified(struct vf_module *module, struct vf_object *object, Dwarf_Die die)
{
  Dwarf_Die at = die;
  const char *own = declared_name(object->dbg, &at);
  if (!own && vf_tag(die) == DW_TAG_subprogram)
    own = vf_linkage_name(object->dbg, die);
  const char *name = own ? own : "(anonymous)";
  for (int i = 0; name && i < SCOPES_MAX; i++) {
    Dwarf_Die parent = parent_of(object, at);
    if (!parent)
      break;
    at = parent;
    const char *scope = declared_name(object->dbg, &at);
    if (!scope)
      scope = vf_tag(parent) == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous)";
    const char *call = vf_tag(parent) == DW_TAG_subprogram ? "()" : "";
    name = base_arena_printf(&module->arena, "%s%s::%s", scope, call, name);
  }
  return name;
}
