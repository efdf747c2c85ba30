/*
 * Tells how instructions go on.
 */
#include "symbols/flow/step.h"

#include "symbols/processor/aarch64_code.h"
#include "symbols/processor/x86_64.h"

static bool is_padding(const struct sym_instruction *instruction)
{
  if (instruction->is_vex)
    return false;
  return instruction->map == SYM_MAP_0F
             ? instruction->opcode == 0x1f
             : instruction->map == SYM_MAP_ONE_BYTE && (instruction->opcode == 0x90 || instruction->opcode == 0xcc);
}

static void read_x86_64(uint64_t at, const struct sym_instruction *instruction, struct sym_step *step)
{
  uint64_t target = at + instruction->size + (uint64_t)instruction->immediate;
  uint8_t opcode = instruction->opcode;
  step->size = instruction->size;
  step->falls_through = true;
  step->is_padding = is_padding(instruction);
  const unsigned operation = instruction->reg & 7;
  step->is_call = instruction->map == SYM_MAP_ONE_BYTE &&
                  (opcode == 0xe8 || (opcode == 0xff && (operation == 2 || operation == 3)));
  if (instruction->is_vex)
    return;
  if (instruction->map == SYM_MAP_0F) {
    if ((opcode & 0xf0) == 0x80)
      step->target = target;
    step->falls_through = opcode != 0x0b;
  } else if (instruction->map == SYM_MAP_ONE_BYTE) {
    bool is_jump = opcode == 0xe9 || opcode == 0xeb;
    step->is_indirect = opcode == 0xff && (operation == 4 || operation == 5);
    if (is_jump || (opcode & 0xf0) == 0x70)
      step->target = target;
    step->falls_through = !is_jump && !step->is_indirect && opcode != 0xc3 && opcode != 0xc2 && opcode != 0xf4;
  }
}

static void read_aarch64(uint64_t at, uint32_t word, struct sym_step *step)
{
  step->size = sizeof word;
  step->word = word;
  bool is_branch = (word & 0xfc000000) == 0x14000000;
  bool is_return =
      (word & 0xfffff3ff) == 0xd65f03c0 || (word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff;
  bool is_trap = (word & 0xffff0000) == 0 || (word & 0xffe0001f) == 0xd4200000;
  step->is_indirect = (word & 0xfffffc1f) == 0xd61f0000;
  step->is_call = sym_aarch64_is_bl(word) || (word & 0xfffffc1f) == 0xd63f0000;
  step->is_padding = word == 0xd503201f || word == 0;
  step->falls_through = !is_branch && !is_return && !is_trap && !step->is_indirect;
  if (is_branch)
    step->target = sym_aarch64_branch(word, at);
  else if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond; cbz, cbnz */
    step->target = at + (uint64_t)(sym_aarch64_signed(word, 5, 19) * 4);
  else if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
    step->target = at + (uint64_t)(sym_aarch64_signed(word, 5, 14) * 4);
}

bool sym_step_at(const struct sym_hook *hook, uint64_t at, uint64_t high, struct sym_step *step)
{
  const struct sym_code_bytes *code = sym_hook_code_at(hook, at);
  if (!code)
    return false;
  size_t offset = (size_t)(at - code->address), left = code->size - offset;
  uint32_t word;
  if (left > high - at)
    left = (size_t)(high - at);
  *step = (struct sym_step){0};
  if (hook->processor == &sym_aarch64) {
    if (left < sizeof word || !sym_aarch64_word(code, offset, &word))
      return false;
    read_aarch64(at, word, step);
    return true;
  }
  if (!sym_decode(code->bytes + offset, left, &step->instruction))
    return false;
  read_x86_64(at, &step->instruction, step);
  return true;
}

uint64_t sym_step_past_landing(const struct sym_hook *hook, uint64_t entry)
{
  struct sym_step step;
  const struct sym_instruction *instruction = &step.instruction;
  const bool is_read = hook->processor == &sym_x86_64 && sym_step_at(hook, entry, UINT64_MAX, &step);
  const bool is_landing = is_read && instruction->map == SYM_MAP_0F && instruction->opcode == 0x1e &&
                          instruction->prefix == 0xf3 && step.size == 4;
  return is_landing ? entry + step.size : entry;
}
