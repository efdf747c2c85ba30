/*
 * Follows copies of one value between the registers and the frame of x86-64 code.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
 */
#include "symbols/flow/holders.h"

#include "symbols/flow/memory_size.h"
#include "symbols/flow/operands.h"
#include "symbols/processor/x86_64.h"

/* A move whose result is what it moves, in as many low bytes as are asked for. */
struct copy {
  uint64_t from, to; /* registers' bits; 0: memory */
};

/* Byte registers 4 to 7 are, without REX, the second bytes of others. */
static bool is_high_byte(const struct sym_instruction *instruction, uint8_t machine)
{
  return !instruction->has_rex && machine >= 4 && machine < 8;
}

/* How many bytes a move of general registers takes from its operand, 0: it is none. `to_rm`: that it writes ModRM.rm.
 */
static uint8_t general_bytes(const struct sym_instruction *instruction, bool *to_rm)
{
  const bool is_one_byte = instruction->map == SYM_MAP_ONE_BYTE, is_two_byte = instruction->map == SYM_MAP_0F;
  const uint8_t opcode = instruction->opcode;
  *to_rm = is_one_byte && (opcode == 0x88 || opcode == 0x89);
  if (instruction->is_vex)
    return 0;
  if (is_one_byte && (opcode == 0x89 || opcode == 0x8b))
    return instruction->operand_size;
  if (is_one_byte && opcode == 0x63)
    return 4;
  if (is_two_byte && (opcode == 0xb7 || opcode == 0xbf))
    return 2;
  const bool is_byte =
      (is_one_byte && (opcode == 0x88 || opcode == 0x8a)) || (is_two_byte && (opcode == 0xb6 || opcode == 0xbe));
  const bool is_high = (!instruction->is_memory && is_high_byte(instruction, instruction->rm)) ||
                       (is_one_byte && is_high_byte(instruction, instruction->reg));
  return is_byte && !is_high ? 1 : 0;
}

/* The same of vector registers: 8 where it is more. */
static uint8_t vector_bytes(const struct sym_instruction *instruction, bool *to_rm)
{
  const uint8_t opcode = instruction->opcode, prefix = instruction->prefix;
  *to_rm = opcode == 0x11 || opcode == 0x29 || opcode == 0x7f || opcode == 0xd6;
  if (instruction->map != SYM_MAP_0F || instruction->is_evex)
    return 0;
  switch (opcode) {
  case 0x10:
  case 0x11:
    return prefix == 0xf3 ? 4 : 8;
  case 0x28:
  case 0x29:
    return 8;
  case 0x6f:
  case 0x7f:
    return prefix == 0x66 || prefix == 0xf3 ? 8 : 0;
  case 0x7e:
    return prefix == 0xf3 ? 8 : 0;
  case 0xd6:
    return prefix == 0x66 ? 8 : 0;
  default:
    return 0;
  }
}

/* Whether it is a move that keeps `size` bytes. */
static bool copy_of(const struct sym_instruction *instruction, uint8_t size, struct copy *copy)
{
  bool to_rm;
  uint8_t bytes = general_bytes(instruction, &to_rm);
  const bool is_general = bytes > 0;
  if (!is_general)
    bytes = vector_bytes(instruction, &to_rm);
  const uint64_t reg = is_general ? sym_general_register(instruction->reg) : sym_vector_register(instruction->reg);
  const uint64_t rm = instruction->is_memory ? 0
                      : is_general           ? sym_general_register(instruction->rm)
                                             : sym_vector_register(instruction->rm);
  *copy = to_rm ? (struct copy){reg, rm} : (struct copy){rm, reg};
  return bytes >= size;
}

/* The register's bit from which an operand in memory is told by a displacement alone; 0: it is told by more. */
static uint64_t slot_base(const struct sym_instruction *instruction)
{
  if (!instruction->has_modrm || !instruction->is_memory || instruction->has_other_addresses ||
      instruction->index != SYM_NO_REGISTER || instruction->base >= 16)
    return 0;
  return sym_general_register(instruction->base);
}

/* Whether an instruction writes the memory that it names, or reads and writes it. */
static bool may_write(const struct sym_instruction *instruction, const struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode, operation = instruction->reg & 7;
  if (operands->stores || instruction->is_vex || instruction->map > SYM_MAP_0F)
    return operands->stores;
  if (instruction->map == SYM_MAP_0F)
    return opcode == 0xa4 || opcode == 0xa5 || opcode == 0xab || opcode == 0xac || opcode == 0xad ||
           (opcode >= 0xb0 && opcode <= 0xb3) || opcode == 0xba || opcode == 0xbb || opcode == 0xc0 || opcode == 0xc1 ||
           opcode == 0xc7;
  if (opcode < 0x40)
    return (opcode & 7) < 2 && opcode >> 3 != 7;
  switch (opcode) {
  case 0x80:
  case 0x81:
  case 0x83:
    return operation != 7;
  case 0xf6:
  case 0xf7:
    return operation == 2 || operation == 3;
  case 0xfe:
  case 0xff:
    return operation < 2;
  default:
    return opcode == 0x86 || opcode == 0x87 || opcode == 0x8f || opcode == 0xc0 || opcode == 0xc1 ||
           (opcode >= 0xd0 && opcode <= 0xd3);
  }
}

/* Forgets the slots that lie `bytes` from this address on, or, of an instruction that moves the stack pointer, those
 * that are told from it. */
static void drop_slots(struct sym_holders *holders, uint64_t written, uint64_t base, int64_t offset, int64_t bytes)
{
  unsigned left = 0;
  for (unsigned i = 0; i < holders->slot_count; i++) {
    const struct sym_holders_slot *slot = &holders->slots[i];
    const bool is_hit = slot->base == base && slot->offset < offset + bytes && offset < slot->offset + holders->size;
    holders->moved |= slot->base & written;
    if (!is_hit && !(slot->base & written))
      holders->slots[left++] = *slot;
  }
  holders->slot_count = (uint8_t)left;
}

/* Keeps the slots that are told from the stack pointer in their places, where it moves. */
static void move_slots(struct sym_holders *holders, int64_t by)
{
  for (unsigned i = 0; i < holders->slot_count; i++)
    if (holders->slots[i].base == UINT64_C(1) << SYM_RSP) {
      holders->slots[i].offset -= by;
      holders->moved |= UINT64_C(1) << SYM_RSP;
    }
}

bool sym_holders_has_slot(const struct sym_holders *holders, uint64_t base, int64_t offset)
{
  for (unsigned i = 0; i < holders->slot_count; i++)
    if (holders->slots[i].base == base && holders->slots[i].offset == offset)
      return true;
  return false;
}

void sym_holders_add_slot(struct sym_holders *holders, uint64_t base, int64_t offset)
{
  if (sym_holders_has_slot(holders, base, offset))
    return;
  if (holders->slot_count < SYM_HOLDERS_SLOTS_MAX)
    holders->slots[holders->slot_count++] = (struct sym_holders_slot){base, offset};
  else
    holders->has_lost_slots = true;
}

void sym_holders_meet(struct sym_holders *holders, const struct sym_holders *other)
{
  unsigned left = 0;
  holders->unsure |= other->unsure | (holders->registers ^ other->registers);
  holders->registers &= other->registers;
  holders->unsure &= ~holders->registers;
  holders->moved |= other->moved;
  for (unsigned i = 0; i < holders->slot_count; i++)
    if (sym_holders_has_slot(other, holders->slots[i].base, holders->slots[i].offset))
      holders->slots[left++] = holders->slots[i];
  holders->has_lost_slots |= other->has_lost_slots || left < holders->slot_count || left < other->slot_count;
  holders->slot_count = (uint8_t)left;
}

bool sym_holders_step(struct sym_holders *holders, const struct sym_processor *processor, const struct sym_step *step)
{
  const struct sym_instruction *instruction = &step->instruction;
  const struct sym_operands operands = sym_operands_of(instruction);
  const uint64_t base = slot_base(instruction);
  struct copy copy;
  if (step->is_call) {
    holders->registers &= processor->callee_saved;
    holders->unsure &= processor->callee_saved;
    return true;
  }
  if (operands.writes == UINT64_MAX)
    return false;
  const bool is_copy = copy_of(instruction, holders->size, &copy);
  const bool is_held = is_copy && (copy.from ? (copy.from & holders->registers) != 0
                                             : base && sym_holders_has_slot(holders, base, instruction->displacement));
  const bool is_unsure = is_copy && copy.from & holders->unsure;
  int64_t by;
  const bool is_moved = sym_moves_stack(instruction, &operands, &by), is_known = by != INT64_MIN;
  const uint64_t stack = UINT64_C(1) << SYM_RSP;
  const uint64_t written = (operands.writes & ~stack) | (is_moved && !is_known ? stack : 0);
  if (is_moved && is_known)
    move_slots(holders, by);
  holders->registers = (holders->registers & ~written) | (is_held ? copy.to : 0);
  holders->unsure = (holders->unsure & ~written) | (is_unsure ? copy.to : 0);
  drop_slots(holders, written, may_write(instruction, &operands) ? base : 0, instruction->displacement,
             operands.stores ? operands.size : sym_memory_read(instruction));
  if (is_held && !copy.to && base)
    sym_holders_add_slot(holders, base, instruction->displacement);
  return true;
}
