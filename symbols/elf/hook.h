/*
 * How the code of a module reaches __cyg_profile_func_enter: by the address of its own copy (a statically linked
 * runtime), through procedure linkage stubs, or through slots of the global offset table. The slots of the other
 * functions that it imports are found on the way.
 */
#ifndef CALLSIG_SYMBOLS_ELF_HOOK_H
#define CALLSIG_SYMBOLS_ELF_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "symbols/elf/debugfile.h"

/* A place that holds a function's address once the dynamic linker has been there. */
struct sym_hook_slot {
  uint64_t address; /* of the slot */
  uint64_t value;   /* the function's link-time address when it is defined in this module, else 0 */
  bool is_hook;
  bool is_lazy; /* may still lead into the lazy resolver */
};

/* A function of another module, and a slot of this one that the dynamic linker fills with its address. */
struct sym_import {
  uint64_t slot;
  const char *name;  /* the symbol's; owned by libelf */
  bool is_jump_slot; /* only called through */
  bool is_read;      /* set by sym_imports_find() alone: some code loads from it */
};

struct sym_hook {
  const struct sym_processor *processor;
  struct base_vector sections;  /* struct sym_code_bytes, ascending by address; the bytes belong to libelf */
  struct base_vector constants; /* struct sym_code_bytes: what is loaded and neither run nor written */
  struct base_vector slots;     /* struct sym_hook_slot, ascending by address */
  struct base_vector targets;   /* struct sym_hook_target, ascending by address */
  struct base_vector imports;   /* struct sym_import, ascending by slot */
  uint64_t offset_table;        /* what code adds distances in it to: _GLOBAL_OFFSET_TABLE_; 0: not known */
  bool bind_now;                /* the dynamic linker resolves everything before the program runs */
};

/* An address that, when called, is the hook. */
struct sym_hook_target {
  uint64_t address;
  bool is_lazy;
};

/* Fills `hook`, which must be freed with sym_hook_free(), also after an error. A module that never names the hook gives
 * empty targets and 0. -ENOMEM; -EINVAL after a message for section tables that cannot be read. */
int sym_hook_find(struct sym_hook *hook, const struct sym_debugfile *file);
void sym_hook_free(struct sym_hook *hook);

/* Does the module know the hook at all? Most of those with sleds do not. */
bool sym_hook_is_named(const struct sym_hook *hook);

/* The target at exactly `address`, or NULL. */
const struct sym_hook_target *sym_hook_target_at(const struct sym_hook *hook, uint64_t address);

/* The slot at exactly `address`, or NULL. */
const struct sym_hook_slot *sym_hook_slot_at(const struct sym_hook *hook, uint64_t address);

/* The size of the call of the hook at `at` in a section, as far as the instruction itself says where it leads; 0: there
 * is none. */
size_t sym_hook_call_at(const struct sym_hook *hook, const struct sym_code_bytes *code, size_t at, bool *is_lazy);

/* The code section that holds `address`, or NULL. */
const struct sym_code_bytes *sym_hook_code_at(const struct sym_hook *hook, uint64_t address);

#endif
