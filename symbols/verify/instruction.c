/*
 * Decodes x86-64 instructions, independently of the decoder that the index is made with.
 */
#include "symbols/verify/instruction.h"

#include <string.h>

/* One-byte opcodes: whether a ModRM byte follows, and how many immediate bytes; 'z' is 4, or 2 with an operand prefix.
 */
static unsigned immediate_of(uint8_t opcode, unsigned modrm_reg, bool is_short, bool is_wide)
{
  unsigned z = is_short ? 2 : 4;
  if (opcode < 0x40 && (opcode & 7) == 4)
    return 1;
  if (opcode < 0x40 && (opcode & 7) == 5)
    return z;
  switch (opcode) {
  case 0x6a:
  case 0x6b:
  case 0x80:
  case 0x83:
  case 0xa8:
  case 0xc0:
  case 0xc1:
  case 0xc6:
  case 0xeb:
    return 1;
  case 0x68:
  case 0x69:
  case 0x81:
  case 0xa9:
  case 0xc7:
    return z;
  case 0xe8:
  case 0xe9:
    return 4;
  case 0xf6:
    return modrm_reg < 2 ? 1 : 0;
  case 0xf7:
    return modrm_reg < 2 ? z : 0;
  default:
    if (opcode >= 0x70 && opcode <= 0x7f)
      return 1;
    if (opcode >= 0xb0 && opcode <= 0xb7)
      return 1;
    if (opcode >= 0xb8 && opcode <= 0xbf)
      return is_wide ? 8 : z;
    return 0;
  }
}

static bool has_modrm(uint8_t opcode)
{
  if (opcode < 0x40)
    return (opcode & 7) < 4;
  switch (opcode) {
  case 0x63:
  case 0x69:
  case 0x6b:
  case 0xc0:
  case 0xc1:
  case 0xc6:
  case 0xc7:
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3:
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    return true;
  default:
    return (opcode >= 0x80 && opcode <= 0x8f) || (opcode >= 0xd8 && opcode <= 0xdf);
  }
}

/* Two-byte opcodes (0f xx). */
static bool has_modrm2(uint8_t opcode)
{
  return !((opcode >= 0x80 && opcode <= 0x8f) || opcode == 0x05 || opcode == 0x0b || opcode == 0x31 || opcode == 0xa2 ||
           (opcode >= 0xc8 && opcode <= 0xcf) || opcode == 0x77);
}

static unsigned immediate2_of(uint8_t opcode)
{
  if (opcode >= 0x80 && opcode <= 0x8f)
    return 4;
  return opcode == 0xa4 || opcode == 0xac || opcode == 0xba || opcode == 0xc2 || opcode == 0xc4 || opcode == 0xc5 ||
                 opcode == 0xc6 || (opcode >= 0x70 && opcode <= 0x73)
             ? 1
             : 0;
}

/* Reads the SIB byte and displacement of a memory operand; returns the bytes taken. */
static size_t read_address(const uint8_t *at, size_t available, unsigned mod, unsigned rm, unsigned rex,
                           struct vf_instruction *out)
{
  size_t taken = 0;
  out->is_memory = true;
  out->base = (uint8_t)(rm | (rex & 1) << 3);
  out->index = VF_NO_REGISTER;
  bool has_displacement32 = mod == 2;
  if (rm == 4) {
    if (available < 1)
      return available + 1;
    uint8_t sib = at[taken++];
    unsigned index = (sib >> 3 & 7u) | (rex & 2) << 2;
    out->base = (uint8_t)((sib & 7u) | (rex & 1) << 3);
    out->scale = sib >> 6;
    out->index = index == 4 ? VF_NO_REGISTER : (uint8_t)index;
    if (mod == 0 && (sib & 7) == 5) {
      out->base = VF_NO_REGISTER;
      has_displacement32 = true;
    }
  } else if (mod == 0 && rm == 5) {
    out->base = VF_NO_REGISTER;
    out->is_relative = has_displacement32 = true;
  }
  size_t size = has_displacement32 ? 4 : mod == 1 ? 1 : 0;
  if (available < taken + size)
    return available + 1;
  if (size == 1)
    out->displacement = (int8_t)at[taken];
  else if (size == 4)
    memcpy(&out->displacement, at + taken, 4);
  return taken + size;
}

static int64_t read_immediate(const uint8_t *at, unsigned size)
{
  uint64_t value = 0;
  memcpy(&value, at, size);
  unsigned shift = 64 - size * 8;
  return size == 0 || size == 8 ? (int64_t)value : (int64_t)(value << shift) >> shift;
}

struct vf_instruction vf_decode(const uint8_t *at, size_t available)
{
  struct vf_instruction out = {.base = VF_NO_REGISTER, .index = VF_NO_REGISTER};
  size_t i = 0;
  unsigned rex = 0;
  for (; i < available && (at[i] == 0x66 || at[i] == 0xf2 || at[i] == 0xf3 || at[i] == 0x2e || at[i] == 0x3e ||
                           at[i] == 0x64 || at[i] == 0x65);
       i++) {
    out.is_short |= at[i] == 0x66;
    if (at[i] == 0xf2 || at[i] == 0xf3)
      out.repeat = at[i];
  }
  if (i < available && (at[i] & 0xf0) == 0x40) {
    rex = at[i++];
    out.has_rex = true;
    out.is_wide = rex & 8;
  }
  if (i >= available)
    return out;
  out.opcode = at[i++];
  if (out.opcode == 0x0f) {
    if (i >= available)
      return out;
    out.is_two_byte = true;
    out.opcode = at[i++];
    if (out.opcode == 0x38 || out.opcode == 0x3a)
      return out;
  } else if (out.opcode == 0xc4 || out.opcode == 0xc5 || out.opcode == 0x62) {
    return out;
  }
  unsigned group = 0;
  out.has_modrm = out.is_two_byte ? has_modrm2(out.opcode) : has_modrm(out.opcode);
  if (out.has_modrm) {
    if (i >= available)
      return out;
    unsigned modrm = at[i++], mod = modrm >> 6;
    group = modrm >> 3 & 7;
    out.reg = (uint8_t)(group | (rex & 4) << 1);
    out.rm = (uint8_t)((modrm & 7) | (rex & 1) << 3);
    if (mod != 3)
      i += read_address(at + i, available - i, mod, modrm & 7, rex, &out);
  }
  if (!out.has_modrm)
    out.rm = (uint8_t)((out.opcode & 7u) | (rex & 1) << 3);
  unsigned size =
      out.is_two_byte ? immediate2_of(out.opcode) : immediate_of(out.opcode, group, out.is_short, out.is_wide);
  if (i + size > available || i + size > VF_INSTRUCTION_MAX)
    return out;
  out.immediate = read_immediate(at + i, size);
  out.length = (unsigned)(i + size);
  return out;
}

bool vf_breaks_line(const struct vf_instruction *instruction)
{
  if (instruction->is_two_byte)
    return instruction->opcode == 0x0b;
  uint8_t opcode = instruction->opcode;
  unsigned group = instruction->reg & 7;
  return opcode == 0xc3 || opcode == 0xc2 || opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb || opcode == 0xcc ||
         (opcode == 0xff && group >= 2 && group <= 5);
}
