/*
 * Follows what code computes through registers and slots of the frame.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
 */
#include "symbols/flow/made.h"

#include "symbols/flow/operands.h"
#include "symbols/processor/x86_64.h"

/* Whether an instruction moves what it finds, and at most extends it. */
static bool is_move(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  if (instruction->is_vex)
    return false;
  if (instruction->map == SYM_MAP_0F)
    return opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf;
  return instruction->map == SYM_MAP_ONE_BYTE &&
         (opcode == 0x63 || (opcode >= 0x88 && opcode <= 0x8b) || opcode == 0xc6 || opcode == 0xc7);
}

/* Whether it is an `and` with a constant, which leaves no bit that it does not take: none of those is missing, or it
 * would not be there; or it gives a register back. */
static bool is_whole(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  if (instruction->is_vex || instruction->map != SYM_MAP_ONE_BYTE)
    return false;
  return ((opcode == 0x80 || opcode == 0x81 || opcode == 0x83) && (instruction->reg & 7) == 4) || opcode == 0x24 ||
         opcode == 0x25 || (opcode >= 0x58 && opcode <= 0x5f);
}

/* The slot that an instruction names, or none. */
static uint64_t slot_base(const struct sym_made *made, const struct sym_instruction *instruction)
{
  const bool is_slot = instruction->has_modrm && instruction->is_memory && !instruction->has_other_addresses &&
                       instruction->index == SYM_NO_REGISTER;
  return is_slot ? sym_general_register(instruction->base) & made->frame : 0;
}

bool sym_made_has_slot(const struct sym_made *made, uint64_t base, int64_t offset)
{
  for (unsigned i = 0; i < made->slot_count; i++)
    if (made->slots[i].base == base && made->slots[i].offset == offset)
      return true;
  return false;
}

/* Notes whether what is put into a slot is made. What there is no room for is not. */
static void note_slot(struct sym_made *made, uint64_t base, int64_t offset, bool is_made)
{
  unsigned left = 0;
  for (unsigned i = 0; i < made->slot_count; i++)
    if (made->slots[i].base != base || made->slots[i].offset != offset)
      made->slots[left++] = made->slots[i];
  made->slot_count = left;
  if (is_made && left < SYM_MADE_SLOTS_MAX)
    made->slots[made->slot_count++] = (struct sym_made_slot){base, offset};
}

void sym_made_step(struct sym_made *made, const struct sym_step *step)
{
  const struct sym_instruction *instruction = &step->instruction;
  const struct sym_operands operands = sym_operands_of(instruction);
  const uint64_t base = slot_base(made, instruction);
  if (step->is_call) {
    made->registers &= sym_x86_64.callee_saved;
    return;
  }
  if (operands.writes == UINT64_MAX)
    return;
  bool is_made = !is_whole(instruction);
  if (is_move(instruction) && operands.stores)
    is_made = !(operands.reads & ~base) || operands.reads & ~base & made->registers;
  else if (is_move(instruction) && instruction->is_memory)
    is_made = base && sym_made_has_slot(made, base, instruction->displacement);
  else if (is_move(instruction))
    is_made = !operands.reads || operands.reads & made->registers;
  made->registers = (made->registers & ~operands.writes) | (is_made ? operands.writes : 0);
  if (base && operands.stores)
    note_slot(made, base, instruction->displacement, is_made);
}
