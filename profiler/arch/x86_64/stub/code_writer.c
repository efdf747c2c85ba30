/*
 * Machine code of x86-64, written.
 */
#include "profiler/arch/x86_64/stub/code_writer.h"

#include "profiler/arch/primitives.h"
#include "profiler/stack/thread.h"

void prof_code_byte(struct prof_code_writer *w, unsigned value)
{
  if (w->next < w->end)
    *w->next++ = (uint8_t)value;
  else
    w->failed = true;
}

void prof_code_word(struct prof_code_writer *w, uint32_t value)
{
  for (unsigned i = 0; i < 4; i++)
    prof_code_byte(w, value >> 8 * i);
}

void prof_code_bytes(struct prof_code_writer *w, const uint8_t *data, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    prof_code_byte(w, data[i]);
}

/* What stands before the byte that tells the operands. `other` is the number of the second register, or of the base. */
static void prefixes_and_opcode(struct prof_code_writer *w, unsigned size, unsigned opcode, unsigned reg,
                                unsigned other, bool other_is_byte)
{
  if (size == 2)
    prof_code_byte(w, 0x66);
  unsigned rex = 0x40u | (size == 8 ? 8u : 0) | (reg & 8 ? 4u : 0) | (other & 8 ? 1u : 0);
  if (rex != 0x40 || (size == 1 && (reg >= 4 || (other_is_byte && other >= 4))))
    prof_code_byte(w, rex);
  if (opcode > 0xffff)
    prof_code_byte(w, opcode >> 16);
  if (opcode > 0xff)
    prof_code_byte(w, opcode >> 8 & 0xff);
  prof_code_byte(w, opcode & 0xff);
}

void prof_code_memory(struct prof_code_writer *w, unsigned size, unsigned opcode, unsigned reg, unsigned base,
                      int32_t offset)
{
  prefixes_and_opcode(w, size, opcode, reg, base, false);
  bool is_short = offset == (int8_t)offset;
  prof_code_byte(w, (is_short ? 0x40u : 0x80u) | (reg & 7) << 3 | (base & 7));
  if ((base & 7) == PROF_RSP)
    prof_code_byte(w, 0x24);
  if (is_short)
    prof_code_byte(w, (uint8_t)offset);
  else
    prof_code_word(w, (uint32_t)offset);
}

void prof_code_registers(struct prof_code_writer *w, unsigned size, unsigned opcode, unsigned reg, unsigned other)
{
  prefixes_and_opcode(w, size, opcode, reg, other, true);
  prof_code_byte(w, 0xc0u | (reg & 7) << 3 | (other & 7));
}

uint8_t *prof_code_jump_if(struct prof_code_writer *w, unsigned condition)
{
  PROF_CODE(w, 0x0f, (uint8_t)(0x80 | condition));
  uint8_t *place = w->next;
  prof_code_word(w, 0);
  return place;
}

void prof_code_patch(uint8_t *place, const uint8_t *target)
{
  uint32_t distance = (uint32_t)(target - (place + 4));
  for (unsigned i = 0; i < 4; i++)
    place[i] = (uint8_t)(distance >> 8 * i);
}

uint8_t *prof_code_jump_by(struct prof_code_writer *w)
{
  PROF_CODE(w, 0xff, 0x25);
  uint8_t *place = w->next;
  prof_code_word(w, 0);
  return place;
}

static void address(struct prof_code_writer *w, void (*target)(void))
{
  prof_code_word(w, (uint32_t)(uintptr_t)target);
  prof_code_word(w, (uint32_t)((uintptr_t)target >> 32));
}

void prof_code_jump(struct prof_code_writer *w, void (*target)(void))
{
  PROF_CODE(w, 0xff, 0x25, 0, 0, 0, 0);
  address(w, target);
}

void prof_code_call(struct prof_code_writer *w, void (*target)(void))
{
  PROF_CODE(w, 0xff, 0x15, 2, 0, 0, 0, 0xeb, 8); /* and on behind the word */
  address(w, target);
}

void prof_code_load_self(struct prof_code_writer *w, unsigned reg)
{
  const intptr_t self = (intptr_t)&prof_self - (intptr_t)prof_thread_pointer();
  PROF_CODE(w, 0x64, (uint8_t)(0x48 | (reg & 8 ? 4 : 0)), 0x8b, (uint8_t)(0x04 | (reg & 7) << 3), 0x25);
  prof_code_word(w, (uint32_t)self);
}
