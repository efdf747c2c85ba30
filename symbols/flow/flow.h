/*
 * Values followed forwards through the straight code after a hook's call, each told in terms of what the hook sees.
 *
 * Uses: clang writes a parameter into the slot of the frame that DWARF gives as its home only after the hook's
 * call: the value stored there is where the parameter is at the hook. And both compilers begin locations a few
 * instructions after the call: a register or slot at that point is traced back to the registers and memory at the hook.
 *
 * Only copies are followed: moves, loads, stores, constants, addresses in the frame, pushes and pops, and unconditional
 * jumps. Everything else makes what it writes unknown, and conditional jumps, calls and instructions that are not
 * known end the path. Nothing is assumed of a store through another pointer but that it may have changed what is
 * loaded later.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_FLOW_H
#define CALLSIG_SYMBOLS_FLOW_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "format/machine.h"
#include "symbols/capture/code.h"
#include "symbols/elf/hook.h"
#include "symbols/flow/spill.h"

enum {
  SYM_FLOW_OPS_MAX = 20, /* of one value */
  SYM_FLOW_STORES_MAX = 64,
  SYM_FLOW_STEPS_MAX = 256 /* instructions */
};

/* The low `known` bytes of a register or store, as ops that push them (more bits may be set above); 0: unknown. */
struct sym_flow_value {
  uint8_t known;
  uint8_t count;
  struct fmt_op ops[SYM_FLOW_OPS_MAX];
};

struct sym_flow_store {
  bool has_base; /* the address is a register's value at the hook + offset; else anywhere */
  uint8_t base;  /* DWARF number */
  uint8_t size;
  int64_t offset;
  struct sym_flow_value value;
};

struct sym_flow {
  const struct sym_hook *hook;
  uint64_t at; /* the next instruction */
  unsigned steps;
  struct sym_frame_bases bases;                       /* what sym_code_load() calls bases */
  struct sym_flow_value registers[FMT_REGISTERS_MAX]; /* DWARF numbers */
  struct sym_flow_value vectors[FMT_REGISTERS_MAX];   /* the low 8 bytes of each */
  struct sym_flow_store stores[SYM_FLOW_STORES_MAX];
  unsigned store_count;
  /* Of the function whose code this is, to tell its spill slots, which calls and stores elsewhere leave alone; NULL:
   * none is known. */
  struct sym_spills *spills;
  const Dwarf_Die *physical;
  const struct sym_frame *frame;
};

/* Begins right after the hook's call: callee-saved registers and the stack pointer are as the hook saw them.
 * `bases` is what sym_code_load() calls so. */
void sym_flow_begin(struct sym_flow *flow, const struct sym_hook *hook, uint64_t pc, struct sym_frame_bases bases);

/* Begins at a function's first byte: every register is what it is on entry, and "at the hook" means there. */
void sym_flow_begin_function(struct sym_flow *flow, const struct sym_hook *hook, uint64_t entry);

/* Follows one instruction. False when the path ends before it. */
bool sym_flow_step(struct sym_flow *flow);

/* The same, but that a conditional jump ahead over straight code, as a variadic function has one around the stores of
 * its vector registers, is one instruction: after it is known what both ways leave alike. */
bool sym_flow_step_over(struct sym_flow *flow);

/* As sym_flow_step(), but that a call which returns is one instruction, too: after it, what calls may change is
 * unknown, all memory but spill slots included. */
bool sym_flow_step_past_call(struct sym_flow *flow);

/* As sym_flow_step(), but that a conditional jump is one instruction, too: it is taken, or it is not. */
bool sym_flow_step_past_jump(struct sym_flow *flow, bool is_taken);

/* Appends ops that push a register (DWARF number) as it is now, and returns how many
 * of its low bytes they tell: 0, without ops, when it is unknown. */
uint8_t sym_flow_push(const struct sym_flow *flow, unsigned reg, struct sym_code *code);

/* What is known of the `size` bytes at a register's value at the hook + `offset`. */
enum sym_flow_memory {
  SYM_FLOW_UNTOUCHED, /* as at the hook */
  SYM_FLOW_STORED,    /* what a store since then put there: ops that push it were appended where `code` is not NULL */
  SYM_FLOW_UNKNOWN,
};
enum sym_flow_memory sym_flow_memory_at(const struct sym_flow *flow, unsigned base, int64_t offset, uint8_t size,
                                        struct sym_code *code);

#endif
