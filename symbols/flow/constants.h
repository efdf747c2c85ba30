/*
 * Function addresses in registers and in the slots of one function's frame, and what each instruction does to them.
 *
 * Machine numbering of registers: rax rcx rdx rbx rsp rbp rsi rdi r8 to r15.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_CONSTANTS_H
#define CALLSIG_SYMBOLS_FLOW_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf/hook.h"
#include "symbols/flow/decode.h"

enum { SYM_CONSTANT_SLOTS = 64 /* of one function that are followed; more are not */ };

/* What is known of a register or slot: nothing, one address, or one of several addresses. Where ways join, this rises
 * in that order and never falls, so that following all ways comes to an end. */
#define SYM_CONSTANT_NONE    0u
#define SYM_CONSTANT_SEVERAL UINT64_MAX

/* Which slots of a function's frame have numbers; shared by all states of the function. */
struct sym_constant_slots {
  int64_t keys[SYM_CONSTANT_SLOTS];
  unsigned count;
};

struct sym_constants {
  bool is_reached;
  bool has_depth; /* `depth` is the same on all ways */
  int64_t depth;  /* of the stack pointer below its value on entry, bytes */
  uint64_t registers[16];
  uint64_t slots[SYM_CONSTANT_SLOTS];
};

/* The state on entry to a function. */
void sym_constants_begin(struct sym_constants *state);

/* Joins what holds on one more way to the same instruction. True when that changed anything. */
bool sym_constants_join(struct sym_constants *state, const struct sym_constants *way);

/* Carries out the instruction at `at`. */
void sym_constants_apply(struct sym_constants *state, struct sym_constant_slots *slots, const struct sym_hook *hook,
                         uint64_t at, const struct sym_instruction *instruction);

#endif
