/*
 * Does what one instruction does to the values that are followed.
 */
#include "symbols/flow/flow_instructions.h"

#include "symbols/flow/flow_values.h"
#include "symbols/flow/operands.h"
#include "symbols/processor/x86_64.h"

/* Machine numbers (rax rcx rdx rbx rsp rbp rsi rdi) to DWARF's (rax rdx rcx rbx rsi rdi rbp rsp). */
static unsigned dwarf_number(uint8_t machine)
{
  static const uint8_t numbers[8] = {SYM_RAX, SYM_RCX, SYM_RDX, SYM_RBX, SYM_RSP, SYM_RBP, SYM_RSI, SYM_RDI};
  return machine < 8 ? numbers[machine] : machine;
}

/* The address that an instruction's memory operand means, as ops. */
static struct sym_flow_value address_of(const struct sym_flow *flow, const struct sym_instruction *instruction)
{
  struct sym_flow_value address = sym_flow_one(FMT_OP_CONST, 0, 0);
  if (instruction->has_other_addresses)
    return sym_flow_unknown;
  if (instruction->base == SYM_RIP_REGISTER)
    return sym_flow_one(FMT_OP_ADDRESS, 0, (int64_t)(flow->at + instruction->size) + instruction->displacement);
  if (instruction->base != SYM_NO_REGISTER)
    address = flow->registers[dwarf_number(instruction->base)];
  if (instruction->index != SYM_NO_REGISTER) {
    struct sym_flow_value index = flow->registers[dwarf_number(instruction->index)];
    struct sym_flow_value scale = sym_flow_one(FMT_OP_CONST, 0, instruction->scale);
    if (instruction->scale > 1)
      index = sym_flow_combined(index, &scale, FMT_OP_MUL);
    address = sym_flow_combined(address, &index, FMT_OP_PLUS);
  }
  return sym_flow_plus(address, instruction->displacement);
}

/* Writes a general register: 8 bytes, 4 (which clear the rest), or 1 and 2 (which leave the rest). */
static void set_register(struct sym_flow *flow, uint8_t machine, uint8_t size, struct sym_flow_value value)
{
  struct sym_flow_value *reg = &flow->registers[dwarf_number(machine)];
  if (size >= 8) {
    *reg = value;
  } else if (size == 4) {
    *reg = sym_flow_extended(value, 4, false);
  } else {
    *reg = value;
    if (reg->known > size)
      reg->known = size;
  }
}

/* A byte register's number; ah, ch, dh and bh are parts that are not followed. */
static bool is_high_byte(const struct sym_instruction *instruction, uint8_t reg, uint8_t size)
{
  return size == 1 && !instruction->has_rex && reg >= 4 && reg < 8;
}

static struct sym_flow_value read_rm(const struct sym_flow *flow, const struct sym_instruction *instruction,
                                     uint8_t size)
{
  if (instruction->is_memory)
    return sym_flow_load(flow, address_of(flow, instruction), size);
  return is_high_byte(instruction, instruction->rm, size) ? sym_flow_unknown
                                                          : flow->registers[dwarf_number(instruction->rm)];
}

static bool write_rm(struct sym_flow *flow, const struct sym_instruction *instruction, uint8_t size,
                     struct sym_flow_value value)
{
  if (instruction->is_memory) {
    struct sym_flow_value address = address_of(flow, instruction);
    return sym_flow_store(flow, &address, size, value);
  }
  if (is_high_byte(instruction, instruction->rm, size))
    flow->registers[dwarf_number(instruction->rm & 3)] = sym_flow_unknown;
  else
    set_register(flow, instruction->rm, size, value);
  return true;
}

static void write_reg(struct sym_flow *flow, const struct sym_instruction *instruction, uint8_t size,
                      struct sym_flow_value value)
{
  if (is_high_byte(instruction, instruction->reg, size))
    flow->registers[dwarf_number(instruction->reg & 3)] = sym_flow_unknown;
  else
    set_register(flow, instruction->reg, size, value);
}

static struct sym_flow_value read_reg(const struct sym_flow *flow, const struct sym_instruction *instruction,
                                      uint8_t size)
{
  return is_high_byte(instruction, instruction->reg, size) ? sym_flow_unknown
                                                           : flow->registers[dwarf_number(instruction->reg)];
}

static bool push(struct sym_flow *flow, struct sym_flow_value value)
{
  struct sym_flow_value *top = &flow->registers[SYM_RSP];
  *top = sym_flow_plus(*top, -8);
  return sym_flow_store(flow, top, 8, value);
}

static struct sym_flow_value pop(struct sym_flow *flow)
{
  struct sym_flow_value *top = &flow->registers[SYM_RSP];
  struct sym_flow_value value = sym_flow_load(flow, *top, 8);
  *top = sym_flow_plus(*top, 8);
  return value;
}

/* Two operands of `size` bytes under one of the eight operations of opcodes below 40 (add or adc sbb and sub xor cmp).
 */
static struct sym_flow_value operate(unsigned operation, struct sym_flow_value left, struct sym_flow_value right,
                                     uint8_t size)
{
  static const uint8_t ops[8] = {FMT_OP_PLUS, FMT_OP_OR, 0, 0, FMT_OP_AND, FMT_OP_MINUS, FMT_OP_XOR, 0};
  if (!ops[operation] || left.known < size || right.known < size)
    return sym_flow_unknown;
  bool is_constant = right.count == 1 && right.ops[0].code == FMT_OP_CONST;
  left.known = right.known = 8;
  struct sym_flow_value result = sym_flow_unknown;
  if (is_constant && (operation == 0 || operation == 5))
    result = sym_flow_plus(left, operation == 0 ? right.ops[0].imm : -right.ops[0].imm);
  else
    result = sym_flow_combined(left, &right, ops[operation]);
  if (result.known)
    result.known = size;
  return result;
}

/* The same operations with a constant; comparisons write nothing. */
static bool arithmetic_immediate(struct sym_flow *flow, const struct sym_instruction *instruction, uint8_t size)
{
  unsigned operation = instruction->reg & 7;
  if (operation == 7)
    return true;
  struct sym_flow_value constant = sym_flow_one(FMT_OP_CONST, 0, instruction->immediate);
  return write_rm(flow, instruction, size, operate(operation, read_rm(flow, instruction, size), constant, size));
}

/* Opcodes below 40: eight operations in six forms each. */
static bool arithmetic(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  unsigned operation = instruction->opcode >> 3, form = instruction->opcode & 7;
  uint8_t size = form & 1 ? instruction->operand_size : 1;
  if (operation == 7)
    return true;
  bool clears = (operation == 6 || operation == 5) && !instruction->is_memory && form < 4 &&
                instruction->reg == instruction->rm && size >= 4;
  struct sym_flow_value constant = sym_flow_one(FMT_OP_CONST, 0, instruction->immediate), value;
  if (clears)
    value = sym_flow_one(FMT_OP_CONST, 0, 0);
  else if (form < 2)
    value = operate(operation, read_rm(flow, instruction, size), read_reg(flow, instruction, size), size);
  else if (form < 4)
    value = operate(operation, read_reg(flow, instruction, size), read_rm(flow, instruction, size), size);
  else
    value = operate(operation, flow->registers[SYM_RAX], constant, size);
  if (form < 2)
    return write_rm(flow, instruction, size, value);
  if (form < 4)
    write_reg(flow, instruction, size, value);
  else
    set_register(flow, 0, size, value);
  return true;
}

/* Shifts by a constant of 4 and 8 bytes: shl, shr, sar. */
static struct sym_flow_value shifted(struct sym_flow_value value, unsigned operation, int64_t count, uint8_t size)
{
  static const uint8_t ops[8] = {0, 0, 0, 0, FMT_OP_SHL, FMT_OP_SHR, FMT_OP_SHL, FMT_OP_SHRA};
  if (!ops[operation] || size < 4)
    return sym_flow_unknown;
  struct sym_flow_value distance = sym_flow_one(FMT_OP_CONST, 0, count & (size == 8 ? 63 : 31));
  return sym_flow_combined(sym_flow_extended(value, size, operation == 7), &distance, ops[operation]);
}

/* f6 and f7: test, not, neg, mul, imul, div, idiv; fe and ff: inc, dec, call, jmp, push. */
static bool group(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  unsigned operation = instruction->reg & 7;
  uint8_t size = instruction->opcode & 1 ? instruction->operand_size : 1;
  if (instruction->opcode >= 0xfe) {
    if (operation < 2)
      return write_rm(flow, instruction, size, sym_flow_unknown);
    return operation == 6 && push(flow, read_rm(flow, instruction, 8));
  }
  if (operation < 2)
    return true;
  if (operation < 4)
    return write_rm(flow, instruction, size, sym_flow_unknown);
  flow->registers[SYM_RAX] = flow->registers[SYM_RDX] = sym_flow_unknown;
  return true;
}

/* Shifts: c0 and c1 by a constant, d0 and d1 by one, d2 and d3 by cl. */
static bool shift(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  uint8_t size = instruction->opcode & 1 ? instruction->operand_size : 1;
  struct sym_flow_value value = sym_flow_unknown;
  if (instruction->opcode == 0xc1 || instruction->opcode == 0xd1) {
    int64_t count = instruction->opcode == 0xd1 ? 1 : instruction->immediate;
    value = shifted(read_rm(flow, instruction, size), instruction->reg & 7, count, size);
  }
  return write_rm(flow, instruction, size, value);
}

/* Opcodes that move what they find, extended or not. False: it is none of them. */
static bool move(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = instruction->operand_size;
  switch (opcode) {
  case 0x63:
    write_reg(flow, instruction, size, sym_flow_extended(read_rm(flow, instruction, 4), 4, true));
    return true;
  case 0x88:
    return write_rm(flow, instruction, 1, read_reg(flow, instruction, 1));
  case 0x89:
    return write_rm(flow, instruction, size, read_reg(flow, instruction, size));
  case 0x8a:
    write_reg(flow, instruction, 1, read_rm(flow, instruction, 1));
    return true;
  case 0x8b:
    write_reg(flow, instruction, size, read_rm(flow, instruction, size));
    return true;
  case 0x8d:
    set_register(flow, instruction->reg, size, address_of(flow, instruction));
    return true;
  case 0x98:
    flow->registers[SYM_RAX] = size == 8 ? sym_flow_extended(flow->registers[SYM_RAX], 4, true) : sym_flow_unknown;
    return true;
  case 0xc6:
    return write_rm(flow, instruction, 1, sym_flow_one(FMT_OP_CONST, 0, instruction->immediate));
  case 0xc7:
    return write_rm(flow, instruction, size, sym_flow_one(FMT_OP_CONST, 0, instruction->immediate));
  default:
    return false;
  }
}

/* Opcodes with a register in their low bits: push, pop, mov of a constant. False: it is none of them. */
static bool short_form(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode;
  if (opcode >= 0x50 && opcode <= 0x57)
    return push(flow, flow->registers[dwarf_number(instruction->rm)]);
  if (opcode >= 0x58 && opcode <= 0x5f) {
    set_register(flow, instruction->rm, 8, pop(flow));
    return true;
  }
  if (opcode >= 0xb0 && opcode <= 0xb7)
    return write_rm(flow, instruction, 1, sym_flow_one(FMT_OP_CONST, 0, instruction->immediate));
  if (opcode < 0xb8 || opcode > 0xbf)
    return false;
  set_register(flow, instruction->rm, instruction->operand_size, sym_flow_one(FMT_OP_CONST, 0, instruction->immediate));
  return true;
}

static bool one_byte(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = instruction->operand_size;
  if (opcode < 0x40)
    return arithmetic(flow, instruction);
  switch (opcode) {
  case 0x68:
  case 0x6a:
    return push(flow, sym_flow_one(FMT_OP_CONST, 0, instruction->immediate));
  case 0x69:
  case 0x6b:
    write_reg(flow, instruction, size, sym_flow_unknown);
    return true;
  case 0x80:
    return arithmetic_immediate(flow, instruction, 1);
  case 0x81:
  case 0x83:
    return arithmetic_immediate(flow, instruction, size);
  case 0x84:
  case 0x85:
  case 0x90:
  case 0xa8:
  case 0xa9:
    return true;
  case 0x99:
    flow->registers[SYM_RDX] = sym_flow_unknown;
    return true;
  case 0xc0:
  case 0xc1:
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3:
    return shift(flow, instruction);
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    return group(flow, instruction);
  default:
    return short_form(flow, instruction) || move(flow, instruction);
  }
}

/* How many of a vector move's bytes are followed: 4 or 8 of those it moves. 0: not a move. */
static uint8_t moved_bytes(const struct sym_instruction *instruction)
{
  switch (instruction->opcode) {
  case 0x10:
  case 0x11:
    return instruction->prefix == 0xf3 ? 4 : 8;
  case 0x28:
  case 0x29:
  case 0x6f:
    return 8;
  case 0x6e:
    return instruction->operand_size == 8 ? 8 : 4;
  case 0x7e:
    return instruction->prefix == 0xf3 || instruction->operand_size == 8 ? 8 : 4;
  case 0x7f:
  case 0xd6:
    return 8;
  default:
    return 0;
  }
}

/* The bytes that a vector move writes to memory. */
static uint8_t stored_bytes(const struct sym_instruction *instruction)
{
  bool is_scalar = instruction->prefix == 0xf2 || instruction->prefix == 0xf3;
  if (instruction->opcode == 0x29 || instruction->opcode == 0x7f || (instruction->opcode == 0x11 && !is_scalar))
    return 16;
  return moved_bytes(instruction);
}

/* Moves of vector registers; other instructions on them end the path, but for those that clear one. */
static bool vector(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = moved_bytes(instruction);
  struct sym_flow_value *reg = &flow->vectors[instruction->reg];
  if (opcode == 0x57 || opcode == 0xef) {
    *reg = !instruction->is_memory && instruction->reg == instruction->rm ? sym_flow_one(FMT_OP_CONST, 0, 0)
                                                                          : sym_flow_unknown;
    return true;
  }
  if (size == 0 || ((opcode == 0x6f || opcode == 0x7f) && instruction->prefix == 0))
    return false;
  bool is_general = opcode == 0x6e || (opcode == 0x7e && instruction->prefix == 0x66);
  bool is_store = opcode == 0x11 || opcode == 0x29 || opcode == 0x7f || opcode == 0xd6 ||
                  (opcode == 0x7e && instruction->prefix == 0x66);
  if (is_general && instruction->prefix != 0x66)
    return false;
  if (is_store && (is_general || instruction->is_memory)) {
    struct sym_flow_value value = *reg;
    return write_rm(flow, instruction, instruction->is_memory ? stored_bytes(instruction) : size, value);
  }
  if (is_store) {
    flow->vectors[instruction->rm] = *reg;
    return true;
  }
  *reg = instruction->is_memory || is_general ? read_rm(flow, instruction, size) : flow->vectors[instruction->rm];
  if (reg->known > size)
    reg->known = size;
  return true;
}

static bool two_byte(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = instruction->operand_size;
  if (opcode >= 0x40 && opcode <= 0x4f) {
    write_reg(flow, instruction, size, sym_flow_unknown);
    return true;
  }
  if (opcode >= 0x90 && opcode <= 0x9f)
    return write_rm(flow, instruction, 1, sym_flow_unknown);
  switch (opcode) {
  case 0x1e:
  case 0x1f:
  case 0xa3:
    return true;
  case 0xaf:
    write_reg(flow, instruction, size, sym_flow_unknown);
    return true;
  case 0xb6:
  case 0xb7:
  case 0xbe:
  case 0xbf: {
    uint8_t from = opcode & 1 ? 2 : 1;
    write_reg(flow, instruction, size, sym_flow_extended(read_rm(flow, instruction, from), from, opcode >= 0xbe));
    return true;
  }
  default:
    return vector(flow, instruction);
  }
}

/* Whether an instruction works on vectors or on the x87's stack, and names all memory that it writes: maskmovdqu, for
 * one, does not. */
static bool is_of_numbers(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  if (instruction->map == SYM_MAP_ONE_BYTE)
    return !instruction->is_vex && opcode >= 0xd8 && opcode <= 0xdf;
  if (instruction->map != SYM_MAP_0F)
    return instruction->is_vex;
  return opcode != 0xf7 &&
         ((opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
          (opcode >= 0x50 && opcode <= 0x7f) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6) || opcode >= 0xd0);
}

/* What computes with floating-point numbers and vectors is not followed: what it writes is unknown. */
static bool forget(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  const struct sym_processor *processor = flow->hook->processor;
  const struct sym_operands operands = sym_operands_of(instruction);
  if (!is_of_numbers(instruction) || operands.writes == UINT64_MAX)
    return false;
  for (uint8_t reg = 0; reg < FMT_REGISTERS_MAX; reg++) {
    if (reg < processor->register_count && operands.writes >> reg & 1)
      flow->registers[reg] = sym_flow_unknown;
    if (reg < 16 && operands.writes >> (processor->first_vector + reg) & 1)
      flow->vectors[reg] = sym_flow_unknown;
  }
  if (!operands.has_memory || !operands.stores)
    return true;
  const struct sym_flow_value address = address_of(flow, instruction);
  return sym_flow_store(flow, &address, operands.size, sym_flow_unknown);
}

bool sym_flow_execute(struct sym_flow *flow, const struct sym_instruction *instruction)
{
  bool is_followed = false;
  if (!instruction->is_vex && instruction->map == SYM_MAP_ONE_BYTE)
    is_followed = one_byte(flow, instruction);
  else if (!instruction->is_vex && instruction->map == SYM_MAP_0F)
    is_followed = two_byte(flow, instruction);
  return is_followed || forget(flow, instruction);
}
