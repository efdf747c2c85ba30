/*
 * Reads a module's function symbols, one for an address.
 */
#include "symbols/elf/symboltable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A symbol without a type, as assemblers make them, names a function only where there is no better one. */
static uint8_t rank_of(const GElf_Sym *symbol)
{
  if (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE)
    return 3;
  switch (GELF_ST_BIND(symbol->st_info)) {
  case STB_GLOBAL:
    return 0;
  case STB_WEAK:
    return 1;
  default:
    return 2;
  }
}

static int compare(const void *a, const void *b)
{
  const struct sym_symbol *left = a, *right = b;
  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  if (left->rank != right->rank)
    return left->rank < right->rank ? -1 : 1;
  return strcmp(left->name, right->name);
}

/* Keeps the first symbol of each address, with the largest size that any of them has. */
static void unite(struct base_vector *symbols)
{
  uint32_t kept = 0;
  struct sym_symbol *all = symbols->data;
  for (uint32_t i = 0; i < symbols->count; i++) {
    if (kept && all[kept - 1].address == all[i].address) {
      if (all[kept - 1].size < all[i].size)
        all[kept - 1].size = all[i].size;
      continue;
    }
    all[kept++] = all[i];
  }
  symbols->count = kept;
}

static bool has_section(const struct sym_debugfile *file, uint32_t type)
{
  Elf *elfs[] = {file->elf, file->dwarf ? dwarf_getelf(file->dwarf) : NULL};
  for (unsigned i = 0; i < 2; i++) {
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while (elfs[i] && (section = elf_nextscn(elfs[i], section)))
      if (gelf_getshdr(section, &header) && header.sh_type == type)
        return true;
  }
  return false;
}

static bool is_code(const struct sym_debugfile *file, uint64_t address)
{
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  while ((section = elf_nextscn(file->elf, section)))
    if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) && (header.sh_flags & SHF_EXECINSTR) &&
        address >= header.sh_addr && address - header.sh_addr < header.sh_size)
      return true;
  return false;
}

/* Functions; and what an assembler source exports from its code without saying that it is a function. An undefined
 * function symbol with a value is the stub that stands for the function in pointers to it. */
static bool is_function(const struct sym_debugfile *file, const GElf_Sym *symbol)
{
  unsigned type = GELF_ST_TYPE(symbol->st_info);
  if (symbol->st_value == 0)
    return false;
  if (type == STT_FUNC || type == STT_GNU_IFUNC)
    return true;
  return type == STT_NOTYPE && symbol->st_shndx != SHN_UNDEF && GELF_ST_BIND(symbol->st_info) != STB_LOCAL &&
         is_code(file, symbol->st_value);
}

int sym_symbol_table_read(struct sym_symbol_table *table, const struct sym_debugfile *file)
{
  *table = (struct sym_symbol_table){.symbols = BASE_VECTOR_OF(struct sym_symbol)};
  int count = dwfl_module_getsymtab(file->module);
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &address, NULL, NULL, NULL);
    if (!name || !*name || !is_function(file, &symbol))
      continue;
    struct sym_symbol *added = base_vector_add(&table->symbols, 1);
    if (!added)
      return -ENOMEM;
    *added = (struct sym_symbol){.address = symbol.st_value,
                                 .size = symbol.st_size,
                                 .name = name,
                                 .is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
                                 .rank = rank_of(&symbol)};
  }
  if (table->symbols.count) {
    qsort(table->symbols.data, table->symbols.count, sizeof(struct sym_symbol), compare);
    unite(&table->symbols);
  }
  table->has_symtab = has_section(file, SHT_SYMTAB);
  return 0;
}

void sym_symbol_table_free(struct sym_symbol_table *table)
{
  base_vector_free(&table->symbols);
}

const struct sym_symbol *sym_symbol_table_holding(const struct sym_symbol_table *table, uint64_t address)
{
  const struct sym_symbol *all = table->symbols.data;
  uint32_t low = 0, high = table->symbols.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (all[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  const struct sym_symbol *symbol = &all[low - 1];
  return symbol->size == 0 || address - symbol->address < symbol->size ? symbol : NULL;
}

const struct sym_symbol *sym_symbol_table_exact(const struct sym_symbol_table *table, uint64_t address)
{
  const struct sym_symbol *symbol = sym_symbol_table_holding(table, address);
  return symbol && symbol->address == address ? symbol : NULL;
}

size_t sym_symbol_base_length(const char *name)
{
  static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv.", ".llvm.", "@"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    const char *found = strstr(name + (*name != '\0'), suffixes[i]);
    if (found && (size_t)(found - name) < length)
      length = (size_t)(found - name);
  }
  return length;
}

bool sym_symbol_is_rebuilt(const char *name)
{
  return strstr(name, ".constprop.") || strstr(name, ".isra.") || strstr(name, ".part.");
}

bool sym_symbol_is_specialised(const char *name)
{
  return strstr(name, ".constprop.") != NULL;
}

bool sym_symbol_is_part(const char *name)
{
  return strstr(name, ".part.") != NULL;
}
