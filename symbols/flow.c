#include "flow.h"

#include <string.h>

#include "decode.h"
#include "frame.h"

/* Machine numbers (rax rcx rdx rbx rsp rbp rsi rdi) to DWARF's (rax rdx rcx rbx rsi rdi rbp rsp). */
static unsigned dwarf_number(uint8_t machine)
{
  static const uint8_t numbers[8] = {CS_RAX, CS_RCX, CS_RDX, CS_RBX, CS_RSP, CS_RBP, CS_RSI, CS_RDI};
  return machine < 8 ? numbers[machine] : machine;
}

static const struct cs_flow_value unknown;

static struct cs_flow_value one(uint8_t code, uint8_t reg, int64_t imm)
{
  return (struct cs_flow_value){.known = 8, .count = 1, .ops = {{.code = code, .reg = reg, .imm = imm}}};
}

static void begin(struct cs_flow *flow, const struct cs_hook *hook, uint64_t pc, int frame_register)
{
  flow->hook = hook;
  flow->frame_register = frame_register;
  flow->at = pc;
  flow->steps = 0;
  flow->store_count = 0;
  for (uint8_t reg = 0; reg < 16; reg++) {
    flow->registers[reg] = one(CS_OP_REG, reg, 0);
    flow->vectors[reg] = one(CS_OP_XMM, reg, 0);
  }
}

void cs_flow_begin_function(struct cs_flow *flow, const struct cs_hook *hook, uint64_t entry)
{
  begin(flow, hook, entry, -1);
}

void cs_flow_begin(struct cs_flow *flow, const struct cs_hook *hook, uint64_t pc, int frame_register)
{
  begin(flow, hook, pc, frame_register);
  for (uint8_t reg = 0; reg < 16; reg++) {
    if (!cs_is_callee_saved(reg) && reg != CS_RSP)
      flow->registers[reg] = unknown;
    flow->vectors[reg] = unknown;
  }
}

/* Adds an op to a value; a value that would need too many is unknown. */
static struct cs_flow_value with(struct cs_flow_value value, uint8_t code, uint8_t size, uint8_t flags, int64_t imm)
{
  if (value.known == 0 || value.count == CS_FLOW_OPS_MAX)
    return unknown;
  value.ops[value.count++] = (struct cs_op){.code = code, .size = size, .flags = flags, .imm = imm};
  return value;
}

/* The low `from` bytes of a value, extended to 8. */
static struct cs_flow_value extended(struct cs_flow_value value, uint8_t from, bool is_signed)
{
  if (value.known < from)
    return unknown;
  if (from == 8)
    return value;
  if (value.count == 1 && value.ops[0].code == CS_OP_CONST) {
    unsigned shift = 64 - from * 8u;
    uint64_t high = (uint64_t)value.ops[0].imm << shift;
    return one(CS_OP_CONST, 0, is_signed ? (int64_t)high >> shift : (int64_t)(high >> shift));
  }
  struct cs_flow_value result = with(value, CS_OP_EXTEND, from, is_signed ? CS_OPF_SIGNED : 0, 0);
  if (result.count)
    result.known = 8;
  return result;
}

/* `value` with the ops of `other` after it and then the operation `code` on both. */
static struct cs_flow_value combined(struct cs_flow_value value, const struct cs_flow_value *other, uint8_t code)
{
  if (value.known < 8 || other->known < 8 || value.count + other->count + 1 > CS_FLOW_OPS_MAX)
    return unknown;
  memcpy(value.ops + value.count, other->ops, other->count * sizeof *other->ops);
  value.count = (uint8_t)(value.count + other->count);
  return with(value, code, 0, 0, 0);
}

static struct cs_flow_value plus(struct cs_flow_value value, int64_t offset)
{
  if (value.known < 8 || offset == 0)
    return value.known < 8 ? unknown : value;
  struct cs_op *last = &value.ops[value.count - 1];
  bool is_sum =
      last->code == CS_OP_ADD_CONST || last->code == CS_OP_ADDRESS || (last->code == CS_OP_CONST && value.count == 1);
  if (!is_sum)
    return with(value, CS_OP_ADD_CONST, 0, 0, offset);
  last->imm = (int64_t)((uint64_t)last->imm + (uint64_t)offset);
  if (last->code == CS_OP_ADD_CONST && last->imm == 0)
    value.count--;
  return value;
}

/* Whether a value is what a register held at the hook, plus a constant. */
static bool is_sum(const struct cs_flow_value *value, uint8_t *base, int64_t *offset)
{
  if (value->known < 8 || value->count < 1 || value->count > 2 || value->ops[0].code != CS_OP_REG ||
      (value->count == 2 && value->ops[1].code != CS_OP_ADD_CONST))
    return false;
  *base = value->ops[0].reg;
  *offset = value->count == 2 ? value->ops[1].imm : 0;
  return true;
}

/* The address that an instruction's memory operand means, as ops. */
static struct cs_flow_value address_of(const struct cs_flow *flow, const struct cs_instruction *instruction)
{
  struct cs_flow_value address = one(CS_OP_CONST, 0, 0);
  if (instruction->has_other_addresses)
    return unknown;
  if (instruction->base == CS_RIP_REGISTER)
    return one(CS_OP_ADDRESS, 0, (int64_t)(flow->at + instruction->size) + instruction->displacement);
  if (instruction->base != CS_NO_REGISTER)
    address = flow->registers[dwarf_number(instruction->base)];
  if (instruction->index != CS_NO_REGISTER) {
    struct cs_flow_value index = flow->registers[dwarf_number(instruction->index)];
    struct cs_flow_value scale = one(CS_OP_CONST, 0, instruction->scale);
    if (instruction->scale > 1)
      index = combined(index, &scale, CS_OP_MUL);
    address = combined(address, &index, CS_OP_PLUS);
  }
  return plus(address, instruction->displacement);
}

/* A store to [store->offset, + size) and the bytes at [offset, + size) of the same base. */
static bool overlaps(const struct cs_flow_store *store, int64_t offset, uint8_t size)
{
  return offset < store->offset + store->size && store->offset < offset + size;
}

/* The newest store that may have touched the bytes decides. */
static enum cs_flow_memory look_up(const struct cs_flow *flow, uint8_t base, int64_t offset, uint8_t size,
                                   struct cs_flow_value *value)
{
  for (unsigned i = flow->store_count; i-- > 0;) {
    const struct cs_flow_store *store = &flow->stores[i];
    if (!store->has_base || store->base != base)
      return CS_FLOW_UNKNOWN;
    if (!overlaps(store, offset, size))
      continue;
    int64_t inner = offset - store->offset;
    if (inner < 0 || inner + size > store->value.known)
      return CS_FLOW_UNKNOWN;
    *value = store->value;
    if (inner)
      *value = with(with(*value, CS_OP_CONST, 0, 0, inner * 8), CS_OP_SHR, 0, 0, 0);
    if (inner && value->count)
      value->known = (uint8_t)(store->value.known - inner);
    return value->known >= size ? CS_FLOW_STORED : CS_FLOW_UNKNOWN;
  }
  return CS_FLOW_UNTOUCHED;
}

static struct cs_flow_value load(const struct cs_flow *flow, struct cs_flow_value address, uint8_t size)
{
  uint8_t base;
  int64_t offset;
  if (address.known < 8)
    return unknown;
  if (is_sum(&address, &base, &offset)) {
    struct cs_flow_value value;
    switch (look_up(flow, base, offset, size, &value)) {
    case CS_FLOW_STORED:
      return value;
    case CS_FLOW_UNKNOWN:
      return unknown;
    case CS_FLOW_UNTOUCHED:
      break;
    }
    bool is_frame =
        (base == CS_RSP || base == flow->frame_register) && offset >= -CS_FRAME_REACH && offset <= CS_FRAME_REACH;
    struct cs_flow_value result = one(CS_OP_REG, base, 0);
    return with(result, is_frame ? CS_OP_FRAME_LOAD : CS_OP_LOAD, size, 0, offset);
  }
  if (flow->store_count)
    return unknown;
  return with(address, CS_OP_LOAD, size, 0, 0);
}

static bool store(struct cs_flow *flow, const struct cs_flow_value *address, uint8_t size, struct cs_flow_value value)
{
  if (flow->store_count == CS_FLOW_STORES_MAX)
    return false;
  struct cs_flow_store *added = &flow->stores[flow->store_count++];
  *added = (struct cs_flow_store){.size = size, .value = value};
  if (added->value.known > size)
    added->value.known = size;
  added->has_base = is_sum(address, &added->base, &added->offset);
  return true;
}

/* Writes a general register: 8 bytes, 4 (which clear the rest), or 1 and 2 (which leave the rest). */
static void set_register(struct cs_flow *flow, uint8_t machine, uint8_t size, struct cs_flow_value value)
{
  struct cs_flow_value *reg = &flow->registers[dwarf_number(machine)];
  if (size >= 8) {
    *reg = value;
  } else if (size == 4) {
    *reg = extended(value, 4, false);
  } else {
    *reg = value;
    if (reg->known > size)
      reg->known = size;
  }
}

/* A byte register's number; ah, ch, dh and bh are parts that are not followed. */
static bool is_high_byte(const struct cs_instruction *instruction, uint8_t reg, uint8_t size)
{
  return size == 1 && !instruction->has_rex && reg >= 4 && reg < 8;
}

static struct cs_flow_value read_rm(const struct cs_flow *flow, const struct cs_instruction *instruction, uint8_t size)
{
  if (instruction->is_memory)
    return load(flow, address_of(flow, instruction), size);
  return is_high_byte(instruction, instruction->rm, size) ? unknown : flow->registers[dwarf_number(instruction->rm)];
}

static bool write_rm(struct cs_flow *flow, const struct cs_instruction *instruction, uint8_t size,
                     struct cs_flow_value value)
{
  if (instruction->is_memory) {
    struct cs_flow_value address = address_of(flow, instruction);
    return store(flow, &address, size, value);
  }
  if (is_high_byte(instruction, instruction->rm, size))
    flow->registers[dwarf_number(instruction->rm & 3)] = unknown;
  else
    set_register(flow, instruction->rm, size, value);
  return true;
}

static void write_reg(struct cs_flow *flow, const struct cs_instruction *instruction, uint8_t size,
                      struct cs_flow_value value)
{
  if (is_high_byte(instruction, instruction->reg, size))
    flow->registers[dwarf_number(instruction->reg & 3)] = unknown;
  else
    set_register(flow, instruction->reg, size, value);
}

static struct cs_flow_value read_reg(const struct cs_flow *flow, const struct cs_instruction *instruction, uint8_t size)
{
  return is_high_byte(instruction, instruction->reg, size) ? unknown : flow->registers[dwarf_number(instruction->reg)];
}

static bool push(struct cs_flow *flow, struct cs_flow_value value)
{
  struct cs_flow_value *top = &flow->registers[CS_RSP];
  *top = plus(*top, -8);
  return store(flow, top, 8, value);
}

static struct cs_flow_value pop(struct cs_flow *flow)
{
  struct cs_flow_value *top = &flow->registers[CS_RSP];
  struct cs_flow_value value = load(flow, *top, 8);
  *top = plus(*top, 8);
  return value;
}

/* Two operands of `size` bytes under one of the eight operations of opcodes below 40 (add or adc sbb and sub xor cmp).
 */
static struct cs_flow_value operate(unsigned operation, struct cs_flow_value left, struct cs_flow_value right,
                                    uint8_t size)
{
  static const uint8_t ops[8] = {CS_OP_PLUS, CS_OP_OR, 0, 0, CS_OP_AND, CS_OP_MINUS, CS_OP_XOR, 0};
  if (!ops[operation] || left.known < size || right.known < size)
    return unknown;
  bool is_constant = right.count == 1 && right.ops[0].code == CS_OP_CONST;
  left.known = right.known = 8;
  struct cs_flow_value result = unknown;
  if (is_constant && (operation == 0 || operation == 5))
    result = plus(left, operation == 0 ? right.ops[0].imm : -right.ops[0].imm);
  else
    result = combined(left, &right, ops[operation]);
  if (result.known)
    result.known = size;
  return result;
}

/* The same operations with a constant; comparisons write nothing. */
static bool arithmetic_immediate(struct cs_flow *flow, const struct cs_instruction *instruction, uint8_t size)
{
  unsigned operation = instruction->reg & 7;
  if (operation == 7)
    return true;
  struct cs_flow_value constant = one(CS_OP_CONST, 0, instruction->immediate);
  return write_rm(flow, instruction, size, operate(operation, read_rm(flow, instruction, size), constant, size));
}

/* Opcodes below 40: eight operations in six forms each. */
static bool arithmetic(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  unsigned operation = instruction->opcode >> 3, form = instruction->opcode & 7;
  uint8_t size = form & 1 ? instruction->operand_size : 1;
  if (operation == 7)
    return true;
  bool clears = (operation == 6 || operation == 5) && !instruction->is_memory && form < 4 &&
                instruction->reg == instruction->rm && size >= 4;
  struct cs_flow_value constant = one(CS_OP_CONST, 0, instruction->immediate), value;
  if (clears)
    value = one(CS_OP_CONST, 0, 0);
  else if (form < 2)
    value = operate(operation, read_rm(flow, instruction, size), read_reg(flow, instruction, size), size);
  else if (form < 4)
    value = operate(operation, read_reg(flow, instruction, size), read_rm(flow, instruction, size), size);
  else
    value = operate(operation, flow->registers[CS_RAX], constant, size);
  if (form < 2)
    return write_rm(flow, instruction, size, value);
  if (form < 4)
    write_reg(flow, instruction, size, value);
  else
    set_register(flow, 0, size, value);
  return true;
}

/* Shifts by a constant of 4 and 8 bytes: shl, shr, sar. */
static struct cs_flow_value shifted(struct cs_flow_value value, unsigned operation, int64_t count, uint8_t size)
{
  static const uint8_t ops[8] = {0, 0, 0, 0, CS_OP_SHL, CS_OP_SHR, CS_OP_SHL, CS_OP_SHRA};
  if (!ops[operation] || size < 4)
    return unknown;
  struct cs_flow_value distance = one(CS_OP_CONST, 0, count & (size == 8 ? 63 : 31));
  return combined(extended(value, size, operation == 7), &distance, ops[operation]);
}

static void lea(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  set_register(flow, instruction->reg, instruction->operand_size, address_of(flow, instruction));
}

/* f6 and f7: test, not, neg, mul, imul, div, idiv; fe and ff: inc, dec, call, jmp, push. */
static bool group(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  unsigned operation = instruction->reg & 7;
  uint8_t size = instruction->opcode & 1 ? instruction->operand_size : 1;
  if (instruction->opcode >= 0xfe) {
    if (operation < 2)
      return write_rm(flow, instruction, size, unknown);
    return operation == 6 && push(flow, read_rm(flow, instruction, 8));
  }
  if (operation < 2)
    return true;
  if (operation < 4)
    return write_rm(flow, instruction, size, unknown);
  flow->registers[CS_RAX] = flow->registers[CS_RDX] = unknown;
  return true;
}

/* A direct jump. False when it leaves the section. */
static bool jump(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  flow->at = flow->at + instruction->size + (uint64_t)instruction->immediate;
  return cs_hook_code_at(flow->hook, flow->at) != NULL;
}

static bool one_byte(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = instruction->operand_size;
  if (opcode < 0x40)
    return arithmetic(flow, instruction);
  if (opcode >= 0x50 && opcode <= 0x57)
    return push(flow, flow->registers[dwarf_number(instruction->rm)]);
  if (opcode >= 0x58 && opcode <= 0x5f) {
    set_register(flow, instruction->rm, 8, pop(flow));
    return true;
  }
  if (opcode >= 0xb8 && opcode <= 0xbf) {
    set_register(flow, instruction->rm, size, one(CS_OP_CONST, 0, instruction->immediate));
    return true;
  }
  switch (opcode) {
  case 0x63:
    write_reg(flow, instruction, size, extended(read_rm(flow, instruction, 4), 4, true));
    return true;
  case 0x68:
  case 0x6a:
    return push(flow, one(CS_OP_CONST, 0, instruction->immediate));
  case 0x69:
  case 0x6b:
    write_reg(flow, instruction, size, unknown);
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
    lea(flow, instruction);
    return true;
  case 0x98:
    flow->registers[CS_RAX] = size == 8 ? extended(flow->registers[CS_RAX], 4, true) : unknown;
    return true;
  case 0x99:
    flow->registers[CS_RDX] = unknown;
    return true;
  case 0xc0:
  case 0xd0:
  case 0xd2:
    return write_rm(flow, instruction, 1, unknown);
  case 0xc1:
  case 0xd1: {
    int64_t count = opcode == 0xd1 ? 1 : instruction->immediate;
    return write_rm(flow, instruction, size,
                    shifted(read_rm(flow, instruction, size), instruction->reg & 7, count, size));
  }
  case 0xd3:
    return write_rm(flow, instruction, size, unknown);
  case 0xc6:
    return write_rm(flow, instruction, 1, one(CS_OP_CONST, 0, instruction->immediate));
  case 0xc7:
    return write_rm(flow, instruction, size, one(CS_OP_CONST, 0, instruction->immediate));
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    return group(flow, instruction);
  default:
    return false;
  }
}

/* How many of a vector move's bytes are followed: 4 or 8 of those it moves. 0: not a move. */
static uint8_t moved_bytes(const struct cs_instruction *instruction)
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
static uint8_t stored_bytes(const struct cs_instruction *instruction)
{
  bool is_scalar = instruction->prefix == 0xf2 || instruction->prefix == 0xf3;
  if (instruction->opcode == 0x29 || instruction->opcode == 0x7f || (instruction->opcode == 0x11 && !is_scalar))
    return 16;
  return moved_bytes(instruction);
}

/* Moves of vector registers; other instructions on them end the path, but for those that clear one. */
static bool vector(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = moved_bytes(instruction);
  struct cs_flow_value *reg = &flow->vectors[instruction->reg];
  if (opcode == 0x57 || opcode == 0xef) {
    *reg = !instruction->is_memory && instruction->reg == instruction->rm ? one(CS_OP_CONST, 0, 0) : unknown;
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
    struct cs_flow_value value = *reg;
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

static bool two_byte(struct cs_flow *flow, const struct cs_instruction *instruction)
{
  uint8_t opcode = instruction->opcode, size = instruction->operand_size;
  if (opcode >= 0x40 && opcode <= 0x4f) {
    write_reg(flow, instruction, size, unknown);
    return true;
  }
  if (opcode >= 0x90 && opcode <= 0x9f)
    return write_rm(flow, instruction, 1, unknown);
  switch (opcode) {
  case 0x1e:
  case 0x1f:
  case 0xa3:
    return true;
  case 0xaf:
    write_reg(flow, instruction, size, unknown);
    return true;
  case 0xb6:
  case 0xb7:
  case 0xbe:
  case 0xbf: {
    uint8_t from = opcode & 1 ? 2 : 1;
    write_reg(flow, instruction, size, extended(read_rm(flow, instruction, from), from, opcode >= 0xbe));
    return true;
  }
  default:
    return vector(flow, instruction);
  }
}

bool cs_flow_step(struct cs_flow *flow)
{
  const struct cs_code_section *section = cs_hook_code_at(flow->hook, flow->at);
  struct cs_instruction instruction;
  if (!section || flow->steps++ >= CS_FLOW_STEPS_MAX)
    return false;
  size_t offset = (size_t)(flow->at - section->address);
  if (!cs_decode(section->bytes + offset, section->size - offset, &instruction))
    return false;
  if (instruction.map == CS_MAP_ONE_BYTE && (instruction.opcode == 0xe9 || instruction.opcode == 0xeb))
    return jump(flow, &instruction);
  bool is_followed = instruction.is_vex                   ? false
                     : instruction.map == CS_MAP_ONE_BYTE ? one_byte(flow, &instruction)
                     : instruction.map == CS_MAP_0F       ? two_byte(flow, &instruction)
                                                          : false;
  if (is_followed)
    flow->at += instruction.size;
  return is_followed;
}

static void append(const struct cs_flow_value *value, struct cs_code *code)
{
  for (uint8_t i = 0; i < value->count; i++) {
    const struct cs_op *op = &value->ops[i];
    cs_code_add(code, op->code, op->reg, op->size, op->flags, op->imm);
  }
}

uint8_t cs_flow_push(const struct cs_flow *flow, unsigned reg, struct cs_code *code)
{
  const struct cs_flow_value *value = reg <= CS_R15                       ? &flow->registers[reg]
                                      : reg >= CS_XMM0 && reg <= CS_XMM15 ? &flow->vectors[reg - CS_XMM0]
                                                                          : &unknown;
  append(value, code);
  return value->known;
}

enum cs_flow_memory cs_flow_memory_at(const struct cs_flow *flow, unsigned base, int64_t offset, uint8_t size,
                                      struct cs_code *code)
{
  struct cs_flow_value value;
  enum cs_flow_memory found = look_up(flow, (uint8_t)base, offset, size, &value);
  if (found == CS_FLOW_STORED && code)
    append(&value, code);
  return found;
}
