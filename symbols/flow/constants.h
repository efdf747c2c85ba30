/*
 * Function addresses in registers and in the slots of one function's frame, and what each instruction does to them.
 *
 * Registers are numbered as instructions number them: rax rcx rdx rbx rsp rbp rsi rdi r8 to r15 and x0 to x30 and sp.
 */
#ifndef CALLSIG_SYMBOLS_FLOW_CONSTANTS_H
#define CALLSIG_SYMBOLS_FLOW_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/machine.h"
#include "symbols/elf/hook.h"
#include "symbols/flow/step.h"

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
  uint64_t registers[FMT_REGISTERS_MAX];
  uint64_t slots[SYM_CONSTANT_SLOTS];
};

/* The state on entry to a function. */
void sym_constants_begin(struct sym_constants *state);

/* Joins what holds on one more way to the same instruction. True when that changed anything. */
bool sym_constants_join(struct sym_constants *state, const struct sym_constants *way);

/* Carries out the instruction at `at`. */
void sym_constants_apply(struct sym_constants *state, struct sym_constant_slots *slots, const struct sym_hook *hook,
                         uint64_t at, const struct sym_step *step);

/* The same by processor. */
void sym_constants_apply_x86_64(struct sym_constants *state, struct sym_constant_slots *slots,
                                const struct sym_hook *hook, uint64_t at, const struct sym_instruction *instruction);
void sym_constants_apply_aarch64(struct sym_constants *state, struct sym_constant_slots *slots,
                                 const struct sym_hook *hook, uint64_t at, uint32_t word);

/* Begins the keys of slots that are addressed by the frame pointer, beyond all offsets from the stack pointer: the two
 * kinds never meet. */
#define SYM_FRAME_KEYS ((int64_t)1 << 40)

/* The slot with this key; with `add`, a new one where there is none yet. NULL: not followed. */
uint64_t *sym_constants_slot(struct sym_constants *state, struct sym_constant_slots *slots, int64_t key, bool add);
/* Forgets what `size` bytes of memory from a key on overwrite. */
void sym_constants_overwrite(struct sym_constants *state, const struct sym_constant_slots *slots, int64_t key,
                             unsigned size);
/* Has a slot hold 8 bytes. */
void sym_constants_store(struct sym_constants *state, struct sym_constant_slots *slots, int64_t key, uint64_t value);

#endif
