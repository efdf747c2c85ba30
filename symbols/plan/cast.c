/*
 * Gives what a path leads to the type that a rule says: a pointer to a named type or to one of C's own.
 */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "symbols/dwarf/die.h"
#include "symbols/plan/access_path.h"

enum { STARS_MAX = 4, WORD_MAX = 16 };

/* A type of C's own by what its words say, in whatever order: `unsigned long`, `long unsigned int`. */
struct basic {
  bool is_unsigned, is_signed;
  unsigned longs;
  const char *word; /* what else it is: "char", "short", "int", "float", "double", "_Bool", "" */
};

static bool take_word(const char *word, size_t length, struct basic *basic)
{
  static const char *const words[] = {"char", "short", "int", "float", "double", "_Bool", "bool"};
  const bool is_empty = !*basic->word;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) != length || strncmp(words[i], word, length) != 0)
      continue;
    const bool is_int = strcmp(words[i], "int") == 0, was_int = strcmp(basic->word, "int") == 0;
    if (is_int && strcmp(basic->word, "short") == 0)
      return true;
    basic->word = strcmp(words[i], "bool") == 0 ? "_Bool" : words[i];
    return is_empty || (was_int && strcmp(words[i], "short") == 0);
  }
  if (length == 4 && strncmp(word, "long", length) == 0)
    return ++basic->longs <= 2;
  if (length == 6 && strncmp(word, "signed", length) == 0)
    return basic->is_signed = true;
  if (length == 8 && strncmp(word, "unsigned", length) == 0)
    return basic->is_unsigned = true;
  return false;
}

/* Reads a name of such a type. False: it is none. */
static bool read_basic(const char *name, struct basic *basic)
{
  *basic = (struct basic){.word = ""};
  name += strspn(name, " \t");
  if (!*name)
    return false;
  while (*name) {
    const size_t length = strcspn(name, " \t");
    if (length > WORD_MAX || !take_word(name, length, basic))
      return false;
    name += length;
    name += strspn(name, " \t");
  }
  if (!*basic->word)
    basic->word = "int";
  /* Of plain char it is open whether it has a sign. */
  if (strcmp(basic->word, "char") != 0)
    basic->is_signed = false;
  return true;
}

static bool is_same(const struct basic *a, const struct basic *b)
{
  return a->is_unsigned == b->is_unsigned && a->is_signed == b->is_signed && a->longs == b->longs &&
         strcmp(a->word, b->word) == 0;
}

/* One of the program's types that is this one of C's. False: it has none. */
static int find_basic(struct sym_catalog *catalog, const struct basic *wanted, Dwarf_Die *type, bool *is_found)
{
  const struct sym_catalog_entry *all;
  size_t count;
  int result = sym_catalog_all(catalog, SYM_CATALOG_BASIC, &all, &count);
  *is_found = false;
  for (size_t i = 0; i < count && result == 0 && !*is_found; i++) {
    struct basic basic;
    *is_found = read_basic(all[i].name, &basic) && is_same(&basic, wanted);
    *type = all[i].die;
  }
  return result;
}

static int tag_of(const char **name)
{
  static const struct {
    const char *keyword;
    int tag;
  } keywords[] = {{"struct", DW_TAG_structure_type},
                  {"union", DW_TAG_union_type},
                  {"class", DW_TAG_class_type},
                  {"enum", DW_TAG_enumeration_type}};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    const size_t length = strlen(keywords[i].keyword);
    if (strncmp(*name, keywords[i].keyword, length) != 0 || !strchr(" \t", (*name)[length]))
      continue;
    *name += length + strspn(*name + length, " \t");
    return keywords[i].tag;
  }
  return 0;
}

/* How well a type is what is meant; 0: not at all. C++ has a struct called a class, and the other way round. */
static int fitness(const struct sym_catalog_entry *entry, int wanted)
{
  Dwarf_Die die = entry->die;
  int tag = dwarf_tag(&die);
  const bool is_struct = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
  const bool wants_struct = wanted == DW_TAG_structure_type || wanted == DW_TAG_class_type;
  if (wanted && wanted != tag && !(is_struct && wants_struct))
    return 0;
  return 1 + !entry->is_declaration + 2 * (!wanted && tag == DW_TAG_typedef);
}

static int find_named(const struct sym_access_path_context *context, const char *name, Dwarf_Die *type)
{
  const struct sym_catalog_entry *entries;
  size_t count;
  const char *bare = name, *nearest = NULL;
  const int wanted = tag_of(&bare);
  int best = 0, result = sym_catalog_find(context->catalog, SYM_CATALOG_TYPE, bare, &entries, &count);
  for (size_t i = 0; i < count && result == 0; i++) {
    if (fitness(&entries[i], wanted) > best) {
      best = fitness(&entries[i], wanted);
      *type = entries[i].die;
    }
  }
  if (result == 0 && best == 0)
    result = sym_catalog_nearest(context->catalog, SYM_CATALOG_TYPE, bare, false, &nearest);
  if (result < 0 || best > 0)
    return result;
  return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND, "no type '%s'%s%s%s", name,
                         nearest ? "; the nearest name of a type is '" : "", nearest ? nearest : "",
                         nearest ? "'" : "");
}

/* Can it be taken for a pointer? An array is one to its first element. */
static bool is_castable(const struct sym_access_path *access_path, bool *is_array)
{
  Dwarf_Die type = access_path->type;
  *is_array = false;
  if (access_path->stars)
    return true;
  if (access_path->is_void || access_path->bit_storage || !sym_type_strip(&type))
    return false;
  switch (dwarf_tag(&type)) {
  case DW_TAG_pointer_type:
    return true;
  case DW_TAG_array_type:
    return *is_array = true;
  case DW_TAG_base_type: {
    Dwarf_Attribute attribute;
    Dwarf_Word encoding;
    return sym_type_size(&type) == sizeof(uint64_t) && dwarf_attr(&type, DW_AT_encoding, &attribute) &&
           dwarf_formudata(&attribute, &encoding) == 0 && (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned);
  }
  default:
    return false;
  }
}

int sym_access_path_cast(const struct sym_access_path_context *context, struct sym_access_path *access_path,
                         const char *name, uint64_t stars)
{
  struct basic basic;
  bool is_array, is_found = true;
  int result = 0;
  if (stars > STARS_MAX)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND, "a cast has at most %d stars",
                           STARS_MAX);
  if (!is_castable(access_path, &is_array))
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "what (%s *) stands before is neither a pointer, nor an array, nor an integer of 8 bytes",
                           name);
  access_path->is_void = strcmp(name, "void") == 0;
  if (!access_path->is_void && read_basic(name, &basic))
    result = find_basic(context->catalog, &basic, &access_path->type, &is_found);
  else if (!access_path->is_void)
    result = find_named(context, name, &access_path->type);
  if (result == 0 && !is_found)
    return sym_problem_set(context->problem, context->arena, SYM_PROBLEM_KIND,
                           "no type '%s': nothing in the program's debug information is of it", name);
  access_path->is_decayed = access_path->is_decayed || is_array;
  access_path->stars = (uint8_t)stars;
  return result;
}
