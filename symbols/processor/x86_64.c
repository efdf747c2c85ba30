/*
 * x86-64: the System V ABI's registers, and calls and stubs by their bytes.
 */
#include "symbols/processor/x86_64.h"

#include <elf.h>
#include <string.h>

enum {
  DIRECT_SIZE = 5, /* e8 rel32 */
  SLOT_SIZE = 6    /* ff 15 rel32, ff 25 rel32 */
};

#define BIT(reg) (1u << (reg))

/* What the four bytes of displacement at offset `at` lead to: they are relative to the byte after them. */
static uint64_t target_of(const struct sym_code_bytes *code, size_t at)
{
  int32_t displacement;
  memcpy(&displacement, code->bytes + at, sizeof displacement);
  return code->address + at + sizeof displacement + (uint64_t)(int64_t)displacement;
}

static bool is_direct(const struct sym_code_bytes *code, size_t at)
{
  return at + DIRECT_SIZE <= code->size && code->bytes[at] == 0xe8;
}

static bool is_through_slot(const struct sym_code_bytes *code, size_t at, uint8_t modrm)
{
  return at + SLOT_SIZE <= code->size && code->bytes[at] == 0xff && code->bytes[at + 1] == modrm;
}

static bool call_at(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way)
{
  if (is_direct(code, at))
    *way = (struct sym_code_way){.size = DIRECT_SIZE, .target = target_of(code, at + 1)};
  else if (is_through_slot(code, at, 0x15))
    *way = (struct sym_code_way){.size = SLOT_SIZE, .slot = target_of(code, at + 2)};
  else
    return false;
  return true;
}

/* Bytes do not tell where the instruction before them began: first one through a slot, then one that is direct. */
static bool call_before(const struct sym_code_bytes *code, size_t end, unsigned reading, struct sym_code_way *way)
{
  size_t size = reading ? DIRECT_SIZE : SLOT_SIZE;
  *way = (struct sym_code_way){0};
  if (reading > 1)
    return false;
  if (end >= size && (reading ? is_direct(code, end - size) : is_through_slot(code, end - size, 0x15)))
    call_at(code, end - size, way);
  return true;
}

static bool has_endbr64(const uint8_t *at)
{
  static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  return memcmp(at, endbr64, sizeof endbr64) == 0;
}

/* A stub is `jmp *slot(%rip)`, with a bnd prefix or an endbr64 or both before it in modules for indirect branch
 * tracking; calls go to its first byte. */
static bool stub_at(const struct sym_code_bytes *code, size_t at, struct sym_code_way *way)
{
  size_t start = at;
  if (at + 4 <= code->size && has_endbr64(code->bytes + at))
    at += 4;
  if (at < code->size && code->bytes[at] == 0xf2)
    at++;
  if (!is_through_slot(code, at, 0x25))
    return false;
  *way = (struct sym_code_way){.size = at + SLOT_SIZE - start, .slot = target_of(code, at + 2)};
  return true;
}

static bool stub_around(const struct sym_code_bytes *code, size_t at, size_t *start, struct sym_code_way *way)
{
  if (!is_through_slot(code, at, 0x25))
    return false;
  *way = (struct sym_code_way){.slot = target_of(code, at + 2)};
  *start = at;
  if (*start >= 1 && code->bytes[*start - 1] == 0xf2)
    --*start;
  if (*start >= 4 && has_endbr64(code->bytes + *start - 4))
    *start -= 4;
  return true;
}

static const char *const registers[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

const struct sym_processor sym_x86_64 = {
    .machine = EM_X86_64,
    .registers = registers,
    .register_count = 16,
    .vector = "xmm",
    .first_vector = SYM_XMM0,
    .vectors = 16,
    .stack_pointer = SYM_RSP,
    .link = 16,
    .entry_cfa = 8,
    .callee_saved = BIT(SYM_RBX) | BIT(SYM_RBP) | BIT(SYM_R12) | BIT(13) | BIT(14) | BIT(SYM_R15),
    .lost_at_call = BIT(SYM_RSI) | BIT(SYM_RDI),
    .lost_at_first_call = BIT(SYM_RAX) | BIT(SYM_R10) | BIT(SYM_R11),
    .jump_slot = R_X86_64_JUMP_SLOT,
    .glob_dat = R_X86_64_GLOB_DAT,
    .step = 1,
    .has_flow = true,
    .function_register = 7, /* rdi, as instructions number it */
    .call_at = call_at,
    .call_before = call_before,
    .stub_at = stub_at,
    .stub_around = stub_around,
};
