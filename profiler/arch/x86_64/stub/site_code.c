/*
 * Machine code for calls of one shape: finds the edge of a call of a sled, compares its arguments, and opens the frame.
 *
 * The edge is looked for in the thread's table by a hash of the caller's edge, the site and the arguments, so that
 * calls whose arguments alternate are found as surely as those that repeat them. What lies there is verified in full:
 * mode, in which the site is, caller, and every argument. The stub has saved r11 in the red zone, and left its link
 * there; rax, rcx, rdx and r10 are saved too, and used: rax for the hash and then the edge, rcx for the caller's edge,
 * rdx for values and then the innermost frame, r10 for the control block. The rest of the registers is where the ABI
 * has the arguments, and is only read.
 *
 * A call that is not timed is counted here and now: its exit has nothing to do but to take the frame off.
 */
#include "profiler/arch/x86_64/stub/stub.h"

#include "profiler/arch/primitives.h"
#include "profiler/base/process.h"
#include "profiler/hook/asm_offsets.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/stack/thread.h"

/* Registers, as instructions number them. */
enum { RAX = 0, RCX = 1, RDX = 2, RSP = 4, R10 = 10, R11 = 11 };

/* Of the registers as DWARF numbers them. */
static const uint8_t encoded[16] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

#define MAX_MISSES  80u
#define SITE_FACTOR 0x85EBCA6Bu /* odd, so that the sites of a caller lie apart */

struct writer {
  uint8_t *start, *next, *end;
  bool failed;
  uint8_t *misses[MAX_MISSES]; /* rel32 of jumps to where the hook takes over */
  uint32_t miss_count;
};

static void byte(struct writer *w, unsigned value)
{
  if (w->next < w->end)
    *w->next++ = (uint8_t)value;
  else
    w->failed = true;
}

static void word(struct writer *w, uint32_t value)
{
  for (unsigned i = 0; i < 4; i++)
    byte(w, value >> 8 * i);
}

static void bytes(struct writer *w, const uint8_t *data, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    byte(w, data[i]);
}
#define BYTES(w, ...) bytes((w), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* An instruction of one or two opcode bytes with a register and [base + offset]; `size` is that of its operands. */
static void memory(struct writer *w, unsigned size, unsigned opcode, unsigned reg, unsigned base, int32_t offset)
{
  if (size == 2)
    byte(w, 0x66);
  unsigned rex = 0x40u | (size == 8 ? 8u : 0) | (reg & 8 ? 4u : 0) | (base & 8 ? 1u : 0);
  if (rex != 0x40 || (size == 1 && reg >= 4))
    byte(w, rex);
  if (opcode > 0xff)
    byte(w, opcode >> 8);
  byte(w, opcode & 0xff);
  bool is_short = offset == (int8_t)offset;
  byte(w, (is_short ? 0x40u : 0x80u) | (reg & 7) << 3 | (base & 7));
  if ((base & 7) == RSP)
    byte(w, 0x24);
  if (is_short)
    byte(w, (uint8_t)offset);
  else
    word(w, (uint32_t)offset);
}

/* The same with a second register in place of memory. */
static void registers(struct writer *w, unsigned size, unsigned opcode, unsigned reg, unsigned other)
{
  if (size == 2)
    byte(w, 0x66);
  unsigned rex = 0x40u | (size == 8 ? 8u : 0) | (reg & 8 ? 4u : 0) | (other & 8 ? 1u : 0);
  if (rex != 0x40 || (size == 1 && (reg >= 4 || other >= 4)))
    byte(w, rex);
  if (opcode > 0xff)
    byte(w, opcode >> 8);
  byte(w, opcode & 0xff);
  byte(w, 0xc0u | (reg & 7) << 3 | (other & 7));
}

#define LOAD(w, reg, base, offset)  memory((w), 8, 0x8b, (reg), (base), (offset))
#define STORE(w, reg, base, offset) memory((w), 8, 0x89, (reg), (base), (offset))

/* jcc to where the hook takes over; `condition` is the low half of its opcode. */
static void miss_if(struct writer *w, unsigned condition)
{
  BYTES(w, 0x0f, (uint8_t)(0x80 | condition));
  if (w->miss_count < MAX_MISSES)
    w->misses[w->miss_count++] = w->next;
  else
    w->failed = true;
  word(w, 0);
}
enum { NOT_BELOW = 3, EQUAL = 4, NOT_EQUAL = 5, NOT_ABOVE = 6, NEGATIVE = 8 };

static int32_t saved(unsigned dwarf)
{
  return -(int32_t)PROF_R_SIZE + 8 * (int32_t)dwarf;
}

static unsigned size_of(const struct prof_fast_compare_op *op)
{
  switch (op->kind) {
  case PROF_COMPARE_FRAME8:
  case PROF_COMPARE_FRAME_NULL:
    return 8;
  case PROF_COMPARE_FRAME4:
    return 4;
  case PROF_COMPARE_FRAME2:
    return 2;
  case PROF_COMPARE_FRAME1:
    return 1;
  default:
    return 8 - op->shift / 8u;
  }
}

static bool is_frame(const struct prof_fast_compare_op *op)
{
  return op->kind >= PROF_COMPARE_FRAME8 && op->kind <= PROF_COMPARE_FRAME_NULL;
}

/* May code compare it? */
static bool is_known(const struct prof_fast_compare_op *op)
{
  if (op->kind == PROF_COMPARE_SKIP)
    return true;
  /* rax, r10 and r11 are the code's own. */
  if (op->reg > 15 || op->reg == 0 || op->reg == 10 || op->reg == 11)
    return false;
  if (is_frame(op))
    return true;
  unsigned size = size_of(op);
  bool whole = op->shift % 8 == 0 && (size == 8 || size == 4 || size == 2 || size == 1);
  return op->reg != 7 && (op->kind == PROF_COMPARE_REG_NULL ||
                          ((op->kind == PROF_COMPARE_REG || op->kind == PROF_COMPARE_LOG2) && whole));
}

/* Where the code has put the program's value of this register; its own where nothing was put away. */
static bool is_put_away(unsigned reg)
{
  return reg == RCX || reg == RDX;
}

/* The value of an op, or what of it may be compared, in a register: its own where nothing has to be done, else rdx. */
static unsigned value(struct writer *w, const struct prof_fast_compare_op *op)
{
  unsigned reg = encoded[op->reg], size = size_of(op);
  if (is_put_away(reg)) {
    LOAD(w, RDX, RSP, saved(op->reg));
    reg = RDX;
  }
  if (is_frame(op)) {
    /* The stack pointer is lower by the return address of the sled's call. */
    memory(w, size < 4 ? 4 : size,
           size == 2   ? 0x0fb7
           : size == 1 ? 0x0fb6
                       : 0x8b,
           RDX, reg, op->offset + (op->reg == 7 ? 8 : 0));
    reg = RDX;
  } else if (op->offset) {
    memory(w, 8, 0x8d, RDX, reg, op->offset);
    reg = RDX;
  }
  return reg;
}

/* rdx: the log2 bucket of a value; a negative one is left to the hook. */
static void bucket(struct writer *w, const struct prof_fast_compare_op *op)
{
  unsigned reg = value(w, op);
  if (reg != RDX)
    registers(w, 8, 0x8b, RDX, reg);
  if (op->shift) {
    BYTES(w, 0x48, 0xc1, 0xe2, op->shift);                                     /* shl rdx, shift */
    BYTES(w, 0x48, 0xc1, op->flags & FMT_OPF_SIGNED ? 0xfa : 0xea, op->shift); /* sar or shr */
  }
  if (op->flags & FMT_OPF_SIGNED) {
    registers(w, 8, 0x85, RDX, RDX);
    miss_if(w, NEGATIVE);
  }
  registers(w, 8, 0x0fbd, RDX, RDX); /* bsr */
  BYTES(w, 0x75, 0x04);              /* jnz over the next */
  BYTES(w, 0x48, 0x83, 0xca, 0xff);  /* or rdx, -1 */
  BYTES(w, 0x48, 0xff, 0xc2);        /* inc rdx */
}

/* Does the op say nothing that the hash is made of? */
static bool is_unhashed(const struct prof_fast_compare_op *op)
{
  return op->kind == PROF_COMPARE_SKIP || op->kind == PROF_COMPARE_REG_NULL || op->kind == PROF_COMPARE_FRAME_NULL;
}

/* Is the value hashed as it lies in its register, or where the code has put that? */
static bool is_hashed_in_place(const struct prof_fast_compare_op *op)
{
  return op->kind == PROF_COMPARE_REG && op->offset == 0 && size_of(op) >= 4;
}

/* rax: where the thread's table has the edge, by a hash of the caller's edge in rcx, the site and the arguments. */
static void hash(struct writer *w, const struct prof_fast_compare *compare)
{
  BYTES(w, 0x69, 0xc1); /* imul eax, ecx, factor */
  word(w, PROF_CACHE_FACTOR);
  memory(w, 4, 0x03, RAX, R11, offsetof(struct prof_site_link, hash)); /* add eax, ... */
  for (uint32_t i = 0; i < compare->count; i++) {
    const struct prof_fast_compare_op *op = &compare->ops[i];
    unsigned reg = encoded[op->reg], size = size_of(op);
    if (is_unhashed(op))
      continue;
    if (op->kind == PROF_COMPARE_LOG2) {
      bucket(w, op);
      reg = RDX;
    } else if (!is_hashed_in_place(op)) {
      reg = value(w, op);
      if (op->kind == PROF_COMPARE_REG && size < 4) {
        registers(w, size == 1 ? 1 : 4, size == 2 ? 0x0fb7 : 0x0fb6, RDX, reg); /* movzx */
        reg = RDX;
      }
    }
    if (is_hashed_in_place(op) && is_put_away(reg))
      memory(w, 4, 0x33, RAX, RSP, saved(op->reg)); /* xor eax, value */
    else
      registers(w, 4, 0x33, RAX, reg);
    BYTES(w, 0x69, 0xc0); /* imul eax, eax, factor */
    word(w, PROF_CACHE_FACTOR);
  }
  BYTES(w, 0xc1, 0xe8, PROF_CODE_SHIFT); /* shr eax */
  memory(w, 4, 0x23, RAX, R10, PROF_T_CODES_MASK);
  memory(w, 8, 0x03, RAX, R10, PROF_T_CODES); /* and, add */
}

/* Saves the scratch registers, and leaves the control block in r10 and the innermost frame's edge, which is the
 * caller's, in rcx. */
static void begin(struct writer *w)
{
  const intptr_t self = (intptr_t)&prof_self - (intptr_t)prof_thread_pointer();
  STORE(w, RAX, RSP, saved(0));
  STORE(w, RDX, RSP, saved(1));
  STORE(w, RCX, RSP, saved(2));
  STORE(w, R10, RSP, saved(10));
  BYTES(w, 0x64, 0x4c, 0x8b, 0x14, 0x25); /* mov r10, fs:[self] */
  word(w, (uint32_t)self);
  registers(w, 8, 0x85, R10, R10);
  miss_if(w, EQUAL);
  memory(w, 4, 0x83, 7, R10, PROF_T_STATE); /* cmp dword [r10 + state], ON */
  byte(w, PROF_HOOKS_ON);
  miss_if(w, NOT_EQUAL);
  LOAD(w, RCX, R10, PROF_T_TOP);
  memory(w, 8, 0x3b, RCX, R10, PROF_T_LIMIT);
  miss_if(w, NOT_BELOW);
  LOAD(w, RCX, RCX, PROF_F_EDGE);
  registers(w, 8, 0x85, RCX, RCX);
  miss_if(w, EQUAL);
}

/* Verifies that the edge in rax, which is of this site, is of this caller. */
static void verify_caller(struct writer *w)
{
  LOAD(w, RDX, RCX, PROF_E_TO);
  memory(w, 8, 0x3b, RDX, RAX, PROF_E_FROM);
  miss_if(w, NOT_EQUAL);
}

/* Verifies that the edge in rax, which is one that this code compares, is of these arguments. */
static void verify_arguments(struct writer *w, const struct prof_fast_compare *compare)
{
  int32_t place = (int32_t)compare->words;
  for (uint32_t i = 0; i < compare->count; i++, place += 8) {
    const struct prof_fast_compare_op *op = &compare->ops[i];
    if (op->kind == PROF_COMPARE_SKIP)
      continue;
    unsigned size = size_of(op), reg;
    if (op->kind == PROF_COMPARE_LOG2) {
      bucket(w, op);
      reg = RDX;
      size = 8;
    } else if (op->kind == PROF_COMPARE_REG_NULL || op->kind == PROF_COMPARE_FRAME_NULL) {
      reg = value(w, op);
      registers(w, 8, 0x85, reg, reg);
      BYTES(w, 0x0f, 0x95, 0xc2); /* setne dl */
      reg = RDX;
      size = 1;
    } else {
      reg = value(w, op);
    }
    memory(w, size, size == 1 ? 0x38 : 0x39, reg, RAX, place); /* cmp [word], value */
    miss_if(w, NOT_EQUAL);
  }
}

/* jmp to an address anywhere: through a word behind the instruction. */
static void jump(struct writer *w, void (*target)(void))
{
  BYTES(w, 0xff, 0x25, 0, 0, 0, 0);
  word(w, (uint32_t)(uintptr_t)target);
  word(w, (uint32_t)((uintptr_t)target >> 32));
}

static uint8_t *jump_if(struct writer *w, unsigned condition)
{
  BYTES(w, 0x0f, (uint8_t)(0x80 | condition));
  uint8_t *place = w->next;
  word(w, 0);
  return place;
}

static void patch(uint8_t *place, const uint8_t *target)
{
  uint32_t distance = (uint32_t)(target - (place + 4));
  for (unsigned i = 0; i < 4; i++)
    place[i] = (uint8_t)(distance >> 8 * i);
}

/* Reserves a frame, rdx: from here on a signal handler's frames go above it, which already says where it lies. */
static void reserve_frame(struct writer *w)
{
  LOAD(w, RDX, R10, PROF_T_TOP);
  memory(w, 8, 0x8d, R11, RSP, 16); /* the canonical frame address */
  memory(w, 8, 0x3b, R11, RDX, PROF_F_CFA);
  miss_if(w, NOT_BELOW);
  memory(w, 8, 0x3b, R11, R10, PROF_T_STACK_LOW);
  miss_if(w, NOT_ABOVE);
  BYTES(w, 0x48, 0x83, 0xc2, PROF_F_SIZE); /* add rdx, frame */
  STORE(w, R11, RDX, PROF_F_CFA);
  STORE(w, RDX, R10, PROF_T_TOP);
}

/* Counts the call with what is imputed to it, opens its frame, and returns. By its flags, the stack pointer, the exit
 * knows both that the frame is its own and that nothing is left to do. */
static void open_counted(struct writer *w)
{
  STORE(w, RSP, RDX, PROF_F_FLAGS);
  LOAD(w, R11, RAX, PROF_S_IMPUTED);
  memory(w, 8, 0x83, 0, RAX, PROF_E_CALLS); /* add qword, 1 */
  byte(w, 1);
  memory(w, 8, 0x01, R11, RAX, PROF_E_CALLS + 8);
  memory(w, 8, 0x01, R11, RCX, PROF_E_CHILDREN);
  memory(w, 8, 0xc7, 0, RDX, PROF_F_START);
  word(w, (uint32_t)PROF_COUNTED);
  STORE(w, RAX, RDX, PROF_F_EDGE);
  LOAD(w, RAX, RSP, saved(0));
  LOAD(w, RDX, RSP, saved(1));
  LOAD(w, RCX, RSP, saved(2));
  LOAD(w, R10, RSP, saved(10));
  LOAD(w, R11, RSP, saved(11));
  byte(w, 0xc3);
}

/* Goes on to open the frame rdx, which is reserved, of a call that is timed: at `target`. */
static void open_timed(struct writer *w, void (*target)(void))
{
  LOAD(w, R11, RAX, PROF_E_COUNTERS);
  STORE(w, R11, RDX, PROF_F_FLAGS);
  LOAD(w, RCX, RSP, saved(2));
  jump(w, target);
}

/* What the thread's mode and the edge's differ by, r11d, is for the hook. */
static void leave_to_hook(struct writer *w)
{
  LOAD(w, RDX, R10, PROF_T_TOP);
  jump(w, prof_sled_found);
}

/* The edge in rax has another mode than the link's, which is in edx. */
static void go_on_in_other_mode(struct writer *w, const struct prof_fast_compare *compare)
{
  memory(w, 4, 0x33, RDX, RAX, PROF_E_MODE);
  memory(w, 4, 0x33, RDX, R10, PROF_T_MODE);
  BYTES(w, 0x81, 0xfa); /* cmp edx, 1 << PROF_MODE_CODE_SHIFT */
  word(w, 1u << PROF_MODE_CODE_SHIFT);
  miss_if(w, NOT_BELOW); /* another site's edge may have fewer words than are compared */
  registers(w, 4, 0x8b, R11, RDX);
  verify_caller(w);
  verify_arguments(w, compare);
  leave_to_hook(w);
}

/* Jumps to where it is looked up whether the function is active now, if it ever was: while nobody has marked it the
 * call is, recursion or not, the outermost one in every group. */
static uint8_t *check_ever_active(struct writer *w)
{
  memory(w, 4, 0x8b, RDX, R11, offsetof(struct prof_site_link, active));
  BYTES(w, 0x41, 0x80, 0x7c, 0x12, PROF_T_EVER_ACTIVE, 0); /* cmp byte [r10 + rdx + ...], 0 */
  return jump_if(w, NOT_EQUAL);
}

/* There: back to `open`, or on to the hook. */
static void look_whether_active(struct writer *w, const uint8_t *open)
{
  LOAD(w, R11, RAX, PROF_E_SITE_INFO);
  LOAD(w, R11, R11, PROF_C_ACTIVE);
  memory(w, 8, 0x83, 7, R11, 0); /* cmp qword, 0 */
  byte(w, 0);
  patch(jump_if(w, EQUAL), open);
  memory(w, 4, 0x8b, R11, R10, PROF_T_MODE);
  leave_to_hook(w);
}

static void write_code(struct writer *w, const struct prof_fast_compare *compare)
{
  begin(w);
  hash(w, compare);
  STORE(w, RAX, R10, PROF_T_PENDING);
  LOAD(w, RAX, RAX, 0);
  registers(w, 8, 0x85, RAX, RAX);
  miss_if(w, EQUAL);
  memory(w, 4, 0x8b, RDX, R11, offsetof(struct prof_site_link, mode));
  memory(w, 4, 0x3b, RDX, RAX, PROF_E_MODE);
  uint8_t *other_mode = jump_if(w, NOT_EQUAL);
  verify_caller(w);
  verify_arguments(w, compare);
  uint8_t *ever_active = check_ever_active(w);
  const uint8_t *open = w->next;
  reserve_frame(w);
  if (prof_process.settings.sample_times) {
    memory(w, 4, 0xff, 1, R10, PROF_T_SAMPLE); /* dec */
    uint8_t *sample = jump_if(w, EQUAL);
    open_counted(w);
    patch(sample, w->next);
    open_timed(w, prof_sled_sample);
  } else {
    open_timed(w, prof_sled_timed);
  }
  patch(ever_active, w->next);
  look_whether_active(w, open);
  patch(other_mode, w->next);
  go_on_in_other_mode(w, compare);
  for (uint32_t i = 0; i < w->miss_count; i++)
    patch(w->misses[i], w->next);
  LOAD(w, RCX, RSP, saved(2));
  jump(w, prof_sled_miss);
}

size_t prof_site_code_write(uint8_t *target, size_t capacity, const struct prof_fast_compare *compare)
{
  struct writer writer = {.start = target, .next = target, .end = target + capacity};
  for (uint32_t i = 0; i < compare->count; i++)
    if (!is_known(&compare->ops[i]))
      return 0;
  write_code(&writer, compare);
  return writer.failed ? 0 : (size_t)(writer.next - writer.start);
}

struct prof_site_link prof_site_code_link(const uint8_t *code, const struct prof_fast_compare *compare, uint16_t number)
{
  const uint32_t sampled = prof_process.settings.sample_times ? PROF_MODE_SAMPLED : 0;
  return (struct prof_site_link){.code = (uintptr_t)code,
                                 .mode = (uint32_t)number << PROF_MODE_CODE_SHIFT | sampled |
                                         (compare->count ? PROF_MODE_OPS : 0u),
                                 .hash = number * SITE_FACTOR,
                                 .active = prof_function_place(compare->function)};
}
