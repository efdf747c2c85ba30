/*
 * Finds every address and slot through which a module can call __cyg_profile_func_enter, and the slots of its other
 * imports.
 */
#include "symbols/elf/hook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char hook_name[] = "__cyg_profile_func_enter";

static int add_target(struct sym_hook *hook, uint64_t address, bool is_lazy)
{
  struct sym_hook_target *target = base_vector_add(&hook->targets, 1);
  if (!target)
    return -ENOMEM;
  *target = (struct sym_hook_target){.address = address, .is_lazy = is_lazy};
  return 0;
}

static int add_import(struct sym_hook *hook, const GElf_Rela *relocation, const char *name, unsigned symbol_type)
{
  bool is_jump_slot = GELF_R_TYPE(relocation->r_info) == hook->processor->jump_slot;
  if (!is_jump_slot && symbol_type != STT_FUNC && symbol_type != STT_GNU_IFUNC)
    return 0;
  struct sym_import *import = base_vector_add(&hook->imports, 1);
  if (!import)
    return -ENOMEM;
  *import = (struct sym_import){.slot = relocation->r_offset, .name = name, .is_jump_slot = is_jump_slot};
  return 0;
}

/* Slots of one relocation section: of the hook, and of functions that the module defines itself (their addresses are
 * what position-independent code passes to the hook). */
static int add_slots(struct sym_hook *hook, const struct sym_debugfile *file, Elf_Scn *section, const GElf_Shdr *header)
{
  GElf_Shdr symbols_header;
  Elf_Scn *symbols_section = elf_getscn(file->elf, header->sh_link);
  if (!symbols_section || !gelf_getshdr(symbols_section, &symbols_header))
    return 0;
  Elf_Data *symbols = elf_getdata(symbols_section, NULL);
  Elf_Data *relocations = elf_getdata(section, NULL);
  if (!symbols || !relocations || header->sh_entsize != sizeof(Elf64_Rela))
    return 0;
  size_t count = relocations->d_size / sizeof(Elf64_Rela);
  for (size_t i = 0; i < count; i++) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (!gelf_getrela(relocations, (int)i, &relocation))
      return 0;
    uint64_t type = GELF_R_TYPE(relocation.r_info);
    if ((type != hook->processor->jump_slot && type != hook->processor->glob_dat) ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
      continue;
    const char *name = elf_strptr(file->elf, symbols_header.sh_link, symbol.st_name);
    bool is_hook = name && strcmp(name, hook_name) == 0;
    if (name && !is_hook && symbol.st_shndx == SHN_UNDEF &&
        add_import(hook, &relocation, name, GELF_ST_TYPE(symbol.st_info)) < 0)
      return -ENOMEM;
    if (!is_hook && (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC))
      continue;
    struct sym_hook_slot *slot = base_vector_add(&hook->slots, 1);
    if (!slot)
      return -ENOMEM;
    *slot = (struct sym_hook_slot){.address = relocation.r_offset,
                                   .value = symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value,
                                   .is_hook = is_hook,
                                   .is_lazy = type == hook->processor->jump_slot};
  }
  return 0;
}

/* DT_BIND_NOW in any of its three spellings, and where the global offset table is. */
static void read_dynamic(struct sym_hook *hook, Elf_Scn *section)
{
  Elf_Data *data = elf_getdata(section, NULL);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
    if (entry.d_tag == DT_BIND_NOW || (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW)) ||
        (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW)))
      hook->bind_now = true;
    if (entry.d_tag == DT_PLTGOT)
      hook->offset_table = entry.d_un.d_ptr;
  }
}

static int add_code(struct base_vector *sections, Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  if (!data || !data->d_buf)
    return 0;
  struct sym_code_bytes *code = base_vector_add(sections, 1);
  if (!code)
    return -ENOMEM;
  *code = (struct sym_code_bytes){.address = header->sh_addr, .bytes = data->d_buf, .size = data->d_size};
  return 0;
}

/* The hook's own address, where the module defines it. */
static int add_definition(struct sym_hook *hook, const struct sym_debugfile *file)
{
  int count = dwfl_module_getsymtab(file->module);
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &address, NULL, NULL, NULL);
    if (name && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 && strcmp(name, hook_name) == 0)
      return add_target(hook, symbol.st_value, false);
  }
  return 0;
}

static bool has_slot(const struct sym_hook *hook)
{
  for (uint32_t i = 0; i < hook->slots.count; i++)
    if (((const struct sym_hook_slot *)base_vector_at(&hook->slots, i))->is_hook)
      return true;
  return false;
}

/* Stubs that jump through the hook's slots: calls go to their first byte. */
static int add_stubs(struct sym_hook *hook, const struct sym_code_bytes *code)
{
  for (size_t at = 0; at < code->size; at += hook->processor->step) {
    struct sym_code_way way;
    size_t start;
    if (!hook->processor->stub_around(code, at, &start, &way))
      continue;
    const struct sym_hook_slot *slot = sym_hook_slot_at(hook, way.slot);
    if (!slot || !slot->is_hook)
      continue;
    int error = add_target(hook, code->address + start, slot->is_lazy);
    if (error)
      return error;
  }
  return 0;
}

/* Every structure here begins with its 64-bit address. */
static int compare_addresses(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static void sort(struct base_vector *vector)
{
  if (vector->count)
    qsort(vector->data, vector->count, vector->entry_size, compare_addresses);
}

static void *find(const struct base_vector *vector, uint64_t address)
{
  return vector->count ? bsearch(&address, vector->data, vector->count, vector->entry_size, compare_addresses) : NULL;
}

static int read_sections(struct sym_hook *hook, const struct sym_debugfile *file)
{
  Elf_Scn *section = NULL;
  int error = 0;
  while (!error && (section = elf_nextscn(file->elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) {
      sym_debugfile_say(file, "its section table cannot be read: %s", elf_errmsg(-1));
      return -EINVAL;
    }
    if (header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
      error = add_slots(hook, file, section, &header);
    else if (header.sh_type == SHT_DYNAMIC)
      read_dynamic(hook, section);
    else if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR) && (header.sh_flags & SHF_ALLOC))
      error = add_code(&hook->sections, section, &header);
    else if (header.sh_type == SHT_PROGBITS && (header.sh_flags & (SHF_ALLOC | SHF_WRITE)) == SHF_ALLOC)
      error = add_code(&hook->constants, section, &header);
  }
  return error;
}

int sym_hook_find(struct sym_hook *hook, const struct sym_debugfile *file)
{
  *hook = (struct sym_hook){.processor = file->processor,
                            .sections = BASE_VECTOR_OF(struct sym_code_bytes),
                            .constants = BASE_VECTOR_OF(struct sym_code_bytes),
                            .slots = BASE_VECTOR_OF(struct sym_hook_slot),
                            .targets = BASE_VECTOR_OF(struct sym_hook_target),
                            .imports = BASE_VECTOR_OF(struct sym_import)};
  int error = read_sections(hook, file);
  if (error)
    return error;
  sort(&hook->sections);
  sort(&hook->slots);
  sort(&hook->imports);
  error = add_definition(hook, file);
  /* Without a slot, as in most modules with sleds, all of the code would be gone through for nothing. */
  for (uint32_t i = 0; !error && has_slot(hook) && i < hook->sections.count; i++)
    error = add_stubs(hook, base_vector_at(&hook->sections, i));
  sort(&hook->targets);
  if (hook->bind_now) {
    for (uint32_t i = 0; i < hook->slots.count; i++)
      ((struct sym_hook_slot *)base_vector_at(&hook->slots, i))->is_lazy = false;
    for (uint32_t i = 0; i < hook->targets.count; i++)
      ((struct sym_hook_target *)base_vector_at(&hook->targets, i))->is_lazy = false;
  }
  return error;
}

bool sym_hook_is_named(const struct sym_hook *hook)
{
  return hook->targets.count > 0 || has_slot(hook);
}

void sym_hook_free(struct sym_hook *hook)
{
  base_vector_free(&hook->sections);
  base_vector_free(&hook->constants);
  base_vector_free(&hook->slots);
  base_vector_free(&hook->targets);
  base_vector_free(&hook->imports);
}

const struct sym_hook_target *sym_hook_target_at(const struct sym_hook *hook, uint64_t address)
{
  return find(&hook->targets, address);
}

const struct sym_hook_slot *sym_hook_slot_at(const struct sym_hook *hook, uint64_t address)
{
  return find(&hook->slots, address);
}

size_t sym_hook_call_at(const struct sym_hook *hook, const struct sym_code_bytes *code, size_t at, bool *is_lazy)
{
  struct sym_code_way way;
  if (!hook->processor->call_at(code, at, &way))
    return 0;
  if (way.target) {
    const struct sym_hook_target *target = sym_hook_target_at(hook, way.target);
    *is_lazy = target && target->is_lazy;
    return target ? way.size : 0;
  }
  const struct sym_hook_slot *slot = sym_hook_slot_at(hook, way.slot);
  *is_lazy = slot && slot->is_lazy;
  return slot && slot->is_hook ? way.size : 0;
}

const struct sym_code_bytes *sym_hook_code_at(const struct sym_hook *hook, uint64_t address)
{
  for (uint32_t i = 0; i < hook->sections.count; i++) {
    const struct sym_code_bytes *section = base_vector_at(&hook->sections, i);
    if (address >= section->address && address - section->address < section->size)
      return section;
  }
  return NULL;
}
