/*
 * Runs the moves and the arithmetic that compilers put after a hook's call on a machine with arbitrary contents.
 */
#include "symbols/verify/emulate.h"

#include "symbols/verify/instruction.h"

enum { RSP = VF_RSP, X86_RAX = 0, X86_RCX = 1, X86_RSP = 4 };

/* x86 numbers its registers otherwise than DWARF. */
static const uint8_t dwarf_number[VF_REGISTERS] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

void vf_emulate_entry(struct vf_machine *machine)
{
  for (unsigned i = 0; i < VF_REGISTERS; i++)
    machine->registers[i] = machine->entry[i];
  machine->unknown = 0;
}

void vf_emulate_return(struct vf_machine *machine)
{
  static const uint8_t changed[] = {0, 1, 2, 4, 5, 8, 9, 10, 11};
  for (unsigned i = 0; i < sizeof changed; i++)
    machine->unknown |= 1u << changed[i];
}

static bool get(const struct vf_machine *machine, uint8_t reg, uint64_t *value)
{
  unsigned number = dwarf_number[reg & 15];
  *value = machine->registers[number];
  return !(machine->unknown >> number & 1);
}

static void set(struct vf_machine *machine, uint8_t reg, uint64_t value, bool is_known)
{
  unsigned number = dwarf_number[reg & 15];
  machine->registers[number] = value;
  machine->unknown &= ~(1u << number);
  if (!is_known)
    machine->unknown |= 1u << number;
}

/* Writes the low `size` bytes of a register as the processor does: 4 bytes clear the upper half, fewer leave the rest.
 */
static void set_sized(struct vf_machine *machine, uint8_t reg, uint64_t value, unsigned size, bool is_known)
{
  uint64_t old;
  bool old_known = get(machine, reg, &old);
  if (size >= 4) {
    set(machine, reg, vf_extend(value, size, false), is_known);
    return;
  }
  uint64_t mask = (UINT64_C(1) << (size * 8)) - 1;
  set(machine, reg, (old & ~mask) | (value & mask), is_known && old_known);
}

static bool address_of(const struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next,
                       uint64_t *address)
{
  uint64_t base = 0, index = 0;
  *address = (uint64_t)(int64_t)instruction->displacement;
  if (instruction->is_relative) {
    *address += next + machine->bias;
    return true;
  }
  bool known = instruction->base == VF_NO_REGISTER || get(machine, instruction->base, &base);
  known &= instruction->index == VF_NO_REGISTER || get(machine, instruction->index, &index);
  *address += base + (index << instruction->scale);
  return known;
}

static bool store(struct vf_machine *machine, uint64_t address, uint64_t value, unsigned size, bool is_known)
{
  struct vf_stores *stores = machine->stores;
  if (stores->count == VF_STORES_MAX)
    return false;
  stores->list[stores->count].address = address;
  stores->list[stores->count].value = value;
  stores->list[stores->count].size = size;
  stores->list[stores->count].is_known = is_known;
  stores->count++;
  return true;
}

/* An operand while an instruction runs. */
struct operand {
  uint64_t value;
  bool is_known;
};

static struct operand read_rm(const struct vf_machine *machine, const struct vf_instruction *instruction,
                              uint64_t address, bool address_known, unsigned size)
{
  struct operand operand = {0};
  if (!instruction->is_memory)
    operand.is_known = get(machine, instruction->rm, &operand.value);
  else if (address_known)
    operand.is_known = vf_machine_read(machine, address, size, &operand.value);
  return operand;
}

static unsigned operand_size(const struct vf_instruction *instruction)
{
  return instruction->is_wide ? 8 : instruction->is_short ? 2 : 4;
}

/* Without REX, byte registers 4 to 7 are the second bytes of others. */
static bool has_high_byte(const struct vf_instruction *instruction, uint8_t reg)
{
  return !instruction->has_rex && reg >= 4 && reg < 8;
}

/* mov in all its forms, movzx, movsx, lea. False: it is something else. */
static bool move(struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next, bool *is_known)
{
  uint64_t address = 0;
  unsigned size = operand_size(instruction);
  bool address_known = instruction->is_memory && address_of(machine, instruction, next, &address);
  struct operand operand;
  uint8_t opcode = instruction->opcode;
  *is_known = true;
  if (instruction->is_two_byte) {
    if (opcode != 0xb6 && opcode != 0xb7 && opcode != 0xbe && opcode != 0xbf)
      return false;
    unsigned from = opcode & 1 ? 2 : 1;
    if (from == 1 && !instruction->is_memory && has_high_byte(instruction, instruction->rm))
      return false;
    operand = read_rm(machine, instruction, address, address_known, from);
    set_sized(machine, instruction->reg, vf_extend(operand.value, from, opcode >= 0xbe), size, operand.is_known);
    return true;
  }
  switch (opcode) {
  case 0x88:
  case 0x89:
    size = opcode == 0x88 ? 1 : size;
    if (size == 1 && has_high_byte(instruction, instruction->reg))
      return false;
    operand.is_known = get(machine, instruction->reg, &operand.value);
    if (!instruction->is_memory)
      set_sized(machine, instruction->rm, operand.value, size, operand.is_known);
    else
      *is_known = address_known && store(machine, address, operand.value, size, operand.is_known);
    return true;
  case 0x8a:
  case 0x8b:
    size = opcode == 0x8a ? 1 : size;
    if (size == 1 && has_high_byte(instruction, instruction->reg))
      return false;
    operand = read_rm(machine, instruction, address, address_known, size);
    set_sized(machine, instruction->reg, operand.value, size, operand.is_known);
    return true;
  case 0x63:
    operand = read_rm(machine, instruction, address, address_known, 4);
    set_sized(machine, instruction->reg, vf_extend(operand.value, 4, true), size, operand.is_known);
    return true;
  case 0x8d:
    set_sized(machine, instruction->reg, address, size, address_known);
    return true;
  case 0xc6:
  case 0xc7:
    size = opcode == 0xc6 ? 1 : size;
    if (!instruction->is_memory)
      set_sized(machine, instruction->rm, (uint64_t)instruction->immediate, size, true);
    else
      *is_known = address_known && store(machine, address, (uint64_t)instruction->immediate, size, true);
    return true;
  default:
    return false;
  }
}

/* Compares and tests write nothing; nop neither. */
static bool writes_nothing(const struct vf_instruction *instruction)
{
  uint8_t opcode = instruction->opcode;
  if (instruction->is_two_byte)
    return opcode == 0x1f || opcode == 0x2e || opcode == 0x2f;
  return (opcode >= 0x38 && opcode <= 0x3d) || opcode == 0x84 || opcode == 0x85 || opcode == 0x90 || opcode == 0xa8 ||
         opcode == 0xa9 || ((opcode == 0x80 || opcode == 0x81 || opcode == 0x83) && (instruction->reg & 7) == 7);
}

static bool push(struct vf_machine *machine, const struct vf_instruction *instruction, bool *is_known)
{
  uint64_t value, top;
  if (instruction->is_two_byte || instruction->opcode < 0x50 || instruction->opcode > 0x57)
    return false;
  bool value_known = get(machine, instruction->rm, &value);
  *is_known = get(machine, X86_RSP, &top) && store(machine, top - 8, value, 8, value_known);
  set(machine, X86_RSP, top - 8, true);
  return true;
}

/* What instructions do with a register and another operand, by the number that groups 1 (80 to 83) and 2 (c0 to d3) of
 * opcodes have in ModRM.reg; those of group 2 behind 8. The ones that are not named here need flags, or are rare. */
enum arithmetic { ADD = 0, OR = 1, AND = 4, SUB = 5, XOR = 6, SHIFTS = 8, SHL = 12, SHR = 13, SAR = 15 };

/* False: it is none of these. */
static bool calculate(unsigned arithmetic, unsigned size, uint64_t left, uint64_t right, uint64_t *result)
{
  const unsigned count = (unsigned)(right & (size == 8 ? 63 : 31));
  switch (arithmetic) {
  case ADD:
    *result = left + right;
    return true;
  case OR:
    *result = left | right;
    return true;
  case AND:
    *result = left & right;
    return true;
  case SUB:
    *result = left - right;
    return true;
  case XOR:
    *result = left ^ right;
    return true;
  case SHL:
    *result = left << count;
    return true;
  case SHR:
    *result = vf_extend(left, size, false) >> count;
    return true;
  case SAR:
    *result = (uint64_t)((int64_t)vf_extend(left, size, true) >> count);
    return true;
  default:
    return false;
  }
}

/* An instruction as arithmetic on a register. */
struct computation {
  uint8_t to;
  unsigned arithmetic;
  struct operand right;
};

/* Of 2, 4 or 8 bytes, with the result in a register. False: it is something else. */
static bool as_computation(const struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next,
                           struct computation *out)
{
  const uint8_t opcode = instruction->opcode;
  const bool is_of_register = opcode < 0x38 && (opcode & 7) == 3, is_of_rm = opcode < 0x38 && (opcode & 7) == 1;
  const bool is_shift = opcode == 0xc1 || opcode == 0xd1 || opcode == 0xd3;
  const bool is_immediate = opcode == 0x81 || opcode == 0x83, is_of_rax = opcode < 0x38 && (opcode & 7) == 5;
  const bool is_in_opcode = is_of_register || is_of_rm || is_of_rax;
  uint64_t address = 0;
  if (instruction->is_two_byte || !(is_in_opcode || is_shift || is_immediate) ||
      (instruction->is_memory && !is_of_register))
    return false;
  out->to = is_of_rax ? X86_RAX : is_of_register ? instruction->reg : instruction->rm;
  out->arithmetic = is_in_opcode ? opcode >> 3 : (instruction->reg & 7u) + (is_shift ? SHIFTS : 0);
  out->right = (struct operand){.value = opcode == 0xd1 ? 1 : (uint64_t)instruction->immediate, .is_known = true};
  const bool address_known = instruction->is_memory && address_of(machine, instruction, next, &address);
  if (is_of_register)
    out->right = read_rm(machine, instruction, address, address_known, operand_size(instruction));
  else if (is_of_rm)
    out->right.is_known = get(machine, instruction->reg, &out->right.value);
  else if (opcode == 0xd3)
    out->right.is_known = get(machine, X86_RCX, &out->right.value);
  return true;
}

/* Sums, differences, bits and shifts, some of which compilers leave until after a call. False: it is something else. */
static bool compute(struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next, bool *is_known)
{
  struct computation computation;
  const unsigned size = operand_size(instruction);
  uint64_t left, result;
  if (!as_computation(machine, instruction, next, &computation))
    return false;
  const bool left_known = get(machine, computation.to, &left);
  if (!calculate(computation.arithmetic, size, left, computation.right.value, &result))
    return false;
  set_sized(machine, computation.to, result, size, left_known && computation.right.is_known);
  *is_known = !(machine->unknown >> RSP & 1);
  return true;
}

/* Two-byte opcodes whose register operands are xmm registers. */
static bool is_vector(const struct vf_instruction *instruction)
{
  uint8_t opcode = instruction->opcode;
  return instruction->is_two_byte &&
         ((opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
          (opcode >= 0x50 && opcode <= 0x7f) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6) || opcode >= 0xd0);
}

/* The bytes that a vector instruction stores, 0 for none. */
static unsigned vector_store(const struct vf_instruction *instruction)
{
  switch (instruction->opcode) {
  case 0x11:
    return instruction->repeat == 0xf2 ? 8 : instruction->repeat == 0xf3 ? 4 : 16;
  case 0x13:
  case 0x17:
  case 0xd6:
    return 8;
  case 0x7e:
    return instruction->repeat == 0xf3 ? 0 : instruction->is_wide ? 8 : 4;
  case 0x29:
  case 0x2b:
  case 0x7f:
  case 0xe7:
    return 16;
  default:
    return 0;
  }
}

static bool forget_vector(struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next)
{
  uint64_t address;
  uint8_t opcode = instruction->opcode;
  unsigned size = vector_store(instruction);
  if (opcode == 0x2c || opcode == 0x2d || opcode == 0x50 || opcode == 0xc5 || opcode == 0xd7)
    set(machine, instruction->reg, 0, false);
  if (opcode == 0x7e && size && !instruction->is_memory)
    set(machine, instruction->rm, 0, false);
  if (!size || !instruction->is_memory)
    return true;
  return address_of(machine, instruction, next, &address) && store(machine, address, 0, size, false);
}

/* d8 to df: the x87's own registers are not followed. Of general registers fnstsw alone writes one. */
static bool forget_x87(struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next)
{
  const unsigned group = instruction->reg & 7;
  const uint8_t opcode = instruction->opcode;
  uint64_t address;
  unsigned size = 0;
  if (!instruction->is_memory) {
    if (opcode == 0xdf)
      machine->unknown |= 1u;
    return true;
  }
  if (opcode == 0xd9 && (group == 2 || group == 3))
    size = 4;
  else if (opcode == 0xd9 && group >= 6)
    size = group == 6 ? 28 : 2;
  else if (opcode == 0xdb && group >= 1 && group != 5)
    size = group == 7 ? 10 : 4;
  else if (opcode == 0xdd && group >= 1 && group != 4)
    size = group == 6 ? 108 : group == 7 ? 2 : 8;
  else if (opcode == 0xdf && group >= 1 && group != 4 && group != 5)
    size = group == 6 ? 10 : group == 7 ? 8 : 2;
  return !size || (address_of(machine, instruction, next, &address) && store(machine, address, 0, size, false));
}

/* Opcodes whose ModRM.reg chooses the operation. */
static bool is_group(const struct vf_instruction *instruction)
{
  uint8_t opcode = instruction->opcode;
  if (instruction->is_two_byte)
    return opcode == 0xba || (opcode >= 0x90 && opcode <= 0x9f);
  return opcode == 0x80 || opcode == 0x81 || opcode == 0x83 || opcode == 0xc0 || opcode == 0xc1 ||
         (opcode >= 0xd0 && opcode <= 0xd3) || opcode == 0xf6 || opcode == 0xf7 || opcode >= 0xfe;
}

/* Some other instruction: what it may write is not known any more. Those without a ModRM byte are not followed. */
static bool forget(struct vf_machine *machine, const struct vf_instruction *instruction, uint64_t next)
{
  uint64_t address;
  if (!instruction->has_modrm)
    return false;
  if (is_vector(instruction))
    return forget_vector(machine, instruction, next);
  if (!instruction->is_two_byte && instruction->opcode >= 0xd8 && instruction->opcode <= 0xdf)
    return forget_x87(machine, instruction, next);
  if (!is_group(instruction))
    set(machine, instruction->reg, 0, false);
  if (!instruction->is_memory)
    set(machine, instruction->rm, 0, false);
  else if (!address_of(machine, instruction, next, &address) ||
           !store(machine, address, 0, operand_size(instruction), false))
    return false;
  if (!instruction->is_two_byte && (instruction->opcode == 0xf7 || instruction->opcode == 0xf6))
    machine->unknown |= 1u << 0 | 1u << 1;
  return !(machine->unknown >> RSP & 1);
}

bool vf_emulate(const struct vf_code *code, struct vf_machine *machine, uint64_t *address)
{
  const uint8_t *bytes = vf_code_bytes(code, *address, VF_INSTRUCTION_MAX);
  struct vf_instruction instruction = bytes ? vf_decode(bytes, VF_INSTRUCTION_MAX) : (struct vf_instruction){0};
  bool is_jump = !instruction.is_two_byte ? instruction.opcode >= 0x70 && instruction.opcode <= 0x7f
                                          : instruction.opcode >= 0x80 && instruction.opcode <= 0x8f;
  if (!instruction.length || is_jump || vf_breaks_line(&instruction))
    return false;
  uint64_t next = *address + instruction.length;
  bool is_known = true;
  if (!instruction.is_two_byte && instruction.opcode >= 0xb8 && instruction.opcode <= 0xbf)
    set_sized(machine, instruction.rm, (uint64_t)instruction.immediate, operand_size(&instruction), true);
  else if (!writes_nothing(&instruction) && !push(machine, &instruction, &is_known) &&
           !compute(machine, &instruction, next, &is_known) && !move(machine, &instruction, next, &is_known))
    is_known = forget(machine, &instruction, next);
  *address = next;
  return is_known;
}

/* The target of a conditional jump ahead; 0: it is something else. */
static uint64_t skip_target(const struct vf_code *code, uint64_t address, unsigned *length)
{
  const uint8_t *bytes = vf_code_bytes(code, address, VF_INSTRUCTION_MAX);
  const struct vf_instruction jump = bytes ? vf_decode(bytes, VF_INSTRUCTION_MAX) : (struct vf_instruction){0};
  const uint8_t kind = jump.opcode & 0xf0;
  *length = jump.length;
  return jump.length && kind == (jump.is_two_byte ? 0x80 : 0x70) && jump.immediate > 0
             ? address + jump.length + (uint64_t)jump.immediate
             : 0;
}

bool vf_emulate_over(const struct vf_code *code, struct vf_machine *machine, uint64_t *address)
{
  unsigned length;
  const uint64_t target = skip_target(code, *address, &length);
  if (!target)
    return vf_emulate(code, machine, address);
  const struct vf_machine jumped = *machine;
  const unsigned stored = machine->stores->count;
  *address += length;
  while (*address < target)
    if (!vf_emulate(code, machine, address))
      return false;
  machine->unknown |= jumped.unknown;
  for (unsigned i = 0; i < VF_REGISTERS; i++)
    if (machine->registers[i] != jumped.registers[i])
      machine->unknown |= 1u << i;
  for (unsigned i = stored; i < machine->stores->count; i++)
    machine->stores->list[i].is_known = false;
  return *address == target;
}
