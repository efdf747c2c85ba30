/* Finds callers by return addresses on the stack. */
#include "cli/beside/callers.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/run/elf_facts.h"

/* The longest call: FF /2 with a SIB byte and four bytes of displacement. */
#define LONGEST_CALL 7u

bool cli_callers_profiled(struct cli_callers *callers, const struct base_strings *strings, uint32_t module)
{
  uint32_t known = sym_address_map_get(&callers->profiled, module);
  if (known == UINT32_MAX) {
    struct cli_elf_facts facts;
    known =
        cli_elf_facts_read(base_strings_at(strings, module), &facts) == 0 && (facts.has_sleds || facts.imports_hook);
    if (sym_address_map_put(&callers->profiled, module, known) < 0)
      return false;
  }
  return known == 1;
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

uint64_t cli_callers_find(struct cli_callers *callers, const struct cli_code_map *map,
                          const struct base_strings *strings, const uint64_t *words, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    const struct cli_mapping *mapping = cli_code_map_find(map, words[i]);
    if (mapping != NULL && mapping->module != 0 && cli_callers_profiled(callers, strings, mapping->module) &&
        is_return(callers, strings, mapping, words[i]))
      return words[i];
  }
  return 0;
}

void cli_callers_clear(struct cli_callers *callers)
{
  sym_address_map_free(&callers->returns);
}

void cli_callers_free(struct cli_callers *callers)
{
  sym_address_map_free(&callers->profiled);
  sym_address_map_free(&callers->returns);
}
