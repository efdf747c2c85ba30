/*
 * Sleds in the text of a program: recognised and switched.
 *
 * The last store of a switch is one aligned word that holds the first bytes of the sled: 8 bytes of gcc's shapes, of
 * which the five that change lie inside one, and 2 bytes of the shapes of clang, whose first instruction (a jump over
 * the rest, or a return) keeps threads from what is written before. AMD's manual (volume 2, 7.6.1) promises that a
 * thread that runs there sees an aligned quadword that is stored at once as it was or as it is; on Intel's processors
 * XRay and the kernel's predecessors of text_poke have relied on the same. On the way back the rest of clang's sleds is
 * left as it is, since a thread may still return into it.
 */
#include "profiler/arch/x86_64/sled_text/sled_text.h"

#include "format/sled.h"
#include "format/sled_idle.h"

#define OPCODE_JUMP 0xe9u
#define OPCODE_RET  0xc3u

/* Of each shape: its first bytes while off, how many of them to look at, and what follows the call while on. */
static const struct shape {
  uint8_t tested;
  uint8_t off[5];
  uint8_t rest[6];
} shapes[] = {
    [FMT_SLED_SHAPE_NOP5] = {5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, {0}},
    [FMT_SLED_SHAPE_JUMP11] = {2, {0xeb, 0x09}, {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}},
    [FMT_SLED_SHAPE_RETURN11] = {2, {0xc3, 0x2e}, {0xc3, 0x66, 0x0f, 0x1f, 0x40, 0x00}},
    [FMT_SLED_SHAPE_RETURN6] = {5, {OPCODE_RET, 0x0f, 0x1f, 0x40, 0x00}, {OPCODE_RET}},
};

static bool begins_with(const uint8_t *text, const uint8_t *bytes, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    if (text[i] != bytes[i])
      return false;
  return true;
}

/* An instruction of five bytes at `address`, whose last four say how far it is to `target`. */
static void make_branch(uint8_t code[FMT_SLED_CALL], uint8_t opcode, uintptr_t address, uintptr_t target)
{
  uint32_t distance = (uint32_t)(target - address - FMT_SLED_CALL);
  code[0] = opcode;
  for (unsigned i = 0; i < 4; i++)
    code[1 + i] = (uint8_t)(distance >> 8 * i);
}

/* The target of the call that lies there, or of the one that was taken out; 0: there is none. */
static uintptr_t target_of(uintptr_t address, unsigned shape, bool *idle)
{
  return (uintptr_t)fmt_sled_target(address, (const uint8_t *)address, (uint8_t)shape, idle);
}

bool prof_sled_is(uintptr_t address, unsigned shape, uintptr_t target)
{
  const uint8_t *text = (const uint8_t *)address;
  uint8_t call[FMT_SLED_CALL];
  bool idle;
  if (!fmt_sled_is_aligned(address, (uint8_t)shape))
    return false;
  if (shape == FMT_SLED_SHAPE_RETURN6 && text[FMT_SLED_CALL] != OPCODE_RET)
    return false;
  make_branch(call, FMT_SLED_OPCODE_CALL, address, target);
  return begins_with(text, shapes[shape].off, shapes[shape].tested) || begins_with(text, call, sizeof call) ||
         (target && target_of(address, shape, &idle) == target);
}

uintptr_t prof_sled_called(uintptr_t address, unsigned shape)
{
  bool idle;
  const uintptr_t target = target_of(address, shape, &idle);
  return target && prof_sled_is(address, shape, target) ? target : 0;
}

bool prof_sled_is_idle(uintptr_t address, unsigned shape)
{
  bool idle;
  return target_of(address, shape, &idle) && idle;
}

bool prof_sled_is_call(const uint8_t text[FMT_SLED_CALL], unsigned shape)
{
  return text[0] == FMT_SLED_OPCODE_CALL ||
         (text[0] == fmt_sled_idle_opcode((uint8_t)shape) && !fmt_sled_is_compilers(text, (uint8_t)shape));
}

static void store_word(uintptr_t address, const uint8_t first[5])
{
  uint64_t *word = (uint64_t *)(address & ~(uintptr_t)7);
  uint64_t bytes = *word;
  for (unsigned i = 0; i < 5; i++)
    ((uint8_t *)&bytes)[address % 8 + i] = first[i];
  __atomic_store_n(word, bytes, __ATOMIC_RELEASE);
}

void prof_sled_switch(uintptr_t address, unsigned shape, uintptr_t target)
{
  const struct shape *known = &shapes[shape];
  uint8_t *text = (uint8_t *)address;
  uint8_t call[FMT_SLED_CALL];
  make_branch(call, FMT_SLED_OPCODE_CALL, address, target);
  const uint8_t *first = target ? call : known->off;
  if (shape == FMT_SLED_SHAPE_NOP5 || shape == FMT_SLED_SHAPE_RETURN6) {
    store_word(address, first);
    return;
  }
  if (target) {
    /* A thread that came through the call before and has not returned finds the same bytes behind it. */
    for (unsigned i = 2; i < FMT_SLED_CALL; i++)
      __atomic_store_n(&text[i], call[i], __ATOMIC_RELAXED);
    for (unsigned i = 0; i < sizeof known->rest; i++)
      __atomic_store_n(&text[FMT_SLED_CALL + i], known->rest[i], __ATOMIC_RELAXED);
  }
  __atomic_store_n((uint16_t *)address, (uint16_t)(first[0] | first[1] << 8), __ATOMIC_RELEASE);
}

bool prof_text_is_empty_function(uintptr_t address)
{
  const uint8_t *text = (const uint8_t *)address;
  static const uint8_t marked[] = {0xf3, 0x0f, 0x1e, 0xfa, OPCODE_RET}; /* endbr64; ret */
  if (address % 8 > 3)
    return false;
  unsigned equal = 0;
  while (equal < sizeof marked && text[equal] == marked[equal])
    equal++;
  if (equal == sizeof marked)
    return true;
  if (text[0] != OPCODE_RET)
    return false;
  /* What compilers and assemblers put between functions: int3, nop, or the no-ops of several bytes. */
  return text[1] == 0xcc || text[1] == 0x90 || text[1] == 0x66 || (text[1] == 0x0f && text[2] == 0x1f);
}

void prof_text_jump(uintptr_t address, uintptr_t target)
{
  uint8_t jump[FMT_SLED_CALL];
  make_branch(jump, OPCODE_JUMP, address, target);
  store_word(address, jump);
}
