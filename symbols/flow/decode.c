/*
 * Decodes one x86-64 instruction: its length, its operands, and the moves around calls.
 */
#include "symbols/flow/decode.h"

#include <string.h>

/* What follows an opcode, as bits that can be combined. The names are short because the tables below are rows of them.
 */
enum {
  NONE = 0,
  MODRM = 1,
  IMM8 = 2,
  IMM16 = 4,
  IMMZ = 8,    /* 2 bytes with a 66 prefix, else 4 */
  IMMV = 16,   /* as the operand: 2, 4 or 8 bytes (mov r, imm) */
  GROUP3 = 32, /* f6 and f7: test has an immediate */
  BAD = 128,
};

/* One-byte opcodes. */
static uint8_t one_byte_format(uint8_t opcode)
{
  if (opcode < 0x40) {
    static const uint8_t arithmetic[8] = {MODRM, MODRM, MODRM, MODRM, IMM8, IMMZ, BAD, BAD};
    return arithmetic[opcode & 7];
  }
  if (opcode >= 0x50 && opcode <= 0x5f)
    return NONE;
  if (opcode >= 0x70 && opcode <= 0x7f)
    return IMM8;
  if (opcode >= 0x84 && opcode <= 0x8f)
    return MODRM;
  if (opcode >= 0x90 && opcode <= 0x9f && opcode != 0x9a)
    return NONE;
  if (opcode >= 0xb0 && opcode <= 0xb7)
    return IMM8;
  if (opcode >= 0xb8 && opcode <= 0xbf)
    return IMMV;
  if (opcode >= 0xd8 && opcode <= 0xdf)
    return MODRM;
  switch (opcode) {
  case 0x63:
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3:
  case 0xfe:
  case 0xff:
    return MODRM;
  case 0x68:
  case 0xa9:
  case 0xe8:
  case 0xe9:
    return IMMZ;
  case 0x69:
  case 0x81:
  case 0xc7:
    return MODRM | IMMZ;
  case 0x6a:
  case 0xa8:
  case 0xeb:
    return IMM8;
  case 0x6b:
  case 0x80:
  case 0x83:
  case 0xc0:
  case 0xc1:
  case 0xc6:
    return MODRM | IMM8;
  case 0xf6:
    return MODRM | GROUP3 | IMM8;
  case 0xf7:
    return MODRM | GROUP3 | IMMZ;
  case 0xa4:
  case 0xa5:
  case 0xaa:
  case 0xab:
  case 0xc3:
  case 0xc9:
  case 0xcc:
  case 0xf4:
    return NONE;
  case 0xc2:
    return IMM16;
  default:
    return BAD;
  }
}

/* Opcodes after 0f. */
static uint8_t two_byte_format(uint8_t opcode)
{
  if (opcode >= 0x80 && opcode <= 0x8f)
    return IMMZ;
  if (opcode >= 0xc8 && opcode <= 0xcf)
    return NONE;
  switch (opcode) {
  case 0x05:
  case 0x0b:
  case 0x31:
  case 0x77:
  case 0xa2:
    return NONE;
  case 0x70:
  case 0x71:
  case 0x72:
  case 0x73:
  case 0xa4:
  case 0xac:
  case 0xba:
  case 0xc2:
  case 0xc4:
  case 0xc5:
  case 0xc6:
    return MODRM | IMM8;
  default:
    break;
  }
  bool is_known = opcode <= 0x03 || opcode == 0x0d || (opcode >= 0x10 && opcode <= 0x1f) ||
                  (opcode >= 0x28 && opcode <= 0x2f) || (opcode >= 0x40 && opcode <= 0x6f) ||
                  (opcode >= 0x74 && opcode <= 0x7f) || (opcode >= 0x90 && opcode <= 0x9f) || opcode == 0xa3 ||
                  opcode == 0xa5 || opcode == 0xab || opcode == 0xad || opcode == 0xae || opcode == 0xaf ||
                  (opcode >= 0xb0 && opcode <= 0xb8) || (opcode >= 0xbb && opcode <= 0xc1) || opcode == 0xc3 ||
                  opcode == 0xc7 || opcode >= 0xd0;
  return is_known ? MODRM : BAD;
}

/* A reader that never goes past the end. */
struct reader {
  const uint8_t *bytes;
  size_t left, at;
  bool failed;
};

static uint8_t next(struct reader *reader)
{
  if (reader->at >= reader->left) {
    reader->failed = true;
    return 0;
  }
  return reader->bytes[reader->at++];
}

static int64_t next_signed(struct reader *reader, unsigned size)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    value |= (uint64_t)next(reader) << (i * 8);
  unsigned shift = 64 - size * 8;
  return (int64_t)(value << shift) >> shift;
}

static void read_modrm(struct reader *reader, uint8_t rex, struct sym_instruction *instruction)
{
  uint8_t modrm = next(reader);
  uint8_t mod = modrm >> 6, rm = modrm & 7;
  instruction->has_modrm = true;
  instruction->reg = (uint8_t)((modrm >> 3 & 7) | (rex & 4) << 1);
  instruction->base = instruction->index = SYM_NO_REGISTER;
  if (mod == 3) {
    instruction->rm = (uint8_t)(rm | (rex & 1) << 3);
    return;
  }
  instruction->is_memory = true;
  if (rm == 4) {
    uint8_t sib = next(reader);
    uint8_t index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
    instruction->scale = (uint8_t)(1 << (sib >> 6));
    instruction->index = index == 4 ? SYM_NO_REGISTER : index;
    rm = sib & 7;
    if (rm == 5 && mod == 0) {
      instruction->displacement = (int32_t)next_signed(reader, 4);
      return;
    }
  } else if (rm == 5 && mod == 0) {
    instruction->base = SYM_RIP_REGISTER;
    instruction->displacement = (int32_t)next_signed(reader, 4);
    return;
  }
  instruction->base = (uint8_t)(rm | (rex & 1) << 3);
  if (mod)
    instruction->displacement = (int32_t)next_signed(reader, mod == 1 ? 1 : 4);
}

static void read_immediate(struct reader *reader, uint8_t format, uint8_t rex, struct sym_instruction *instruction)
{
  /* A 66 before a near branch, which the sequences for thread-local variables have, does not shorten it. */
  bool is_branch = (instruction->map == SYM_MAP_ONE_BYTE && (instruction->opcode & 0xfe) == 0xe8) ||
                   (instruction->map == SYM_MAP_0F && (instruction->opcode & 0xf0) == 0x80);
  bool is_short = instruction->operand_size == 2 && !is_branch;
  if ((format & GROUP3) && (instruction->reg & 7) > 1)
    return;
  if (format & IMM8)
    instruction->immediate = next_signed(reader, 1);
  else if (format & IMM16)
    instruction->immediate = next_signed(reader, 2);
  else if (format & IMMZ)
    instruction->immediate = next_signed(reader, is_short ? 2 : 4);
  else if (format & IMMV)
    instruction->immediate = next_signed(reader, is_short ? 2 : rex & 8 ? 8 : 4);
}

/* Reads the opcode and says what follows it. */
static uint8_t read_opcode(struct reader *reader, uint8_t first, struct sym_instruction *instruction)
{
  instruction->opcode = first;
  if (first != 0x0f)
    return one_byte_format(first);
  instruction->map = SYM_MAP_0F;
  instruction->opcode = next(reader);
  if (instruction->opcode != 0x38 && instruction->opcode != 0x3a)
    return two_byte_format(instruction->opcode);
  bool has_immediate = instruction->opcode == 0x3a;
  instruction->map = has_immediate ? SYM_MAP_0F3A : SYM_MAP_0F38;
  instruction->opcode = next(reader);
  return has_immediate ? MODRM | IMM8 : MODRM;
}

/* Legacy prefixes; cs, ds, es and ss do nothing in 64-bit mode. */
static bool is_prefix(uint8_t byte)
{
  static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x64, 0x65, 0x67, 0x2e, 0x3e, 0x26, 0x36};
  return memchr(prefixes, byte, sizeof prefixes) != NULL;
}

/* The map and operands that the bytes after c4, c5 and 62 give. Returns what follows the opcode. */
static uint8_t read_vex(struct reader *reader, uint8_t first, uint8_t *rex, struct sym_instruction *instruction)
{
  uint8_t byte = next(reader), map = 1, last = byte;
  *rex = (uint8_t)((~byte >> 5 & 4) | 0x40);
  if (first != 0xc5) {
    map = byte & (first == 0x62 ? 7 : 31);
    *rex |= (uint8_t)(~byte >> 5 & 3);
    last = next(reader);
    *rex |= (uint8_t)(last >> 4 & 8);
  }
  static const uint8_t prefixes[4] = {0, 0x66, 0xf3, 0xf2};
  instruction->prefix = prefixes[last & 3];
  instruction->vvvv = (uint8_t)(~last >> 3 & 15);
  if (first == 0x62)
    next(reader);
  instruction->is_vex = true;
  instruction->is_evex = first == 0x62;
  instruction->opcode = next(reader);
  instruction->operand_size = *rex & 8 ? 8 : 4;
  instruction->map = map;
  if (map == SYM_MAP_0F)
    return instruction->opcode == 0x77 ? NONE : two_byte_format(instruction->opcode);
  return map == SYM_MAP_0F3A ? MODRM | IMM8 : map == SYM_MAP_0F38 ? MODRM : BAD;
}

bool sym_decode(const uint8_t *bytes, size_t left, struct sym_instruction *instruction)
{
  struct reader reader = {.bytes = bytes, .left = left};
  *instruction = (struct sym_instruction){.base = SYM_NO_REGISTER, .index = SYM_NO_REGISTER, .operand_size = 4};
  uint8_t byte = next(&reader), rex = 0;
  bool is_short = false;
  while (is_prefix(byte)) {
    instruction->has_other_addresses |= byte == 0x64 || byte == 0x65 || byte == 0x67;
    if (byte == 0x66 || byte == 0xf2 || byte == 0xf3)
      instruction->prefix = byte;
    is_short |= byte == 0x66;
    byte = next(&reader);
  }
  if ((byte & 0xf0) == 0x40) {
    rex = byte;
    instruction->has_rex = true;
    byte = next(&reader);
  }
  instruction->operand_size = rex & 8 ? 8 : is_short ? 2 : 4;
  bool is_vex = byte == 0xc4 || byte == 0xc5 || byte == 0x62;
  uint8_t format = is_vex ? read_vex(&reader, byte, &rex, instruction) : read_opcode(&reader, byte, instruction);
  if (format == BAD || reader.failed)
    return false;
  if (format & MODRM)
    read_modrm(&reader, rex, instruction);
  else
    instruction->rm = (uint8_t)((instruction->opcode & 7) | (rex & 1) << 3);
  read_immediate(&reader, format, rex, instruction);
  instruction->size = (uint8_t)reader.at;
  return !reader.failed && reader.at <= 15;
}
