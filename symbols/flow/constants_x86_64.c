/*
 * Carries function addresses through instructions of x86-64, in registers and slots of the frame.
 */
#include <stddef.h>

#include "symbols/flow/constants.h"
#include "symbols/flow/operands.h"

enum { RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7 };

/* The key of the slot of the frame that a memory operand means: its offset from the stack pointer's value on entry; of
 * an operand relative to rbp, the displacement and a number so large that the two kinds never meet. False: none. */
static bool slot_key(const struct sym_constants *state, const struct sym_instruction *instruction, int64_t *key)
{
  if (!instruction->is_memory || instruction->index != SYM_NO_REGISTER || instruction->has_other_addresses)
    return false;
  if (instruction->base == RBP) {
    *key = SYM_FRAME_KEYS + instruction->displacement;
    return true;
  }
  *key = instruction->displacement - state->depth;
  return instruction->base == RSP && state->has_depth;
}

/* An address counts when it lies in machine code. */
static uint64_t function_address(const struct sym_hook *hook, uint64_t address)
{
  return sym_hook_code_at(hook, address) ? address : SYM_CONSTANT_NONE;
}

static void call(struct sym_constants *state)
{
  static const uint8_t lost[] = {RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11};
  for (size_t i = 0; i < sizeof lost; i++)
    state->registers[lost[i]] = SYM_CONSTANT_NONE;
}

/* The moves that carry addresses. False for every other instruction. */
static bool move(struct sym_constants *state, struct sym_constant_slots *slots, const struct sym_hook *hook,
                 uint64_t at, const struct sym_instruction *instruction)
{
  uint64_t *reg = &state->registers[instruction->reg], *rm = &state->registers[instruction->rm];
  uint64_t relative = at + instruction->size + (uint64_t)(int64_t)instruction->displacement;
  bool is_relative = instruction->is_memory && instruction->base == SYM_RIP_REGISTER;
  int64_t key = 0;
  bool is_slot = slot_key(state, instruction, &key);
  if (instruction->operand_size < 4)
    return false;
  switch (instruction->opcode) {
  case 0x8d:
    *reg = is_relative ? function_address(hook, relative) : SYM_CONSTANT_NONE;
    return true;
  case 0x8b:
    if (is_relative) {
      const struct sym_hook_slot *slot = sym_hook_slot_at(hook, relative);
      *reg = slot ? slot->value : SYM_CONSTANT_NONE;
    } else if (instruction->is_memory) {
      const uint64_t *slot = is_slot ? sym_constants_slot(state, slots, key, false) : NULL;
      *reg = slot ? *slot : SYM_CONSTANT_NONE;
    } else {
      *reg = *rm;
    }
    return true;
  case 0x89:
    if (is_slot)
      sym_constants_store(state, slots, key, *reg);
    else if (!instruction->is_memory)
      *rm = *reg;
    return true;
  case 0xc7:
    if (is_slot)
      sym_constants_store(state, slots, key, function_address(hook, (uint64_t)instruction->immediate));
    else if (!instruction->is_memory)
      *rm = function_address(hook, (uint64_t)instruction->immediate);
    return true;
  default:
    if (instruction->opcode < 0xb8 || instruction->opcode > 0xbf)
      return false;
    *rm = function_address(hook, instruction->operand_size == 4 ? (uint32_t)instruction->immediate
                                                                : (uint64_t)instruction->immediate);
    return true;
  }
}

/* push, pop, and sums with the stack pointer. False for every other instruction. */
static bool move_stack(struct sym_constants *state, struct sym_constant_slots *slots,
                       const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode;
  if (opcode >= 0x50 && opcode <= 0x57) {
    state->depth += 8;
    if (state->has_depth)
      sym_constants_store(state, slots, -state->depth, state->registers[instruction->rm]);
    return true;
  }
  if (opcode >= 0x58 && opcode <= 0x5f) {
    const uint64_t *slot = state->has_depth ? sym_constants_slot(state, slots, -state->depth, false) : NULL;
    state->registers[instruction->rm] = slot ? *slot : SYM_CONSTANT_NONE;
    state->depth -= 8;
    return true;
  }
  if (opcode == 0x68 || opcode == 0x6a || (opcode == 0xff && (instruction->reg & 7) == 6)) {
    state->depth += 8;
    if (state->has_depth)
      sym_constants_overwrite(state, slots, -state->depth, 8);
    return true;
  }
  bool is_sum = (opcode == 0x81 || opcode == 0x83) && !instruction->is_memory && instruction->rm == RSP;
  unsigned operation = instruction->reg & 7;
  if (!is_sum || (operation != 0 && operation != 5))
    return false;
  state->depth += operation == 5 ? instruction->immediate : -instruction->immediate;
  return true;
}

/* Whether a one-byte opcode writes neither ModRM.reg nor ModRM.rm. */
static bool only_reads(const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode;
  if ((opcode >= 0x38 && opcode <= 0x3d) || opcode == 0x84 || opcode == 0x85 || opcode == 0xa8 || opcode == 0xa9)
    return true;
  if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
    return (instruction->reg & 7) == 7;
  if (opcode == 0xf6 || opcode == 0xf7)
    return (instruction->reg & 7) < 2;
  return opcode == 0x90 || (opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xd8 && opcode <= 0xdf);
}

/* Forgets what an instruction may write of which no more is known: the registers that it names, and those that some
 * work on without naming them. */
static void forget_named(struct sym_constants *state, const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  const bool is_general = instruction->map == SYM_MAP_ONE_BYTE && !instruction->has_modrm;
  const bool is_string = is_general && (opcode == 0xa6 || opcode == 0xa7 || opcode == 0xae || opcode == 0xaf);
  const bool is_special = instruction->map == SYM_MAP_0F && !instruction->is_vex &&
                          (opcode == 0x01 || opcode == 0x05 || opcode == 0x31 || opcode == 0xa2 || opcode == 0xb0 ||
                           opcode == 0xb1 || opcode == 0xc7);
  if (instruction->has_modrm)
    state->registers[instruction->reg] = SYM_CONSTANT_NONE;
  if (instruction->has_modrm && !instruction->is_memory)
    state->registers[instruction->rm] = SYM_CONSTANT_NONE;
  if (instruction->is_vex)
    state->registers[instruction->vvvv] = SYM_CONSTANT_NONE;
  if (is_general || is_special)
    state->registers[RAX] = state->registers[RDX] = SYM_CONSTANT_NONE;
  if (is_string)
    state->registers[RCX] = state->registers[RSI] = state->registers[RDI] = SYM_CONSTANT_NONE;
  if (is_special)
    state->registers[RCX] = state->registers[RBX] = state->registers[11] = SYM_CONSTANT_NONE;
}

/* Forgets every register that an instruction which is not followed may write, and the slot. */
static void forget(struct sym_constants *state, const struct sym_constant_slots *slots,
                   const struct sym_instruction *instruction)
{
  const bool is_one_byte = instruction->map == SYM_MAP_ONE_BYTE, is_0f = instruction->map == SYM_MAP_0F;
  const struct sym_operands operands = sym_operands_of(instruction);
  int64_t key = 0;
  if (slot_key(state, instruction, &key) && !(is_one_byte && only_reads(instruction)))
    sym_constants_overwrite(state, slots, key, instruction->is_vex ? 64 : is_0f ? 16 : 8);
  if (operands.writes == UINT64_MAX)
    forget_named(state, instruction);
  for (uint8_t reg = 0; reg < 16 && operands.writes != UINT64_MAX; reg++)
    if (operands.writes & sym_general_register(reg))
      state->registers[reg] = SYM_CONSTANT_NONE;
}

void sym_constants_apply_x86_64(struct sym_constants *state, struct sym_constant_slots *slots,
                                const struct sym_hook *hook, uint64_t at, const struct sym_instruction *instruction)
{
  bool is_plain = instruction->map == SYM_MAP_ONE_BYTE && !instruction->is_vex;
  if (is_plain && (instruction->opcode == 0xe8 || (instruction->opcode == 0xff && (instruction->reg & 7) == 2)))
    call(state);
  else if (is_plain && (instruction->opcode == 0xe9 || instruction->opcode == 0xeb || instruction->opcode == 0xc3))
    return;
  else if (is_plain && (move(state, slots, hook, at, instruction) || move_stack(state, slots, instruction)))
    return;
  else
    forget(state, slots, instruction);
}
