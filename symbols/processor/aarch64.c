/*
 * aarch64: the registers of its procedure call standard (AAPCS64), and calls and stubs by their instructions.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4 (encoding) and C6 (instructions).
 */
#include <elf.h>

#include "symbols/processor/aarch64_code.h"

enum { SIZE = 4 /* of every instruction */ };

#define BITS(first, last) ((uint32_t)(((uint64_t)1 << ((last) + 1)) - ((uint64_t)1 << (first))))

/* bl. */
static bool call_at(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way)
{
  uint32_t word;
  if (!sym_aarch64_word(code, at, &word) || !sym_aarch64_is_bl(word))
    return false;
  *way = (struct sym_code_way){.size = SIZE, .target = sym_aarch64_branch(word, code->address + at)};
  return true;
}

static bool call_before(const struct sym_code_bytes *code, size_t end, unsigned reading, struct sym_code_way *way)
{
  *way = (struct sym_code_way){0};
  if (reading || end < SIZE)
    return false;
  call_at(code, end - SIZE, way);
  return true;
}

/* adrp x16, slot; ldr x17, [x16, #slot]; add x16, x16, #slot; br x17: with bti c before it in modules for branch
 * targets, and the add where the linker left it out. */
static bool stub_body(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way)
{
  uint32_t adrp, ldr, word;
  if (!sym_aarch64_word(code, at, &adrp) || (adrp & 0x9f00001f) != 0x90000010 ||
      !sym_aarch64_word(code, at + SIZE, &ldr) || (ldr & 0xffc003ff) != 0xf9400211)
    return false;
  size_t end = at + 2 * SIZE;
  if (sym_aarch64_word(code, end, &word) && (word & 0xffc003ff) == 0x91000210)
    end += SIZE;
  if (!sym_aarch64_word(code, end, &word) || word != 0xd61f0220)
    return false;
  *way = (struct sym_code_way){.size = end + SIZE - at,
                               .slot = sym_aarch64_page(adrp, code->address + at) + (ldr >> 10 & 0xfff) * 8u};
  return true;
}

static bool has_bti(const struct sym_code_bytes *code, size_t at)
{
  uint32_t word;
  return sym_aarch64_word(code, at, &word) && word == 0xd503245f;
}

static bool stub_at(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way)
{
  return stub_body(code, has_bti(code, at) ? at + SIZE : at, way);
}

static bool stub_around(const struct sym_code_bytes *code, size_t at, size_t *start, struct sym_code_way *way)
{
  *start = at >= SIZE && has_bti(code, at - SIZE) ? at - SIZE : at;
  return stub_body(code, at, way);
}

static const char *const registers[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
                                        "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
                                        "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"};

const struct sym_processor sym_aarch64 = {
    .machine = EM_AARCH64,
    .registers = registers,
    .register_count = 32,
    .vector = "d",
    .first_vector = 64,
    .vectors = 32,
    .stack_pointer = 31,
    .link = 30,
    .entry_cfa = 0,
    .callee_saved = BITS(19, 29),
    .lost_at_call = BITS(0, 1) | BITS(16, 17) | BITS(30, 30), /* a stub may use x16 and x17 */
    .lost_at_first_call = BITS(9, 18),
    .jump_slot = R_AARCH64_JUMP_SLOT,
    .glob_dat = R_AARCH64_GLOB_DAT,
    .step = SIZE,
    .has_flow = false,
    .function_register = 0,
    .call_at = call_at,
    .call_before = call_before,
    .stub_at = stub_at,
    .stub_around = stub_around,
};
