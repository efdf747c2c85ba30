/* Finds code in the process, and makes what is mapped there. */
#include "cli/attach/code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/symbols.h"

static size_t code_size(void)
{
  return (uintptr_t)cli_arch_code_end - (uintptr_t)cli_arch_code;
}

/* The C library's first mapping, or NULL. */
static const struct cli_memory_mapping *c_library(const struct cli_mappings *mappings)
{
  const struct cli_memory_mapping *library = cli_mappings_of_file(mappings, "libc.so.6");
  return library != NULL ? library : cli_mappings_of_file(mappings, "libc-2.");
}

int cli_code_find(pid_t pid, const struct cli_mappings *mappings, struct cli_places *places)
{
  const struct cli_memory_mapping *library = c_library(mappings);
  int error = 0;
  *places = (struct cli_places){0};
  for (uint32_t i = 0; library != NULL && error == 0 && i < mappings->list.count; i++) {
    const struct cli_memory_mapping *mapping = base_vector_at(&mappings->list, i);
    if (!mapping->executable || !mapping->readable || strcmp(mapping->path, library->path) != 0)
      continue;
    const size_t size = mapping->end - mapping->start;
    unsigned char *code = malloc(size);
    error = code == NULL ? -ENOMEM : cli_memory_read(pid, mapping->start, code, size);
    if (error == 0)
      cli_arch_find(code, size, mapping->start, places);
    free(code);
  }
  uint64_t size;
  if (error == 0 && library != NULL)
    places->errno_location = cli_symbol_find(pid, library->start, "__errno_location", &size);
  const bool has_all = places->system_call != 0 && places->resume != 0 && places->errno_location != 0;
  return error < 0 ? error : has_all ? 0 : -ENOENT;
}

unsigned char *cli_code_image(const char *settings, size_t size, size_t *image_size)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *image_size = (size + code_size() + page - 1) / page * page;
  unsigned char *image = calloc(1, *image_size);
  if (image == NULL)
    return NULL;
  memcpy(image, settings, size);
  memcpy(image + *image_size - code_size(), cli_arch_code, code_size());
  return image;
}

uint64_t cli_code_address(uint64_t end)
{
  return end - code_size();
}

uint64_t cli_code_mapped(pid_t pid, const struct cli_memory_mapping *mapping)
{
  unsigned char code[256];
  const uint64_t address = cli_code_address(mapping->end);
  const bool is_ours = mapping->executable && code_size() <= sizeof code &&
                       cli_memory_read(pid, address, code, code_size()) == 0 &&
                       memcmp(code, cli_arch_code, code_size()) == 0;
  return is_ours ? address : 0;
}
