/*
 * A few bytes of machine code as a module's only code section, at an address of its own.
 */
#ifndef CALLSIG_TESTS_SNIPPET_H
#define CALLSIG_TESTS_SNIPPET_H

#include "symbols/elf/hook.h"

#define SNIPPET_ADDRESS 0x1000u
#define SNIPPET_HOOK    0x2000u /* the address of __cyg_profile_func_enter */

struct snippet {
  struct sym_code_bytes section;
  struct sym_hook_target target;
  struct sym_hook_slot slot;
  struct sym_hook hook;
};

/* Makes `snippet` of `size` bytes, which must outlive it. Nothing is to be freed. */
static inline void snippet_make(struct snippet *snippet, const uint8_t *bytes, size_t size)
{
  *snippet = (struct snippet){.section = {.address = SNIPPET_ADDRESS, .bytes = bytes, .size = size},
                              .target = {.address = SNIPPET_HOOK}};
  snippet->hook.processor = &sym_x86_64;
  snippet->hook.sections =
      (struct base_vector){.data = &snippet->section, .count = 1, .capacity = 1, .entry_size = sizeof snippet->section};
  snippet->hook.targets =
      (struct base_vector){.data = &snippet->target, .count = 1, .capacity = 1, .entry_size = sizeof snippet->target};
  snippet->hook.slots = (struct base_vector){.entry_size = sizeof snippet->slot};
}

#endif
