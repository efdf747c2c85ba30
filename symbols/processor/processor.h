/*
 * The processors whose programs are indexed: how DWARF numbers their registers, what a call of the hook leaves of them,
 * and what calls and stubs look like in machine code.
 */
#ifndef CALLSIG_SYMBOLS_PROCESSOR_PROCESSOR_H
#define CALLSIG_SYMBOLS_PROCESSOR_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Machine code that begins at `address`. */
struct sym_code_bytes {
  uint64_t address;
  const uint8_t *bytes;
  size_t size;
};

/* Where a call or a stub leads: to `target`, or, where that is 0, to what the slot at `slot` holds. */
struct sym_code_way {
  size_t size; /* of the instruction; of a stub, all of it */
  uint64_t target, slot;
};

struct sym_processor {
  uint16_t machine;              /* e_machine */
  const char *const *registers;  /* names of the general registers, which DWARF numbers from 0 on */
  uint8_t register_count;        /* at most FMT_REGISTERS_MAX */
  const char *vector;            /* what the names of vector registers begin with */
  uint8_t first_vector, vectors; /* DWARF numbers, and how many */
  uint8_t stack_pointer;         /* DWARF number */
  uint8_t link;                  /* the register that a call leaves its return address in; register_count: memory */
  uint8_t entry_cfa;             /* bytes from the stack pointer at a function's first instruction to its CFA */
  uint32_t callee_saved;         /* a bit for each register that every function gives back as it got it */
  uint32_t lost_at_call;         /* for each that a call of the hook has changed when the hook begins */
  uint32_t lost_at_first_call;   /* for each that the lazy resolver may change */
  uint32_t jump_slot, glob_dat;  /* types of relocations */
  uint8_t step;                  /* instructions begin at its multiples */
  bool has_flow;                 /* values are followed through its code: flow/flow.h */
  uint8_t function_register;     /* what the hook's first argument is passed in, as flow/constants.h numbers it */
  /* Whether a call is at `at`. */
  bool (*call_at)(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way);
  /* Whether a call ends at `end`; the ways that its last bytes may be read in, one after the other from 0 on. */
  bool (*call_before)(const struct sym_code_bytes *code, size_t end, unsigned reading, struct sym_code_way *way);
  /* Whether a stub is at `at` that jumps through a slot. */
  bool (*stub_at)(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way);
  /* Whether the jump of a stub is at `at`, through a slot; *start is where the stub begins. */
  bool (*stub_around)(const struct sym_code_bytes *code, size_t at, size_t *start, struct sym_code_way *way);
};

extern const struct sym_processor sym_x86_64, sym_aarch64;

/* That of an ELF file's e_machine, or NULL. */
const struct sym_processor *sym_processor_of(uint16_t machine);

static inline bool sym_is_callee_saved(const struct sym_processor *processor, unsigned reg)
{
  return reg < processor->register_count && processor->callee_saved >> reg & 1;
}

/* Whether DWARF's number is that of a vector register. */
static inline bool sym_is_vector(const struct sym_processor *processor, uint64_t reg)
{
  return reg >= processor->first_vector && reg < (uint64_t)processor->first_vector + processor->vectors;
}

#endif
