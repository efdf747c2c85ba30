/* Walks frames by call frame information. */
#include "cli/beside/unwind.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "symbols/elf/frame.h"

/* A file that code is mapped from. */
struct file {
  int descriptor;
  Elf *elf; /* NULL: it cannot be read, or has no call frame information */
  Dwarf_CFI *frames;
  const struct sym_processor *processor;
};

void cli_unwinder_init(struct cli_unwinder *unwinder)
{
  *unwinder = (struct cli_unwinder){.files = BASE_VECTOR_OF(struct file), .rules = BASE_VECTOR_OF(struct sym_frame)};
}

static void close_file(struct file *file)
{
  if (file->frames != NULL)
    dwarf_cfi_end(file->frames);
  elf_end(file->elf);
  if (file->descriptor >= 0)
    close(file->descriptor);
  *file = (struct file){.descriptor = -1};
}

/* The kernel's own library: what this process has in its memory is what all have. */
static Elf *open_vdso(void)
{
  char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
  Elf64_Ehdr header;
  if (image == NULL)
    return NULL;
  memcpy(&header, image, sizeof header);
  return elf_memory(image, header.e_shoff + (size_t)header.e_shnum * header.e_shentsize);
}

static void open_file(const char *path, struct file *file)
{
  GElf_Ehdr header;
  elf_version(EV_CURRENT);
  *file = (struct file){.descriptor = -1};
  if (strcmp(path, CLI_VDSO) == 0)
    file->elf = open_vdso();
  else if ((file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) >= 0)
    file->elf = elf_begin(file->descriptor, ELF_C_READ_MMAP, NULL);
  if (file->elf != NULL && gelf_getehdr(file->elf, &header) != NULL)
    file->processor = sym_processor_of(header.e_machine);
  if (file->processor != NULL)
    file->frames = dwarf_getcfi_elf(file->elf);
  if (file->frames == NULL)
    close_file(file);
}

/* NULL when memory is short, or the file has no call frame information. */
static const struct file *file_of(struct cli_unwinder *unwinder, const struct base_strings *strings, uint32_t module)
{
  uint32_t number = sym_address_map_get(&unwinder->file_of, module);
  if (number == UINT32_MAX) {
    number = unwinder->files.count;
    struct file *added = base_vector_add(&unwinder->files, 1);
    if (added == NULL)
      return NULL;
    open_file(base_strings_at(strings, module), added);
    if (sym_address_map_put(&unwinder->file_of, module, number) < 0)
      return NULL;
  }
  const struct file *file = base_vector_at(&unwinder->files, number);
  return file->frames != NULL ? file : NULL;
}

/* How the frame at an address is laid out; NULL where nothing says it. */
static const struct sym_frame *rule_of(struct cli_unwinder *unwinder, const struct cli_code_map *map,
                                       const struct base_strings *strings, uint64_t address)
{
  uint32_t number = sym_address_map_get(&unwinder->rule_of, address);
  if (number == UINT32_MAX) {
    const struct cli_mapping *mapping = cli_code_map_find(map, address);
    const struct file *file =
        mapping != NULL && mapping->module != 0 ? file_of(unwinder, strings, mapping->module) : NULL;
    uint64_t linked;
    number = unwinder->rules.count;
    struct sym_frame *rule = base_vector_add(&unwinder->rules, 1);
    if (rule == NULL)
      return NULL;
    *rule = (struct sym_frame){.cfa_kind = FMT_CFA_UNKNOWN};
    if (file != NULL && sym_link_address(file->elf, address - mapping->start + mapping->offset, &linked))
      sym_frame_at(&(struct sym_debugfile){.eh_frame = file->frames, .processor = file->processor}, linked, rule);
    if (sym_address_map_put(&unwinder->rule_of, address, number) < 0)
      return NULL;
  }
  const struct sym_frame *rule = base_vector_at(&unwinder->rules, number);
  return rule->cfa_kind != FMT_CFA_UNKNOWN ? rule : NULL;
}

static bool read_word(const struct cli_stack *stack, uint64_t address, uint64_t *word)
{
  const uint64_t offset = address - stack->start;
  if (address < stack->start || offset % 8 != 0 || offset / 8 >= stack->count)
    return false;
  *word = stack->words[offset / 8];
  return true;
}

static bool find_frame(const struct sym_frame *rule, const struct cli_stack *stack,
                       const struct cli_registers *registers, uint64_t *cfa)
{
  if (rule->cfa_register >= CLI_UNWIND_REGISTERS || !(registers->known >> rule->cfa_register & 1))
    return false;
  *cfa = registers->values[rule->cfa_register] + (uint64_t)(int64_t)rule->cfa_offset;
  return rule->cfa_kind == FMT_CFA_REGISTER || read_word(stack, *cfa, cfa);
}

/* On x86-64 the return address lies below the frame's CFA, and the CFA is what the caller's stack pointer is then. */
bool cli_unwind(struct cli_unwinder *unwinder, const struct cli_code_map *map, const struct base_strings *strings,
                const struct cli_stack *stack, struct cli_registers *registers)
{
  const struct sym_frame *rule = rule_of(unwinder, map, strings, registers->address - registers->is_caller);
  const unsigned stack_pointer = sym_x86_64.stack_pointer;
  uint64_t cfa;
  if (rule == NULL || !find_frame(rule, stack, registers, &cfa) || cfa <= registers->values[stack_pointer] ||
      !read_word(stack, cfa - 8, &registers->address))
    return false;
  uint32_t known = 1u << stack_pointer;
  for (unsigned reg = 0; reg < CLI_UNWIND_REGISTERS; reg++) {
    const uint64_t saved_at = cfa + (uint64_t)(int64_t)rule->saved[reg].offset;
    if (reg == stack_pointer || !sym_is_callee_saved(&sym_x86_64, reg))
      continue;
    if (rule->saved[reg].where == SYM_SAVED_REGISTER ||
        (rule->saved[reg].where == SYM_SAVED_MEMORY && read_word(stack, saved_at, &registers->values[reg])))
      known |= (rule->saved[reg].where == SYM_SAVED_MEMORY ? 1u : registers->known >> reg & 1) << reg;
  }
  registers->values[stack_pointer] = cfa;
  registers->known = known;
  registers->is_caller = true;
  return true;
}

void cli_unwinder_clear(struct cli_unwinder *unwinder)
{
  sym_address_map_free(&unwinder->rule_of);
  unwinder->rules.count = 0;
}

void cli_unwinder_free(struct cli_unwinder *unwinder)
{
  for (uint32_t i = 0; i < unwinder->files.count; i++)
    close_file(base_vector_at(&unwinder->files, i));
  base_vector_free(&unwinder->files);
  base_vector_free(&unwinder->rules);
  sym_address_map_free(&unwinder->file_of);
  sym_address_map_free(&unwinder->rule_of);
}
