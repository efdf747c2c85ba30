/* Finds callers by the frames on the stack. */
#include "cli/beside/callers.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/elf_facts.h"
#include "symbols/processor/processor.h"

/* The longest call: FF /2 with a SIB byte and four bytes of displacement. */
#define LONGEST_CALL 7u

/* A file that cannot be read has none. */
static bool has_hooks(const char *path, void *data)
{
  struct cli_elf_facts facts;
  (void)data;
  return cli_elf_facts_read(path, &facts) == 0 && (facts.has_sleds || facts.imports_hook);
}

/* Is the module one with functions that are profiled? The kernel's own library is none, nor is a file of that name. */
static bool is_profiled(struct cli_callers *callers, const struct base_strings *strings, uint32_t module)
{
  uint32_t known = sym_address_map_get(&callers->profiled, module);
  if (known == UINT32_MAX) {
    const char *path = base_strings_at(strings, module);
    known = strcmp(path, CLI_VDSO) != 0 && callers->files.is_profiled(path, callers->files.data);
    if (sym_address_map_put(&callers->profiled, module, known) < 0)
      return false;
  }
  return known == 1;
}

/* What is known of a profiled file's functions; NULL: nothing. */
static const struct sym_profiled_code *code_of(struct cli_callers *callers, const struct base_strings *strings,
                                               uint32_t module)
{
  uint32_t number = sym_address_map_get(&callers->code_of, module);
  if (number == UINT32_MAX) {
    number = callers->codes.count;
    struct sym_profiled_code **added = base_vector_add(&callers->codes, 1);
    if (added == NULL || sym_address_map_put(&callers->code_of, module, number) < 0)
      return NULL;
    sym_profiled_code_open(added, base_strings_at(strings, module));
  }
  return *(struct sym_profiled_code **)base_vector_at(&callers->codes, number);
}

/* Is the address in a function of a profiled file that has no hooks: assembly, or what the compiler left out? */
static bool is_other(struct cli_callers *callers, const struct base_strings *strings, const struct cli_mapping *mapping,
                     uint64_t address)
{
  uint32_t known = sym_address_map_get(&callers->others, address);
  if (known == UINT32_MAX) {
    const struct sym_profiled_code *code = code_of(callers, strings, mapping->module);
    known = code != NULL && sym_is_unprofiled(code, address - mapping->start + mapping->offset);
    if (sym_address_map_put(&callers->others, address, known) < 0)
      return false;
  }
  return known == 1;
}

/* Is the address in code that is profiled? */
static bool is_profiled_at(struct cli_callers *callers, const struct base_strings *strings,
                           const struct cli_mapping *mapping, uint64_t address)
{
  return is_profiled(callers, strings, mapping->module) && !is_other(callers, strings, mapping, address);
}

/* Does a call end behind the bytes? E8 and four bytes, or FF /2 with two to seven bytes in all: Intel's manual, volume
 * 2, "CALL". */
static bool ends_call(const uint8_t bytes[LONGEST_CALL])
{
  if (bytes[LONGEST_CALL - 5] == 0xE8)
    return true;
  for (unsigned size = 2; size <= LONGEST_CALL; size++) {
    const uint8_t *call = bytes + LONGEST_CALL - size;
    const unsigned mode = call[1] >> 6, base = call[1] & 7u;
    const unsigned displacement = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
    if (call[0] == 0xFF && (call[1] >> 3 & 7u) == 2 && 2u + (mode != 3 && base == 4 ? 1u : 0u) + displacement == size)
      return true;
  }
  return false;
}

static bool is_return(struct cli_callers *callers, const struct base_strings *strings,
                      const struct cli_mapping *mapping, uint64_t address)
{
  uint32_t known = sym_address_map_get(&callers->returns, address);
  if (known != UINT32_MAX)
    return known == 1;
  uint8_t bytes[LONGEST_CALL];
  const uint64_t offset = address - mapping->start + mapping->offset;
  int file = offset < LONGEST_CALL
                 ? -1
                 : open(base_strings_at(strings, mapping->module), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  known = file >= 0 && pread(file, bytes, sizeof bytes, (off_t)(offset - LONGEST_CALL)) == (ssize_t)sizeof bytes &&
          ends_call(bytes);
  if (file >= 0)
    close(file);
  return sym_address_map_put(&callers->returns, address, known) == 0 && known == 1;
}

/* The call before the first word from `top` upwards that is a return address into profiled code; 0: none. */
static uint64_t innermost_call(struct cli_callers *callers, const struct cli_code_map *map,
                               const struct base_strings *strings, const struct cli_stack *stack, uint64_t top)
{
  for (uint64_t i = top > stack->start ? (top - stack->start) / 8 : 0; i < stack->count; i++) {
    const uint64_t word = stack->words[i];
    const struct cli_mapping *mapping = cli_code_map_find(map, word);
    if (mapping != NULL && mapping->module != 0 && is_profiled_at(callers, strings, mapping, word - 1) &&
        is_return(callers, strings, mapping, word))
      return word - 1;
  }
  return 0;
}

enum whose { WHOSE_LIBRARY, WHOSE_PROFILED, WHOSE_RUNTIME, WHOSE_OTHER };

/* Whose code an address is in: callsig's own, and that of no file, is neither a library's nor profiled. A function
 * without hooks is like a library's, whatever file it is in. */
static enum whose whose_code(struct cli_callers *callers, const struct cli_code_map *map,
                             const struct base_strings *strings, uint64_t address)
{
  const struct cli_mapping *mapping = cli_code_map_find(map, address);
  if (mapping == NULL || mapping->module == 0)
    return WHOSE_OTHER;
  if (cli_is_runtime(base_strings_at(strings, mapping->module)))
    return WHOSE_RUNTIME;
  return is_profiled_at(callers, strings, mapping, address) ? WHOSE_PROFILED : WHOSE_LIBRARY;
}

/* What libraries call each other is deeper than that only where they lead round in a circle. */
#define FRAMES_MOST 64u

uint64_t cli_callers_of(struct cli_callers *callers, const struct cli_code_map *map, const struct base_strings *strings,
                        const struct cli_stack *stack, const struct cli_registers *registers)
{
  if (whose_code(callers, map, strings, registers->address) != WHOSE_LIBRARY)
    return registers->address;
  struct cli_registers frame = *registers;
  enum whose whose = WHOSE_LIBRARY;
  for (unsigned i = 0; i < FRAMES_MOST && whose == WHOSE_LIBRARY; i++) {
    if (!cli_unwind(&callers->unwinder, map, strings, stack, &frame))
      break;
    /* The call is before the address that it returns to. */
    whose = whose_code(callers, map, strings, frame.address - 1);
  }
  /* What a hook calls, the kernel's clock in the first place, is the hook's. */
  if (whose == WHOSE_PROFILED || whose == WHOSE_RUNTIME)
    return frame.address - 1;
  const uint64_t top = frame.values[sym_x86_64.stack_pointer];
  const uint64_t call = innermost_call(callers, map, strings, stack, top);
  return call != 0 ? call : registers->address;
}

bool cli_callers_knows(struct cli_callers *callers, const struct cli_code_map *map, const struct base_strings *strings,
                       const struct cli_stack *stack, const struct cli_registers *registers)
{
  const uint64_t address = cli_callers_of(callers, map, strings, stack, registers);
  const struct cli_mapping *mapping = cli_code_map_find(map, address);
  return mapping != NULL && (mapping->module == 0 || whose_code(callers, map, strings, address) != WHOSE_LIBRARY);
}

int cli_callers_count(struct cli_callers *callers, const struct cli_code_map *map, const struct cli_stack *stack,
                      const struct cli_registers *registers, struct cli_samples *samples)
{
  const uint64_t address =
      stack == NULL ? registers->address : cli_callers_of(callers, map, samples->strings, stack, registers);
  const struct cli_mapping *mapping = cli_code_map_find(map, address),
                           *met = address != registers->address ? cli_code_map_find(map, registers->address) : NULL;
  /* What a hook calls is its own. */
  if (mapping != NULL && mapping->module != 0)
    return cli_samples_add(
        samples, mapping->module, address - mapping->start + mapping->offset,
        met != NULL && !cli_is_runtime(base_strings_at(samples->strings, mapping->module)) ? met->module : 0);
  return cli_samples_add_unmapped(samples, address);
}

void cli_callers_init(struct cli_callers *callers, const struct cli_profiled *files)
{
  *callers = (struct cli_callers){.files = files != NULL ? *files : (struct cli_profiled){.is_profiled = has_hooks},
                                  .codes = BASE_VECTOR_OF(struct sym_profiled_code *)};
  cli_unwinder_init(&callers->unwinder);
}

void cli_callers_clear(struct cli_callers *callers)
{
  sym_address_map_free(&callers->returns);
  sym_address_map_free(&callers->others);
  cli_unwinder_clear(&callers->unwinder);
}

void cli_callers_free(struct cli_callers *callers)
{
  sym_address_map_free(&callers->profiled);
  sym_address_map_free(&callers->returns);
  sym_address_map_free(&callers->others);
  sym_address_map_free(&callers->code_of);
  for (uint32_t i = 0; i < callers->codes.count; i++)
    sym_profiled_code_close(*(struct sym_profiled_code **)base_vector_at(&callers->codes, i));
  base_vector_free(&callers->codes);
  cli_unwinder_free(&callers->unwinder);
}
