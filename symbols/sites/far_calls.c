/*
 * Follows 64-bit constants that lead to the hook through straight code, to the calls that are made with them.
 */
#include "symbols/sites/far_calls.h"

#include <errno.h>
#include <string.h>

#include "symbols/flow/decode.h"
#include "symbols/sites/sites.h"

enum {
  CONSTANT_SIZE = 10,   /* 48 b8 imm64, and its likes for other registers */
  STEPS_MAX = 512,      /* instructions behind a constant */
  CALLER_SAVED = 0x0fc7 /* rax, rcx, rdx, rsi, rdi, r8 to r11, by their machine numbers */
};

/* What code behind a constant is followed with: the registers that hold what came of it. */
struct trace {
  uint16_t held;
  bool is_lazy;
};

/* Does the address lead to the hook: its own, that of a stub, or that of a slot? */
static bool leads_to_hook(const struct sym_hook *hook, uint64_t address, bool *is_lazy)
{
  const struct sym_hook_target *target = sym_hook_target_at(hook, address);
  const struct sym_hook_slot *slot = target ? NULL : sym_hook_slot_at(hook, address);
  *is_lazy = target ? target->is_lazy : slot && slot->is_lazy;
  return target || (slot && slot->is_hook);
}

/* Is there an instruction that puts a 64-bit constant which leads to the hook into a register? */
static bool begin(const struct sym_hook *hook, const uint8_t *bytes, size_t left, struct trace *trace)
{
  uint64_t constant;
  if (left < CONSTANT_SIZE || (bytes[0] != 0x48 && bytes[0] != 0x49) || (bytes[1] & 0xf8) != 0xb8)
    return false;
  memcpy(&constant, bytes + 2, sizeof constant);
  trace->held = (uint16_t)(1u << ((bytes[1] & 7) + (bytes[0] == 0x49 ? 8 : 0)));
  return leads_to_hook(hook, constant, &trace->is_lazy) ||
         (hook->offset_table != 0 && leads_to_hook(hook, hook->offset_table + constant, &trace->is_lazy));
}

static bool holds(const struct trace *trace, uint8_t reg)
{
  return reg < 16 && trace->held >> reg & 1;
}

/* Does the instruction name a register that holds the constant, as its operand or in its operand's address? */
static bool uses(const struct trace *trace, const struct sym_instruction *instruction)
{
  return instruction->is_memory ? holds(trace, instruction->base) || holds(trace, instruction->index)
                                : holds(trace, instruction->rm);
}

static void set(struct trace *trace, uint8_t reg, bool is_held)
{
  if (reg < 16)
    trace->held = (uint16_t)(is_held ? trace->held | 1u << reg : trace->held & ~(1u << reg));
}

/* Sums, addresses, loads and copies hand the constant on; what else is written to a register by them replaces it. */
static void execute(struct trace *trace, const struct sym_instruction *instruction)
{
  bool from_memory = uses(trace, instruction);
  if (instruction->map != SYM_MAP_ONE_BYTE || instruction->is_vex)
    return;
  switch (instruction->opcode) {
  case 0x01: /* add reg to rm */
    if (!instruction->is_memory)
      set(trace, instruction->rm, from_memory || holds(trace, instruction->reg));
    break;
  case 0x03: /* add rm to reg */
    set(trace, instruction->reg, from_memory || holds(trace, instruction->reg));
    break;
  case 0x89: /* copy reg to rm */
    if (!instruction->is_memory)
      set(trace, instruction->rm, holds(trace, instruction->reg));
    break;
  case 0x8b: /* load or copy */
  case 0x8d: /* address */
    set(trace, instruction->reg, from_memory);
    break;
  default:
    if ((instruction->opcode >= 0xb8 && instruction->opcode <= 0xbf) ||
        (instruction->opcode >= 0x58 && instruction->opcode <= 0x5f))
      set(trace, instruction->rm, false);
  }
}

static int add(const struct sym_code_bytes *section, size_t at, size_t size, bool is_lazy, struct base_vector *sites)
{
  struct sym_found_site *site = base_vector_add(sites, 1);
  if (!site)
    return -ENOMEM;
  *site =
      (struct sym_found_site){.pc = section->address + at + size, .call = section->address + at, .is_lazy = is_lazy};
  return 0;
}

/* The calls behind a constant, as long as a register holds it. */
static int follow(const struct sym_code_bytes *section, size_t at, struct trace trace, struct base_vector *sites)
{
  struct sym_instruction instruction;
  int error = 0;
  for (unsigned i = 0;
       i < STEPS_MAX && error == 0 && trace.held && sym_decode(section->bytes + at, section->size - at, &instruction);
       i++) {
    bool is_indirect = instruction.map == SYM_MAP_ONE_BYTE && instruction.opcode == 0xff && instruction.has_modrm &&
                       (instruction.reg & 7) == 2;
    if (is_indirect && uses(&trace, &instruction))
      error = add(section, at, instruction.size, trace.is_lazy, sites);
    if (is_indirect || (instruction.map == SYM_MAP_ONE_BYTE && instruction.opcode == 0xe8))
      trace.held &= (uint16_t)~CALLER_SAVED;
    else
      execute(&trace, &instruction);
    at += instruction.size;
  }
  return error;
}

int sym_far_calls_find(const struct sym_hook *hook, const struct sym_code_bytes *section, struct base_vector *sites)
{
  int error = 0;
  for (size_t at = 0; at < section->size && error == 0; at++) {
    struct trace trace;
    if (begin(hook, section->bytes + at, section->size - at, &trace))
      error = follow(section, at + CONSTANT_SIZE, trace, sites);
  }
  return error;
}
