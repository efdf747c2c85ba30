/*
 * Tells which bits of a value an x86-64 instruction looks at.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
 */
#include "symbols/flow/bits_read.h"

#include "symbols/flow/operands.h"
#include "symbols/processor/x86_64.h"

enum {
  ADC = 2, /* operations of the group of opcodes 80, 81 and 83, and of those below 40 */
  SBB = 3,
  AND = 4,
  CMP = 7,
};

#define ALL UINT64_MAX

/* All bits up to the highest one. */
static uint64_t filled(uint64_t bits)
{
  return bits ? ALL >> __builtin_clzll(bits) : 0;
}

static uint64_t of_bytes(unsigned size)
{
  return size < 8 ? (UINT64_C(1) << size * 8) - 1 : ALL;
}

/* How many bytes of its operands an instruction works with. */
static unsigned width(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  if (instruction->map == SYM_MAP_0F)
    return opcode == 0xb6 || opcode == 0xbe ? 1 : opcode == 0xb7 || opcode == 0xbf ? 2 : instruction->operand_size;
  const bool is_byte = (opcode < 0x40 && !(opcode & 1)) || opcode == 0x80 || opcode == 0x84 || opcode == 0x88 ||
                       opcode == 0x8a || opcode == 0xa8 || opcode == 0xc0 || opcode == 0xd0 || opcode == 0xd2 ||
                       opcode == 0xf6 || opcode == 0xfe;
  return is_byte ? 1 : instruction->operand_size;
}

/* Whether it takes bits that its constant tells, and nothing else: `and` and `test` with one. */
static bool is_mask(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode, operation = instruction->reg & 7;
  if (instruction->is_vex || instruction->map != SYM_MAP_ONE_BYTE)
    return false;
  return ((opcode == 0x80 || opcode == 0x81 || opcode == 0x83) && operation == AND) || opcode == 0x24 ||
         opcode == 0x25 || opcode == 0xa8 || opcode == 0xa9 || ((opcode == 0xf6 || opcode == 0xf7) && operation < 2);
}

/* Whether the low bits of its result are made of none but the low bits of its operands: sums, products, and shifts to
 * the left. */
static bool is_carrying(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode, operation = instruction->reg & 7;
  if (instruction->is_vex)
    return false;
  if (instruction->map == SYM_MAP_0F)
    return opcode == 0xaf || (opcode >= 0x40 && opcode <= 0x4f);
  if (instruction->map != SYM_MAP_ONE_BYTE)
    return false;
  if (opcode < 0x40)
    return opcode >> 3 != CMP && opcode >> 3 != ADC && opcode >> 3 != SBB;
  switch (opcode) {
  case 0x80:
  case 0x81:
  case 0x83:
    return operation != CMP && operation != ADC && operation != SBB;
  case 0xc0:
  case 0xc1:
  case 0xd0:
  case 0xd1:
    return operation == 4;
  case 0xf6:
  case 0xf7:
    return operation == 2 || operation == 3;
  case 0xfe:
  case 0xff:
    return operation < 2;
  default:
    return opcode == 0x69 || opcode == 0x6b || opcode == 0x8d;
  }
}

static bool is_move(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  return !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE &&
         (opcode == 0x89 || opcode == 0x8b || opcode == 0x63);
}

static bool is_lea(const struct sym_instruction *instruction)
{
  return !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE && instruction->opcode == 0x8d;
}

/* The registers of an address in memory. */
static uint64_t address_of(const struct sym_instruction *instruction)
{
  if (!instruction->has_modrm || !instruction->is_memory || is_lea(instruction))
    return 0;
  return sym_general_register(instruction->base) | sym_general_register(instruction->index);
}

/* Whether the instruction's operand is a slot of the frame, which is told from the registers `frame`. */
static bool is_of_frame(const struct sym_instruction *instruction, uint64_t frame)
{
  return instruction->index == SYM_NO_REGISTER && address_of(instruction) & frame;
}

/* Whether the value is read from the memory that the instruction names. */
static bool is_from_slot(const struct sym_holders *holders, const struct sym_instruction *instruction)
{
  return is_of_frame(instruction, ALL) && !instruction->has_other_addresses &&
         sym_holders_has_slot(holders, sym_general_register(instruction->base), instruction->displacement);
}

static const uint64_t arguments = UINT64_C(1) << SYM_RDI | UINT64_C(1) << SYM_RSI | UINT64_C(1) << SYM_RDX |
                                  UINT64_C(1) << SYM_RCX | UINT64_C(1) << SYM_R8 | UINT64_C(1) << SYM_R9;

/* Whether a call, or what leaves the function, looks at one of these registers: what may be passed does. What is
 * returned need not be looked at where the function is inlined. */
static bool is_passed(const struct sym_step *step, uint64_t places)
{
  const bool is_return = step->instruction.opcode == 0xc3 || step->instruction.opcode == 0xc2;
  return places & ((is_return ? 0 : arguments) | sym_operands_of(&step->instruction).reads);
}

/* Notes an instruction that works with the value, or something derived from it (`is_derived`). */
static void note(struct sym_bits_read *read, const struct sym_instruction *instruction, bool is_derived)
{
  const struct sym_operands operands = sym_operands_of(instruction);
  const uint64_t all = of_bytes(width(instruction));
  const uint64_t mask = (uint64_t)instruction->immediate & all;
  if (is_mask(instruction))
    read->bits |= is_derived ? filled(mask) : mask;
  else if (is_move(instruction) && (!operands.stores || is_of_frame(instruction, read->frame)))
    read->derived |= is_derived ? operands.writes : 0;
  else if (is_carrying(instruction) && operands.writes)
    read->derived |= operands.writes;
  else
    read->bits |= all;
}

/* Whether the value goes elsewhere as it is. */
static bool goes_on(const struct sym_bits_read *read, const struct sym_holders *holders, const struct sym_step *step)
{
  const struct sym_instruction *instruction = &step->instruction;
  const bool is_high = !instruction->has_rex && instruction->reg >= 4;
  const bool is_store = !instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE && instruction->is_memory &&
                        (instruction->opcode == 0x89 || (instruction->opcode == 0x88 && !is_high));
  if (step->is_call)
    return holders->registers & arguments;
  return is_store && !is_of_frame(instruction, read->frame) &&
         sym_general_register(instruction->reg) & holders->registers;
}

void sym_bits_read_step(struct sym_bits_read *read, const struct sym_holders *holders, const struct sym_step *step)
{
  const struct sym_instruction *instruction = &step->instruction;
  const struct sym_operands operands = sym_operands_of(instruction);
  const uint64_t places = holders->registers | read->derived;
  const bool is_value = operands.reads & holders->registers || (is_from_slot(holders, instruction) && !operands.stores);
  const bool is_derived = operands.reads & read->derived;
  const bool is_out = step->target < read->low || step->target >= read->high;
  const bool leaves = step->is_call || (!step->falls_through && is_out);
  read->goes_on |= goes_on(read, holders, step);
  read->derived &= step->is_call ? sym_x86_64.callee_saved : ~operands.writes;
  if (leaves ? is_passed(step, places) : address_of(instruction) & places)
    read->bits = ALL;
  else if (!leaves && (is_value || is_derived) && operands.writes != ALL)
    note(read, instruction, !is_value);
}
