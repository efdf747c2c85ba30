/*
 * Spells DWARF types as C and C++ do.
 */
#include "symbols/dwarf/typename.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/base/mangled_name.h"
#include "symbols/dwarf/die.h"

enum {
  DEPTH_MAX = 32,   /* levels of pointer, array and function in one spelling */
  LENGTH_MAX = 4096 /* bytes; template names come from DWARF whole and are not counted */
};

struct spelling {
  struct base_arena *arena;
  struct sym_scopes *scopes;
};

static const char *spell(struct spelling *spelling, Dwarf_Die *type, const char *inner, int depth);

static bool needs_space(const char *text)
{
  return *text == '(';
}

/* A name with the declarator after it: "int" and "(*)(int)" need a space, "int" and "*" or "[3]" do not. */
static const char *join(struct spelling *spelling, const char *name, const char *inner)
{
  return base_arena_printf(spelling->arena, "%s%s%s", name, needs_space(inner) ? " " : "", inner);
}

/* Skips const, volatile, restrict and atomic. False when void is left. */
static bool skip_qualifiers(Dwarf_Die *type)
{
  for (int i = 0; i < DEPTH_MAX && sym_type_is_qualifier(dwarf_tag(type)); i++) {
    Dwarf_Die next;
    if (!sym_type_of(type, &next))
      return false;
    *type = next;
  }
  return true;
}

/* The type of `die` without qualifiers, in `type`; NULL when it is void. */
static Dwarf_Die *target_of(Dwarf_Die *die, Dwarf_Die *type)
{
  return sym_type_of(die, type) && skip_qualifiers(type) ? type : NULL;
}

static const char *spell_pointer(struct spelling *spelling, Dwarf_Die *type, const char *mark, const char *inner,
                                 int depth)
{
  Dwarf_Die storage;
  Dwarf_Die *target = target_of(type, &storage);
  int tag = target ? dwarf_tag(target) : 0;
  bool needs_parentheses = tag == DW_TAG_subroutine_type || tag == DW_TAG_array_type;
  const char *declarator = base_arena_printf(spelling->arena, needs_parentheses ? "(%s%s)" : "%s%s", mark, inner);
  return declarator ? spell(spelling, target, declarator, depth + 1) : NULL;
}

static const char *spell_member_pointer(struct spelling *spelling, Dwarf_Die *type, const char *inner, int depth)
{
  Dwarf_Attribute attribute;
  Dwarf_Die class;
  const char *name = "?";
  if (dwarf_attr_integrate(type, DW_AT_containing_type, &attribute) && dwarf_formref_die(&attribute, &class))
    name = sym_typename_qualified(spelling->arena, spelling->scopes, &class);
  if (!name)
    return NULL;
  Dwarf_Die storage;
  Dwarf_Die *target = target_of(type, &storage);
  bool function = target && dwarf_tag(target) == DW_TAG_subroutine_type;
  const char *declarator = base_arena_printf(spelling->arena, function ? "(%s::*%s)" : " %s::*%s", name, inner);
  return declarator ? spell(spelling, target, declarator, depth + 1) : NULL;
}

/* One "[N]" or "[]" for each dimension, in order. */
static const char *spell_bounds(struct spelling *spelling, Dwarf_Die *array)
{
  const char *bounds = "";
  Dwarf_Die child;
  if (dwarf_child(array, &child) != 0)
    return "[]";
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type && dwarf_tag(&child) != DW_TAG_enumeration_type)
      continue;
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_attr(&child, DW_AT_count, &attribute) && dwarf_formudata(&attribute, &value) == 0)
      bounds = base_arena_printf(spelling->arena, "%s[%llu]", bounds, (unsigned long long)value);
    else if (dwarf_attr(&child, DW_AT_upper_bound, &attribute) && dwarf_formudata(&attribute, &value) == 0)
      bounds = base_arena_printf(spelling->arena, "%s[%llu]", bounds, (unsigned long long)value + 1);
    else
      bounds = base_arena_printf(spelling->arena, "%s[]", bounds);
    if (!bounds)
      return NULL;
  } while (dwarf_siblingof(&child, &child) == 0);
  return *bounds ? bounds : "[]";
}

static const char *spell_array(struct spelling *spelling, Dwarf_Die *type, const char *inner, int depth)
{
  const char *bounds = spell_bounds(spelling, type);
  const char *declarator = bounds ? base_arena_printf(spelling->arena, "%s%s", inner, bounds) : NULL;
  Dwarf_Die element;
  return declarator ? spell(spelling, target_of(type, &element), declarator, depth + 1) : NULL;
}

static const char *spell_function(struct spelling *spelling, Dwarf_Die *type, const char *inner, int depth)
{
  const char *parameters = "";
  Dwarf_Die child;
  if (dwarf_child(type, &child) == 0) {
    do {
      const char *one = NULL;
      Dwarf_Attribute artificial;
      if (dwarf_tag(&child) == DW_TAG_unspecified_parameters) {
        one = "...";
      } else if (dwarf_tag(&child) == DW_TAG_formal_parameter && !dwarf_attr(&child, DW_AT_artificial, &artificial)) {
        Dwarf_Die storage;
        one = spell(spelling, target_of(&child, &storage), "", depth + 1);
        if (!one)
          return NULL;
      } else {
        continue;
      }
      parameters = base_arena_printf(spelling->arena, "%s%s%s", parameters, *parameters ? ", " : "", one);
      if (!parameters)
        return NULL;
    } while (strlen(parameters) < LENGTH_MAX && dwarf_siblingof(&child, &child) == 0);
  }
  Dwarf_Attribute attribute;
  bool prototyped = sym_die_is_cxx(type) || dwarf_attr(type, DW_AT_prototyped, &attribute);
  if (!*parameters && prototyped && !sym_die_is_cxx(type))
    parameters = "void";
  const char *declarator = base_arena_printf(spelling->arena, "%s(%s)", inner, parameters);
  Dwarf_Die result;
  return declarator ? spell(spelling, target_of(type, &result), declarator, depth + 1) : NULL;
}

/* "struct node" in C, "ns::node" in C++. */
static const char *spell_tagged(struct spelling *spelling, Dwarf_Die *type, const char *keyword)
{
  const char *name = dwarf_diename(type);
  bool cxx = sym_die_is_cxx(type);
  if (!name)
    return base_arena_printf(spelling->arena, "%s {...}", keyword);
  const char *qualified = sym_typename_qualified(spelling->arena, spelling->scopes, type);
  return cxx || !qualified ? qualified : base_arena_printf(spelling->arena, "%s %s", keyword, qualified);
}

static const char *spell_named(struct spelling *spelling, Dwarf_Die *type)
{
  sym_type_complete(type);
  switch (dwarf_tag(type)) {
  case DW_TAG_structure_type:
    return spell_tagged(spelling, type, "struct");
  case DW_TAG_class_type:
    return spell_tagged(spelling, type, "class");
  case DW_TAG_union_type:
    return spell_tagged(spelling, type, "union");
  case DW_TAG_enumeration_type:
    return spell_tagged(spelling, type, "enum");
  case DW_TAG_typedef:
  case DW_TAG_template_alias:
  case DW_TAG_base_type:
  case DW_TAG_unspecified_type:
    return dwarf_diename(type) ? sym_typename_qualified(spelling->arena, spelling->scopes, type) : "?";
  default:
    return dwarf_diename(type) ? dwarf_diename(type) : "?";
  }
}

/* Spells `type` (NULL: void) around the declarator `inner`. */
static const char *spell(struct spelling *spelling, Dwarf_Die *type, const char *inner, int depth)
{
  if (!type)
    return join(spelling, "void", inner);
  if (depth > DEPTH_MAX || strlen(inner) > LENGTH_MAX)
    return join(spelling, "...", inner);
  switch (dwarf_tag(type)) {
  case DW_TAG_pointer_type:
    return spell_pointer(spelling, type, "*", inner, depth);
  case DW_TAG_reference_type:
    return spell_pointer(spelling, type, "&", inner, depth);
  case DW_TAG_rvalue_reference_type:
    return spell_pointer(spelling, type, "&&", inner, depth);
  case DW_TAG_ptr_to_member_type:
    return spell_member_pointer(spelling, type, inner, depth);
  case DW_TAG_array_type:
    return spell_array(spelling, type, inner, depth);
  case DW_TAG_subroutine_type:
    return spell_function(spelling, type, inner, depth);
  default: {
    const char *name = spell_named(spelling, type);
    return name ? join(spelling, name, inner) : NULL;
  }
  }
}

const char *sym_typename(struct base_arena *arena, struct sym_scopes *scopes, Dwarf_Die *type)
{
  struct spelling spelling = {.arena = arena, .scopes = scopes};
  Dwarf_Die copy;
  if (type) {
    copy = *type;
    if (!skip_qualifiers(&copy))
      type = NULL;
  }
  return spell(&spelling, type ? &copy : NULL, "", 0);
}

/* The DIE whose surroundings are those of the source: a definition outside its class stands elsewhere than it is
 * declared. */
static void declared_die(Dwarf_Die *die)
{
  static const unsigned int ways[] = {DW_AT_abstract_origin, DW_AT_specification};
  for (int i = 0; i < DEPTH_MAX; i++) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    bool followed = false;
    for (size_t way = 0; way < sizeof ways / sizeof *ways && !followed; way++)
      followed = dwarf_attr(die, ways[way], &attribute) && dwarf_formref_die(&attribute, &next);
    if (!followed)
      return;
    *die = next;
  }
}

/* The name of a DIE. A declaration that stands for a type of a type unit has that type's; what clang makes for the
 * objects of a file has none but its symbol's. */
static const char *name_of(Dwarf_Die *die)
{
  const char *name = dwarf_diename(die);
  if (name)
    return name;
  if (dwarf_tag(die) == DW_TAG_subprogram)
    return sym_die_linkage_name(die);
  Dwarf_Die definition = *die;
  sym_type_complete(&definition);
  return dwarf_diename(&definition);
}

static const char *scope_name(Dwarf_Die *scope)
{
  const char *name = name_of(scope);
  if (name)
    return name;
  return dwarf_tag(scope) == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous)";
}

/* The name that a symbol stands for: clang tells of a thunk by its symbol alone. */
static const char *demangled(struct base_arena *arena, const char *symbol)
{
  char *name = sym_demangle(symbol);
  const char *copy = name ? base_arena_copy(arena, name, strlen(name)) : NULL;
  free(name);
  return copy;
}

const char *sym_typename_qualified(struct base_arena *arena, struct sym_scopes *scopes, Dwarf_Die *die)
{
  if (sym_die_is_thunk(die))
    return demangled(arena, sym_die_linkage_name(die));
  const char *plain = name_of(die);
  const char *name = plain ? plain : "(anonymous)";
  if (!sym_die_is_cxx(die))
    return base_arena_copy(arena, name, strlen(name));
  Dwarf_Die at = *die;
  declared_die(&at);
  for (int depth = 0; depth < DEPTH_MAX; depth++) {
    Dwarf_Die parent;
    int found = sym_scopes_parent(scopes, &at, &parent);
    if (found < 0)
      return NULL;
    if (found == 0)
      break;
    const char *call = dwarf_tag(&parent) == DW_TAG_subprogram ? "()" : "";
    name = base_arena_printf(arena, "%s%s::%s", scope_name(&parent), call, name);
    if (!name)
      return NULL;
    at = parent;
    declared_die(&at);
  }
  return name == plain || !plain ? base_arena_copy(arena, name, strlen(name)) : name;
}
