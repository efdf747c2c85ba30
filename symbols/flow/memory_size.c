/*
 * The sizes of operands in memory, by opcode.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
 */
#include "symbols/flow/memory_size.h"

enum { SINGLE = 4, DOUBLE = 8, VECTOR = 16, LONG_VECTOR = 32 };

static bool is_byte_opcode(uint8_t opcode)
{
  if (opcode < 0x40)
    return !(opcode & 1);
  switch (opcode) {
  case 0x80:
  case 0x84:
  case 0x86:
  case 0x88:
  case 0x8a:
  case 0xc0:
  case 0xc6:
  case 0xd0:
  case 0xd2:
  case 0xf6:
  case 0xfe:
    return true;
  default:
    return false;
  }
}

/* d8 to df, of what is read: numbers, but for fldenv, fldcw, frstor and fbld, of which some bytes are. */
static uint8_t read_by_x87(const struct sym_instruction *instruction)
{
  static const uint8_t sizes[8] = {SINGLE, SINGLE, SINGLE, SINGLE, DOUBLE, DOUBLE, 2, 2};
  const unsigned operation = instruction->reg & 7;
  if (operation >= 4 && (instruction->opcode == 0xd9 || instruction->opcode == 0xdd))
    return 2;
  if (operation == 5 && (instruction->opcode == 0xdb || instruction->opcode == 0xdf))
    return DOUBLE;
  return sizes[instruction->opcode & 7];
}

static uint8_t of_one_byte(const struct sym_instruction *instruction)
{
  return is_byte_opcode(instruction->opcode) ? 1 : instruction->opcode == 0x63 ? SINGLE : instruction->operand_size;
}

/* By the prefix: one number of a vector, or `packed` bytes. */
static uint8_t scalar_or(const struct sym_instruction *instruction, uint8_t packed)
{
  return instruction->prefix == 0xf3 ? SINGLE : instruction->prefix == 0xf2 ? DOUBLE : packed;
}

/* Opcodes after 0f that move or compute vectors. Without a prefix some are of MMX, which has 8 bytes. */
static uint8_t of_vector(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  switch (opcode) {
  case 0x10:
  case 0x11:
  case 0xc2:
    return scalar_or(instruction, VECTOR);
  case 0x2c:
  case 0x2d:
  case 0x5a:
    return scalar_or(instruction, DOUBLE);
  case 0x2e:
  case 0x2f:
    return instruction->prefix == 0x66 ? DOUBLE : SINGLE;
  case 0x12:
  case 0x13:
  case 0x16:
  case 0x17:
  case 0x7e:
  case 0xd6:
  case 0xe6:
    return DOUBLE;
  default:
    if (opcode >= 0x51 && opcode <= 0x5f && opcode != 0x5b)
      return scalar_or(instruction, VECTOR);
    return opcode >= 0x60 && opcode != 0xc6 && instruction->prefix == 0 && !instruction->is_vex ? DOUBLE : VECTOR;
  }
}

static uint8_t of_two_byte(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  const bool is_conversion = opcode == 0x2a && (instruction->prefix == 0xf2 || instruction->prefix == 0xf3);
  if ((opcode >= 0x90 && opcode <= 0x9f) || opcode == 0xb0 || opcode == 0xb6 || opcode == 0xbe || opcode == 0xc0)
    return 1;
  if (opcode == 0xb7 || opcode == 0xbf || opcode == 0xc4)
    return 2;
  if (opcode == 0x6e || (opcode == 0x7e && instruction->prefix != 0xf3)) /* whose prefix 66 says another thing */
    return instruction->operand_size == DOUBLE ? DOUBLE : SINGLE;
  if (is_conversion || (opcode >= 0x40 && opcode <= 0x4f) || (opcode >= 0xa0 && opcode <= 0xbf) || opcode == 0xc1 ||
      opcode == 0xc3)
    return instruction->operand_size;
  return opcode == 0x2a ? DOUBLE : of_vector(instruction);
}

uint8_t sym_memory_read(const struct sym_instruction *instruction)
{
  if (instruction->map == SYM_MAP_ONE_BYTE)
    return instruction->opcode >= 0xd8 && instruction->opcode <= 0xdf ? read_by_x87(instruction)
                                                                      : of_one_byte(instruction);
  /* Of elements, lanes and wholes of vectors, at least the first byte. */
  return instruction->map == SYM_MAP_0F ? of_two_byte(instruction) : 1;
}

uint8_t sym_memory_stored(const struct sym_instruction *instruction)
{
  if (instruction->map == SYM_MAP_ONE_BYTE)
    return instruction->opcode >= 0xd8 && instruction->opcode <= 0xdf
               ? (instruction->reg & 7) == 6 ? SYM_MEMORY_MOST : VECTOR
               : of_one_byte(instruction);
  const uint8_t size = instruction->map == SYM_MAP_0F ? of_two_byte(instruction) : VECTOR;
  return instruction->is_vex && size == VECTOR ? LONG_VECTOR : size;
}
