/*
 * Tells which registers an x86-64 instruction reads and writes, by its opcode.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A (opcode maps).
 */
#include "symbols/flow/operands.h"

#include "symbols/flow/memory_size.h"
#include "symbols/processor/x86_64.h"

#define ALL UINT64_MAX

enum { WORD = 8 };

uint64_t sym_general_register(uint8_t machine)
{
  static const uint8_t numbers[8] = {SYM_RAX, SYM_RCX, SYM_RDX, SYM_RBX, SYM_RSP, SYM_RBP, SYM_RSI, SYM_RDI};
  return machine < 8 ? UINT64_C(1) << numbers[machine] : machine < 16 ? UINT64_C(1) << machine : 0;
}

uint64_t sym_vector_register(uint8_t machine)
{
  return machine < 16 ? UINT64_C(1) << (SYM_XMM0 + machine) : 0;
}

/* What the two operands of ModRM are: `rm` is 0 where it is memory. */
struct pair {
  uint64_t reg, rm;
  bool is_same; /* both are one register: xor, sub and their like then make a constant of whatever it holds */
};

static struct pair general_pair(const struct sym_instruction *instruction, bool is_byte)
{
  /* Without REX the byte registers 4 to 7 are the second bytes of the first four. */
  const bool has_high = is_byte && !instruction->has_rex;
  const uint8_t reg = has_high && instruction->reg < 8 ? instruction->reg & 3 : instruction->reg;
  const uint8_t rm = has_high && instruction->rm < 8 ? instruction->rm & 3 : instruction->rm;
  return (struct pair){sym_general_register(reg), instruction->is_memory ? 0 : sym_general_register(rm),
                       !instruction->is_memory && instruction->reg == instruction->rm};
}

static struct pair vector_pair(const struct sym_instruction *instruction)
{
  return (struct pair){sym_vector_register(instruction->reg),
                       instruction->is_memory ? 0 : sym_vector_register(instruction->rm),
                       !instruction->is_memory && instruction->reg == instruction->rm};
}

/* The registers of the address, of an operand in memory. */
static uint64_t address_registers(const struct sym_instruction *instruction)
{
  uint64_t registers = 0;
  if (instruction->base != SYM_NO_REGISTER && instruction->base != SYM_RIP_REGISTER)
    registers |= sym_general_register(instruction->base);
  /* Of gathers and scatters the index is a vector. */
  const uint8_t opcode = instruction->opcode;
  const bool is_vector = instruction->is_vex && instruction->map == SYM_MAP_0F38 &&
                         ((opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0xa0 && opcode <= 0xa3));
  if (instruction->index != SYM_NO_REGISTER && !is_vector)
    registers |= sym_general_register(instruction->index);
  return registers;
}

static void both(struct sym_operands *operands, uint64_t reads, uint64_t writes)
{
  operands->reads |= reads;
  operands->writes |= writes;
}

/* Opcodes below 40: eight operations (add or adc sbb and sub xor cmp) in six forms each. */
static void arithmetic(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const unsigned operation = instruction->opcode >> 3, form = instruction->opcode & 7;
  const struct pair pair = general_pair(instruction, !(form & 1));
  const bool makes_constant = pair.is_same && (operation == 3 || operation == 5 || operation == 6);
  if (form > 3)
    both(operands, UINT64_C(1) << SYM_RAX, UINT64_C(1) << SYM_RAX);
  else
    both(operands, makes_constant ? 0 : pair.reg | pair.rm, operation == 7 ? 0 : form < 2 ? pair.rm : pair.reg);
}

/* 80, 81 and 83: the same with a constant. An `or` with all ones and an `and` with none set a register. */
static void arithmetic_immediate(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const unsigned operation = instruction->reg & 7;
  const uint64_t rm = general_pair(instruction, instruction->opcode == 0x80).rm;
  const bool sets = (operation == 1 && instruction->immediate == -1) || (operation == 4 && instruction->immediate == 0);
  both(operands, sets ? 0 : rm, operation == 7 ? 0 : rm);
}

/* f6 and f7: test, not, neg, mul, imul, div, idiv; fe and ff: inc, dec, call, jmp, push. */
static void group(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const unsigned operation = instruction->reg & 7;
  const uint64_t rm = general_pair(instruction, !(instruction->opcode & 1)).rm;
  const bool is_wide = instruction->opcode < 0xfe && operation > 3;
  const uint64_t changed = instruction->opcode < 0xfe ? operation == 2 || operation == 3 : operation < 2;
  both(operands, rm, (changed ? rm : 0) | (is_wide ? UINT64_C(1) << SYM_RAX | UINT64_C(1) << SYM_RDX : 0));
}

/* d8 to df work on the x87's stack: fnstsw alone writes a general register. */
static void x87(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const unsigned operation = instruction->reg & 7, opcode = instruction->opcode;
  operands->stores = (opcode == 0xd9 && operation > 1 && operation != 4 && operation != 5) ||
                     ((opcode == 0xdd || opcode == 0xdf || opcode == 0xdb) && operation > 0 && operation != 4 &&
                      !(opcode != 0xdd && operation == 5));
  if (!instruction->is_memory && opcode == 0xdf)
    operands->writes |= UINT64_C(1) << SYM_RAX;
}

/* Opcodes without ModRM, some with a register in their low bits. False: it is none of them. */
static bool short_form(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode;
  const uint64_t reg = sym_general_register(instruction->rm), rax = UINT64_C(1) << SYM_RAX,
                 rcx = UINT64_C(1) << SYM_RCX;
  const uint64_t rsi = UINT64_C(1) << SYM_RSI, rdi = UINT64_C(1) << SYM_RDI;
  if (opcode >= 0x50 && opcode <= 0x57) /* `push %rax` makes room */
    both(operands, reg & ~rax, 0);
  else if ((opcode >= 0x58 && opcode <= 0x5f) || (opcode >= 0xb0 && opcode <= 0xbf))
    both(operands, 0, opcode < 0xb8 && opcode >= 0xb0 ? reg | sym_general_register(instruction->rm & 3) : reg);
  else if (opcode >= 0x90 && opcode <= 0x97)
    both(operands, 0, opcode == 0x90 && !instruction->has_rex ? 0 : reg | rax);
  else if (opcode == 0x98 || opcode == 0x99)
    both(operands, rax, opcode == 0x98 ? rax : UINT64_C(1) << SYM_RDX);
  else if (opcode == 0xa4 || opcode == 0xa5)
    both(operands, rsi | rdi, rsi | rdi | rcx);
  else if (opcode == 0xaa || opcode == 0xab)
    both(operands, rdi | rax, rdi | rcx);
  else
    return (opcode & 0xf0) == 0x70 || opcode == 0x68 || opcode == 0x6a || opcode == 0xa8 || opcode == 0xa9 ||
           opcode == 0xc2 || opcode == 0xc3 || opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb;
  return true;
}

static void one_byte(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode;
  const struct pair pair = general_pair(instruction, opcode == 0x84 || opcode == 0x88 || opcode == 0x8a);
  if (opcode < 0x40) {
    arithmetic(instruction, operands);
    return;
  }
  if (opcode >= 0xd8 && opcode <= 0xdf) {
    x87(instruction, operands);
    return;
  }
  switch (opcode) {
  case 0x63:
  case 0x69:
  case 0x6b:
  case 0x8a:
  case 0x8b:
    both(operands, pair.rm, pair.reg);
    return;
  case 0x80:
  case 0x81:
  case 0x83:
    arithmetic_immediate(instruction, operands);
    return;
  case 0x84:
  case 0x85:
    both(operands, pair.reg | pair.rm, 0);
    return;
  case 0x88:
  case 0x89:
    operands->stores = instruction->is_memory;
    both(operands, pair.reg, pair.rm);
    return;
  case 0x8d:
    both(operands, 0, pair.reg);
    return;
  case 0xc0:
  case 0xc1:
  case 0xd0:
  case 0xd1:
  case 0xd2:
  case 0xd3: {
    const uint64_t rm = general_pair(instruction, !(opcode & 1)).rm;
    both(operands, rm, rm);
    return;
  }
  case 0xc6:
  case 0xc7:
    operands->stores = instruction->is_memory;
    both(operands, 0, general_pair(instruction, opcode == 0xc6).rm);
    return;
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    group(instruction, operands);
    return;
  default:
    if (!short_form(instruction, operands))
      operands->writes = ALL;
  }
}

/* Opcodes after 0f of which at least one operand is a general register. False: it is none of them. */
static bool two_byte_general(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode;
  const struct pair general_operands =
      general_pair(instruction, (opcode & 0xf0) == 0x90 || opcode == 0xb6 || opcode == 0xbe || opcode == 0xc0);
  const struct pair wide = general_pair(instruction, false), vectors = vector_pair(instruction);
  if (opcode >= 0x40 && opcode <= 0x4f) {
    both(operands, wide.reg | wide.rm, wide.reg);
    return true;
  }
  if (opcode >= 0x90 && opcode <= 0x9f) {
    operands->stores = instruction->is_memory;
    both(operands, 0, general_operands.rm);
    return true;
  }
  if (opcode >= 0xc8 && opcode <= 0xcf) { /* bswap */
    const uint64_t reg = sym_general_register(instruction->rm);
    both(operands, reg, reg);
    return true;
  }
  switch (opcode) {
  case 0x2a:
  case 0x6e:
  case 0xc4:
    both(operands, wide.rm, vectors.reg);
    return true;
  case 0x2c:
  case 0x2d:
  case 0x50:
  case 0xc5:
  case 0xd7:
    both(operands, vectors.rm, wide.reg);
    return true;
  case 0x7e:
    if (instruction->prefix == 0xf3) /* between vectors */
      return false;
    operands->stores = instruction->is_memory;
    both(operands, vectors.reg, wide.rm);
    return true;
  case 0xa3:
    both(operands, wide.reg | wide.rm, 0);
    return true;
  case 0xa4:
  case 0xa5:
  case 0xab:
  case 0xac:
  case 0xad:
  case 0xb3:
  case 0xbb:
    both(operands, wide.reg | wide.rm, wide.rm);
    return true;
  case 0xaf:
    both(operands, wide.reg | wide.rm, wide.reg);
    return true;
  case 0xb6:
  case 0xb7:
  case 0xb8:
  case 0xbc:
  case 0xbd:
  case 0xbe:
  case 0xbf:
    both(operands, general_operands.rm, wide.reg);
    return true;
  case 0xba:
    both(operands, wide.rm, wide.rm);
    return true;
  case 0xc0:
  case 0xc1:
    both(operands, general_operands.reg | general_operands.rm, wide.reg | wide.rm);
    return true;
  case 0xc3:
    operands->stores = true;
    both(operands, wide.reg, 0);
    return true;
  default:
    return false;
  }
}

static bool is_vector_store(const struct sym_instruction *instruction)
{
  switch (instruction->opcode) {
  case 0x11:
  case 0x13:
  case 0x17:
  case 0x29:
  case 0x2b:
  case 0x7f:
  case 0xd6:
  case 0xe7:
    return true;
  default:
    return false;
  }
}

/* Opcodes that make a constant of a register with itself. */
static bool is_vector_constant(uint8_t opcode)
{
  return opcode == 0x55 || opcode == 0x57 || (opcode >= 0x74 && opcode <= 0x76) || opcode == 0xdf || opcode == 0xef ||
         (opcode >= 0x64 && opcode <= 0x66) || (opcode >= 0xf8 && opcode <= 0xfb);
}

/* Opcodes after 0f on vectors alone. */
static void two_byte_vector(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode;
  const struct pair pair = vector_pair(instruction);
  const uint64_t third = instruction->is_vex ? sym_vector_register(instruction->vvvv) : 0;
  const bool is_arithmetic =
      opcode == 0x54 || opcode == 0x56 || opcode == 0x58 || opcode == 0x59 || (opcode >= 0x5c && opcode <= 0x5f);
  if (is_vector_store(instruction)) {
    operands->stores = instruction->is_memory;
    both(operands, pair.reg, pair.rm);
  } else if (opcode == 0x2e || opcode == 0x2f) {
    both(operands, pair.reg | pair.rm, 0);
  } else if (opcode >= 0x71 && opcode <= 0x73) {
    both(operands, pair.rm, pair.rm | third);
  } else if (pair.is_same && is_vector_constant(opcode)) {
    both(operands, 0, pair.reg | third);
  } else {
    /* What else VEX names need not be looked at: conversions and roots take any register there. */
    both(operands, pair.rm | (!is_arithmetic ? 0 : instruction->is_vex ? third : pair.reg), pair.reg | third);
  }
}

static void two_byte(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode;
  const bool has_masks = instruction->is_vex && (opcode < 0x10 || (opcode >= 0x40 && opcode <= 0x4f) ||
                                                 (opcode >= 0x90 && opcode <= 0x9f) || opcode == 0x77);
  const bool is_vector = (opcode >= 0x10 && opcode <= 0x17) || opcode == 0x28 || opcode == 0x29 || opcode == 0x2b ||
                         opcode == 0x2e || opcode == 0x2f || (opcode >= 0x51 && opcode <= 0x7f && opcode != 0x77) ||
                         opcode == 0xc2 || opcode == 0xc6 || opcode >= 0xd0;
  if (has_masks)
    operands->writes = ALL;
  else if (two_byte_general(instruction, operands))
    return;
  else if (is_vector)
    two_byte_vector(instruction, operands);
  else if ((opcode & 0xf0) != 0x80) /* conditional jumps */
    operands->writes = ALL;
}

/* Opcodes after 0f 38 and 0f 3a that write memory: movbe, masked moves, and those that take an element out. */
static bool stores_element(const struct sym_instruction *instruction)
{
  const uint8_t opcode = instruction->opcode;
  if (instruction->map == SYM_MAP_0F3A)
    return (opcode >= 0x14 && opcode <= 0x17) || opcode == 0x19 || opcode == 0x1d || opcode == 0x39;
  return opcode == 0x2e || opcode == 0x2f || opcode == 0x8e || (opcode == 0xf1 && instruction->prefix != 0xf2);
}

/* Opcodes after 0f 38 and 0f 3a: vectors, but for those of BMI, ADX, MOVBE, CRC32 and those that move an element. */
static void three_byte(const struct sym_instruction *instruction, struct sym_operands *operands)
{
  const uint8_t opcode = instruction->opcode;
  const bool has_immediate = instruction->map == SYM_MAP_0F3A, is_vex = instruction->is_vex;
  const struct pair wide = general_pair(instruction, false), vectors = vector_pair(instruction);
  const uint64_t third = is_vex ? sym_general_register(instruction->vvvv) : 0,
                 vector_third = is_vex ? sym_vector_register(instruction->vvvv) : 0;
  const bool is_bmi = is_vex && (has_immediate ? opcode == 0xf0 : opcode >= 0xf2 && opcode <= 0xf7);
  operands->stores = instruction->is_memory && stores_element(instruction);
  if (is_bmi && !has_immediate && opcode == 0xf3) /* ModRM.reg is a part of the opcode */
    both(operands, wide.rm, third);
  else if (is_bmi && !has_immediate && opcode == 0xf6)
    both(operands, wide.rm | UINT64_C(1) << SYM_RDX, wide.reg | third);
  else if (is_bmi)
    both(operands, wide.rm | (has_immediate ? 0 : third), wide.reg);
  else if (!has_immediate && opcode >= 0xf0)
    both(operands, 0, wide.reg | wide.rm);
  else if (has_immediate && opcode >= 0x14 && opcode <= 0x17) /* an element is taken out */
    both(operands, vectors.reg, wide.rm);
  else if (has_immediate && (opcode == 0x20 || opcode == 0x22)) /* one is put in */
    both(operands, wide.rm, vectors.reg);
  else if (has_immediate && opcode >= 0x18 && opcode <= 0x21)
    both(operands, 0, vectors.rm | vectors.reg);
  else
    both(operands, 0, vectors.reg | vectors.rm | vector_third | sym_vector_register(0) | UINT64_C(1) << SYM_RCX);
}

struct sym_operands sym_operands_of(const struct sym_instruction *instruction)
{
  struct sym_operands operands = {.has_memory = instruction->has_modrm && instruction->is_memory};
  const bool is_no_op = !instruction->is_vex && instruction->map == SYM_MAP_0F &&
                        (instruction->opcode == 0x0d || (instruction->opcode >= 0x18 && instruction->opcode <= 0x1f));
  if (is_no_op)
    return (struct sym_operands){0};
  if (instruction->is_evex)
    operands.writes = ALL;
  else if (instruction->map == SYM_MAP_ONE_BYTE)
    one_byte(instruction, &operands);
  else if (instruction->map == SYM_MAP_0F)
    two_byte(instruction, &operands);
  else
    three_byte(instruction, &operands);
  if (operands.has_memory) {
    operands.reads |= address_registers(instruction);
    operands.stores |= operands.writes == ALL;
    operands.size = operands.writes == ALL ? SYM_MEMORY_MOST
                    : operands.stores      ? sym_memory_stored(instruction)
                                           : sym_memory_read(instruction);
  }
  return operands;
}

bool sym_moves_stack(const struct sym_instruction *instruction, const struct sym_operands *operands, int64_t *by)
{
  const uint8_t opcode = instruction->opcode, operation = instruction->reg & 7;
  const bool is_one_byte = instruction->map == SYM_MAP_ONE_BYTE && !instruction->is_vex;
  const bool names = operands->writes >> SYM_RSP & 1;
  *by = INT64_MIN;
  if (!is_one_byte)
    return names;
  if ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c ||
      (opcode == 0xff && operation == 6))
    *by = -WORD;
  else if ((opcode >= 0x58 && opcode <= 0x5f && !names) || opcode == 0x9d || opcode == 0x8f)
    *by = WORD;
  else if (names && (opcode == 0x81 || opcode == 0x83) && !instruction->is_memory &&
           instruction->operand_size == WORD && (operation == 0 || operation == 5))
    *by = operation == 0 ? instruction->immediate : -instruction->immediate;
  return names || *by != INT64_MIN || opcode == 0xc8 || opcode == 0xc9;
}
