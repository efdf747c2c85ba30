/*
 * Function addresses in registers and in the slots of one function's frame, and what each instruction does to them.
 *
 * Machine numbering of registers: rax rcx rdx rbx rsp rbp rsi rdi r8 to r15.
 */
#ifndef CALLSIG_SYMBOLS_CONSTANTS_H
#define CALLSIG_SYMBOLS_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode.h"
#include "hook.h"

enum { CS_CONSTANT_SLOTS = 64 /* of one function that are followed; more are not */ };

/* What a place may hold: nothing that is known, one address, or one of several. In this order a value only ever rises.
 */
#define CS_CONSTANT_NONE    0u
#define CS_CONSTANT_SEVERAL UINT64_MAX

/* Which slots of a function's frame have numbers; shared by all states of the function. */
struct cs_constant_slots {
  int64_t keys[CS_CONSTANT_SLOTS];
  unsigned count;
};

struct cs_constants {
  bool is_reached;
  bool has_depth; /* `depth` is the same on all ways */
  int64_t depth;  /* of the stack pointer below its value on entry, bytes */
  uint64_t registers[16];
  uint64_t slots[CS_CONSTANT_SLOTS];
};

/* The state on entry to a function. */
void cs_constants_begin(struct cs_constants *state);

/* Adds what holds on one more way to the same place. True when that changed anything. */
bool cs_constants_join(struct cs_constants *state, const struct cs_constants *way);

/* Carries out the instruction at `at`. */
void cs_constants_apply(struct cs_constants *state, struct cs_constant_slots *slots, const struct cs_hook *hook,
                        uint64_t at, const struct cs_instruction *instruction);

#endif
