/*
 * Collects the functions of an index, each source function once.
 */
#include "symbols/index/functions.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbols/base/mangled_name.h"
#include "symbols/dwarf/declfile.h"
#include "symbols/dwarf/die.h"
#include "symbols/dwarf/typename.h"

void sym_functions_init(struct sym_functions *functions, struct base_strings *strings)
{
  *functions = (struct sym_functions){.entries = BASE_VECTOR_OF(struct sym_function_entry), .strings = strings};
}

void sym_functions_free(struct sym_functions *functions)
{
  base_vector_free(&functions->entries);
  sym_address_map_free(&functions->roots);
  sym_address_map_free(&functions->keys);
  base_arena_free(&functions->names);
}

static struct sym_function_entry *entry_at(const struct sym_functions *functions, uint32_t index)
{
  return base_vector_at(&functions->entries, index);
}

static bool same_args(const struct sym_plan *a, const struct sym_plan *b)
{
  if (!a || !b)
    return a == b;
  if (a->arg_count != b->arg_count || a->flags != b->flags)
    return false;
  for (uint16_t i = 0; i < a->arg_count; i++)
    if (memcmp(&a->args[i].arg, &b->args[i].arg, sizeof a->args[i].arg) != 0)
      return false;
  return true;
}

/* Functions without DWARF are told apart by their address, which is known from the beginning for them alone. */
static bool same_function(const struct fmt_index_function *a, const struct fmt_index_function *b)
{
  return a->name == b->name && a->linkage_name == b->linkage_name && a->file == b->file && a->line == b->line &&
         a->address == b->address;
}

static uint64_t key_of(const struct fmt_index_function *function)
{
  uint32_t words[] = {function->name, function->linkage_name, function->file, function->line};
  return XXH64(words, sizeof words, 0);
}

/* Finds an entry like `candidate`, or adds it. */
static int unite(struct sym_functions *functions, const struct sym_function_entry *candidate, uint32_t *index)
{
  uint64_t key = key_of(&candidate->function);
  uint32_t first = sym_address_map_get(&functions->keys, key);
  for (uint32_t i = first; i != FMT_NONE; i = entry_at(functions, i)->next) {
    const struct sym_function_entry *entry = entry_at(functions, i);
    if (same_function(&entry->function, &candidate->function) && same_args(entry->plan, candidate->plan)) {
      *index = i;
      return 0;
    }
  }
  struct sym_function_entry *added = base_vector_add(&functions->entries, 1);
  if (!added)
    return -ENOMEM;
  *added = *candidate;
  added->next = first;
  *index = functions->entries.count - 1;
  return sym_address_map_put(&functions->keys, key, *index);
}

/* The linkage name without clone suffixes; a C function's is its name. */
static int linkage_name(struct sym_functions *functions, Dwarf_Die *die, uint32_t *string)
{
  const char *name = sym_die_linkage_name(die);
  if (!name && !sym_die_is_cxx(die))
    name = dwarf_diename(die);
  if (!name)
    name = "";
  char *base = strndup(name, sym_symbol_base_length(name));
  if (!base)
    return -ENOMEM;
  int error = base_strings_add(functions->strings, base, string);
  free(base);
  return error;
}

/* Takes "." and "NAME/.." out of an absolute path, in place: units reach one header by several ways. */
static void normalise(char *path)
{
  char *to = path;
  for (char *at = path; *at;) {
    char *end = strchrnul(at + 1, '/');
    size_t length = (size_t)(end - at);
    if (length == 3 && memcmp(at, "/..", 3) == 0) {
      while (to > path && *--to != '/') {
      }
    } else if (length > 1 && !(length == 2 && at[1] == '.')) {
      memmove(to, at, length);
      to += length;
    }
    at = end;
  }
  *to = '\0';
}

int sym_functions_file(struct sym_functions *functions, Dwarf_Die *die, const char *file, uint32_t *string)
{
  const char *directory = NULL;
  if (!file)
    return base_strings_add(functions->strings, "", string);
  Dwarf_Die unit;
  Dwarf_Attribute attribute;
  if (*file != '/' && dwarf_diecu(die, &unit, NULL, NULL) && dwarf_attr_integrate(&unit, DW_AT_comp_dir, &attribute))
    directory = dwarf_formstring(&attribute);
  char *path;
  if (asprintf(&path, "%s%s%s", directory ? directory : "", directory ? "/" : "", file) < 0)
    return -ENOMEM;
  if (*path == '/')
    normalise(path);
  int error = base_strings_add(functions->strings, path, string);
  free(path);
  return error;
}

static bool has_parameter(Dwarf_Die *die)
{
  Dwarf_Die child;
  for (int next = dwarf_child(die, &child); next == 0; next = dwarf_siblingof(&child, &child))
    if (dwarf_tag(&child) == DW_TAG_formal_parameter)
      return true;
  return false;
}

/* The file of a unit; NULL for what gcc puts together of several at the link, which has a name in angle brackets. */
static const char *unit_file(Dwarf_Die *unit)
{
  const char *name = dwarf_diename(unit);
  return name && *name != '<' ? name : NULL;
}

/* Where the source of a function begins that the compiler made of part of another (the body of an OpenMP region), and
 * which is declared nowhere: what the line table says of its first instruction. Constructors of a file's objects, which
 * are declared nowhere either, are of the unit's file and of no line; without parameters, they cost no reading of the
 * table. */
static const char *first_line(Dwarf_Die *die, int *line)
{
  Dwarf_Attribute attribute;
  Dwarf_Die unit;
  Dwarf_Addr address;
  if (!dwarf_attr(die, DW_AT_artificial, &attribute) || !dwarf_diecu(die, &unit, NULL, NULL))
    return NULL;
  if (!has_parameter(die) || dwarf_entrypc(die, &address) != 0)
    return unit_file(&unit);
  Dwarf_Line *source = dwarf_getsrc_die(&unit, address);
  const char *file = source ? dwarf_linesrc(source, NULL, NULL) : NULL;
  if (file && dwarf_lineno(source, line) != 0)
    *line = 0;
  return file;
}

/* Adds the function of a declaring DIE. `candidate` has what its plan says, and its name. */
static int add_root(struct sym_functions *functions, Dwarf_Die *root, struct sym_function_entry *candidate,
                    uint32_t *index)
{
  char path[SYM_FILE_MAX];
  int line = 0;
  candidate->next = FMT_NONE;
  const char *file = sym_decl_file(root, path);
  if (dwarf_decl_line(root, &line) != 0)
    line = 0;
  if (!file && line == 0)
    file = first_line(root, &line);
  candidate->function.line = line > 0 ? (uint32_t)line : 0;
  int error = linkage_name(functions, root, &candidate->function.linkage_name);
  if (!error)
    error = sym_functions_file(functions, root, file, &candidate->function.file);
  if (!error)
    error = unite(functions, candidate, index);
  if (!error)
    error = sym_address_map_put(&functions->roots, (uint64_t)(uintptr_t)root->addr, *index);
  return error;
}

int sym_functions_add(struct sym_functions *functions, Dwarf_Die *die, const struct sym_plan *plan, uint32_t *index)
{
  Dwarf_Die root;
  sym_die_root(die, &root);
  *index = sym_address_map_get(&functions->roots, (uint64_t)(uintptr_t)root.addr);
  if (*index != FMT_NONE)
    return 0;
  struct sym_function_entry candidate = {.plan = plan};
  candidate.function.name = plan->name;
  candidate.function.flags = plan->flags;
  candidate.function.arg_count = plan->arg_count;
  candidate.function.state_words = (uint16_t)((plan->arg_count + 15u) / 16u);
  return add_root(functions, &root, &candidate, index);
}

int sym_functions_add_name(struct sym_functions *functions, Dwarf_Die *die, struct sym_scopes *scopes, uint32_t *index)
{
  Dwarf_Die root;
  sym_die_root(die, &root);
  *index = sym_address_map_get(&functions->roots, (uint64_t)(uintptr_t)root.addr);
  if (*index != FMT_NONE)
    return 0;
  struct sym_function_entry candidate = {0};
  const char *name = sym_typename_qualified(&functions->names, scopes, &root);
  int error = name ? base_strings_add(functions->strings, name, &candidate.function.name) : -ENOMEM;
  return error ? error : add_root(functions, &root, &candidate, index);
}

/* A C function is called by another name where its declaration has an asm label: the symbol is what everybody knows. */
static int name_import(struct sym_functions *functions, const char *symbol, const struct sym_plan *plan,
                       struct fmt_index_function *function)
{
  int error = base_strings_add(functions->strings, symbol, &function->linkage_name);
  if (error)
    return error;
  if (plan && plan->flags & FMT_FUNCTION_CXX) {
    function->name = plan->name;
    return 0;
  }
  char *name = sym_demangle(symbol);
  error = name ? base_strings_add(functions->strings, name, &function->name) : -ENOMEM;
  free(name);
  return error;
}

int sym_functions_add_import(struct sym_functions *functions, const struct sym_import *import, Dwarf_Die *die,
                             const struct sym_plan *plan, bool is_timed, uint32_t *index)
{
  for (uint32_t i = 0; i < functions->entries.count; i++) {
    const struct fmt_index_function *known = &entry_at(functions, i)->function;
    if (known->flags & FMT_FUNCTION_LIBRARY &&
        strcmp(base_strings_at(functions->strings, known->linkage_name), import->name) == 0) {
      *index = i;
      return 0;
    }
  }
  struct sym_function_entry candidate = {.plan = plan, .next = FMT_NONE};
  struct fmt_index_function *function = &candidate.function;
  int line = 0;
  function->address = import->slot;
  function->flags = FMT_FUNCTION_LIBRARY | (plan ? plan->flags : FMT_FUNCTION_NO_DWARF) |
                    (is_timed ? 0u : (unsigned)FMT_FUNCTION_UNTIMED);
  if (plan) {
    function->arg_count = plan->arg_count;
    function->state_words = (uint16_t)((plan->arg_count + 15u) / 16u);
  }
  if (die && dwarf_decl_line(die, &line) == 0 && line > 0)
    function->line = (uint32_t)line;
  int error = name_import(functions, import->name, plan, function);
  char path[SYM_FILE_MAX];
  if (!error && die)
    error = sym_functions_file(functions, die, sym_decl_file(die, path), &function->file);
  return error ? error : unite(functions, &candidate, index);
}

uint32_t sym_functions_find(const struct sym_functions *functions, Dwarf_Die *die)
{
  Dwarf_Die root;
  sym_die_root(die, &root);
  return sym_address_map_get(&functions->roots, (uint64_t)(uintptr_t)root.addr);
}

int sym_functions_add_symbol(struct sym_functions *functions, const struct sym_symbol *symbol, uint64_t address,
                             uint32_t *index)
{
  struct sym_function_entry candidate = {.next = FMT_NONE};
  struct fmt_index_function *function = &candidate.function;
  char *name = NULL, *base = NULL;
  int error = -ENOMEM;
  function->flags = FMT_FUNCTION_NO_DWARF;
  function->address = symbol ? symbol->address : address;
  if (symbol) {
    base = strndup(symbol->name, sym_symbol_base_length(symbol->name));
    name = base ? sym_demangle(base) : NULL;
  } else {
    function->flags |= FMT_FUNCTION_NO_NAME;
    base = strdup("");
    if (asprintf(&name, "0x%lx", (unsigned long)address) < 0)
      name = NULL;
  }
  if (name && base)
    error = base_strings_add(functions->strings, name, &function->name);
  if (!error)
    error = base_strings_add(functions->strings, base, &function->linkage_name);
  if (!error)
    error = unite(functions, &candidate, index);
  free(name);
  free(base);
  return error;
}
