/*
 * Machine code for calls of one shape: finds the edge of a call of a sled, compares its arguments, and opens the frame.
 *
 * The edge is looked for in the thread's table by a hash of the caller's edge, the site and the arguments, so that
 * calls whose arguments alternate are found as surely as those that repeat them. What lies there is verified in full:
 * mode, in which the site is, caller, and every argument. The stub has left its link in r11. Used are rax for the hash
 * and then the edge, rcx for the caller's edge and then the frame, r10 for the control block, and r11; rdx where a
 * bucket has to be worked out. What of them the program has something in is saved in the red zone, r11 by the stub. The
 * rest of the registers is where the ABI has the arguments, and is only read.
 *
 * A call that is not timed is counted here and now: its exit takes the frame off, and a leaf has none.
 */
#include <cpuid.h>

#include "format/sled.h"
#include "profiler/arch/x86_64/stub/code_writer.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/base/process.h"
#include "profiler/hook/asm_offsets.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/stack/thread.h"

/* Of the registers as DWARF numbers them. */
static const uint8_t encoded[16] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

#define MAX_MISSES  80u
#define SITE_FACTOR 0x85EBCA6Bu /* odd, so that the sites of a caller lie apart */

/* What is written, for which calls. */
struct piece {
  struct prof_code_writer w;
  const struct prof_fast_compare *compare;
  bool free;                   /* nothing is in rax, r10 and r11 */
  bool leaf;                   /* the function calls nothing */
  bool rcx_saved, rdx_saved;   /* it is the code's own here */
  bool crc;                    /* the processor has an instruction for it */
  unsigned temporary;          /* for values that are compared */
  uint8_t *misses[MAX_MISSES]; /* jumps to where the hook takes over */
  uint32_t miss_count;
};

_Static_assert(offsetof(struct prof_site_link, active) == offsetof(struct prof_site_link, mode) + 4,
               "both are loaded at once");

static void miss_if(struct piece *p, unsigned condition)
{
  uint8_t *place = prof_code_jump_if(&p->w, condition);
  if (p->miss_count < MAX_MISSES)
    p->misses[p->miss_count++] = place;
  else
    p->w.failed = true;
}

/* All misses so far lead there. */
static void misses_lead_to(struct piece *p, const uint8_t *target)
{
  for (uint32_t i = 0; i < p->miss_count; i++)
    prof_code_patch(p->misses[i], target);
  p->miss_count = 0;
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
  return op->reg != PROF_SP && (op->kind == PROF_COMPARE_REG_NULL ||
                                ((op->kind == PROF_COMPARE_REG || op->kind == PROF_COMPARE_LOG2) && whole));
}

/* Is the program's value of this register where the code has put it away? */
static bool is_put_away(const struct piece *p, unsigned reg)
{
  return (reg == PROF_RCX && p->rcx_saved) || (reg == PROF_RDX && p->rdx_saved);
}

/* Does hashing the value take a register of its own? */
static bool takes_register(const struct prof_fast_compare_op *op)
{
  return op->kind == PROF_COMPARE_LOG2 || (is_frame(op) && encoded[op->reg] == PROF_RDX);
}

/* The stack pointer is lower by the return address of the sled's call. */
static int32_t frame_offset(const struct prof_fast_compare_op *op)
{
  return op->offset + (op->reg == PROF_SP ? 8 : 0);
}

/* The register that an op names; `temporary`, with its value, where it was put away. */
static unsigned base(struct piece *p, const struct prof_fast_compare_op *op, unsigned temporary)
{
  unsigned reg = encoded[op->reg];
  if (!is_put_away(p, reg))
    return reg;
  PROF_CODE_LOAD(&p->w, temporary, PROF_RSP, prof_code_saved(op->reg));
  return temporary;
}

/* The value of an op, or what of it may be compared, in a register: its own where nothing has to be done, else
 * `temporary`. */
static unsigned value(struct piece *p, const struct prof_fast_compare_op *op, unsigned temporary)
{
  unsigned reg = base(p, op, temporary), size = size_of(op);
  if (is_frame(op)) {
    prof_code_memory(&p->w, size < 4 ? 4 : size,
                     size == 2   ? 0x0fb7
                     : size == 1 ? 0x0fb6
                                 : 0x8b,
                     temporary, reg, frame_offset(op));
    return temporary;
  }
  if (!op->offset)
    return reg;
  prof_code_memory(&p->w, 8, 0x8d, temporary, reg, op->offset);
  return temporary;
}

/* rdx: the log2 bucket of a value; a negative one is left to the hook. */
static void bucket(struct piece *p, const struct prof_fast_compare_op *op)
{
  struct prof_code_writer *w = &p->w;
  unsigned reg = value(p, op, PROF_RDX);
  if (reg != PROF_RDX)
    prof_code_registers(w, 8, 0x8b, PROF_RDX, reg);
  if (op->shift) {
    PROF_CODE(w, 0x48, 0xc1, 0xe2, op->shift);                                     /* shl rdx, shift */
    PROF_CODE(w, 0x48, 0xc1, op->flags & FMT_OPF_SIGNED ? 0xfa : 0xea, op->shift); /* sar or shr */
  }
  if (op->flags & FMT_OPF_SIGNED) {
    prof_code_registers(w, 8, 0x85, PROF_RDX, PROF_RDX);
    miss_if(p, PROF_IF_NEGATIVE);
  }
  prof_code_registers(w, 8, 0x0fbd, PROF_RDX, PROF_RDX); /* bsr */
  PROF_CODE(w, 0x75, 0x04);                              /* jnz over the next */
  PROF_CODE(w, 0x48, 0x83, 0xca, 0xff);                  /* or rdx, -1 */
  PROF_CODE(w, 0x48, 0xff, 0xc2);                        /* inc rdx */
}

/* What mixes an operand of this size into the hash, eax: crc32, or xor, which a multiplication follows. */
static unsigned begin_mixing(struct piece *p, unsigned size)
{
  if (!p->crc)
    return size == 1 ? 0x32 : 0x33;
  prof_code_byte(&p->w, 0xf2);
  return size == 1 ? 0x0f38f0 : 0x0f38f1;
}

static void end_mixing(struct piece *p)
{
  if (p->crc)
    return;
  PROF_CODE(&p->w, 0x69, 0xc0); /* imul eax, eax, factor */
  prof_code_word(&p->w, PROF_CACHE_FACTOR);
}

static void mix_register(struct piece *p, unsigned size, unsigned reg)
{
  const unsigned opcode = begin_mixing(p, size);
  prof_code_registers(&p->w, size, opcode, PROF_RAX, reg);
  end_mixing(p);
}

static void mix_memory(struct piece *p, unsigned size, unsigned reg, int32_t offset)
{
  const unsigned opcode = begin_mixing(p, size);
  prof_code_memory(&p->w, size, opcode, PROF_RAX, reg, offset);
  end_mixing(p);
}

/* The hash is made of registers as they are: what is added to them is the same for all calls. */
static void mix(struct piece *p, const struct prof_fast_compare_op *op)
{
  const unsigned size = size_of(op);
  if (op->kind == PROF_COMPARE_SKIP || op->kind == PROF_COMPARE_REG_NULL || op->kind == PROF_COMPARE_FRAME_NULL)
    return;
  if (op->kind == PROF_COMPARE_LOG2) {
    bucket(p, op);
    mix_register(p, 4, PROF_RDX);
  } else if (is_frame(op)) {
    mix_memory(p, size, base(p, op, PROF_RDX), frame_offset(op));
  } else if (is_put_away(p, encoded[op->reg])) {
    mix_memory(p, size, PROF_RSP, prof_code_saved(op->reg));
  } else {
    mix_register(p, size, encoded[op->reg]);
  }
}

/* eax: a hash of the site and the arguments, while the caller's edge, which takes longer, is not known yet. */
static void hash_arguments(struct piece *p)
{
  prof_code_memory(&p->w, 4, 0x8b, PROF_RAX, PROF_R11, offsetof(struct prof_site_link, hash));
  for (uint32_t i = 0; i < p->compare->count; i++)
    mix(p, &p->compare->ops[i]);
}

/* rax: where the thread's table has the edge, by this hash and the caller's edge in rcx. */
static void find_place(struct piece *p)
{
  mix_register(p, p->crc ? 8 : 4, PROF_RCX);
  if (!p->crc)
    PROF_CODE(&p->w, 0xc1, 0xe8, PROF_CODE_SHIFT); /* shr eax */
  prof_code_memory(&p->w, 4, 0x23, PROF_RAX, PROF_R10, PROF_T_CODES_MASK);
  prof_code_memory(&p->w, 8, 0x03, PROF_RAX, PROF_R10, PROF_T_CODES); /* and, add */
}

/* Saves what it changes, and leaves a hash of the arguments in eax, the control block in r10 and the innermost frame's
 * edge, which is the caller's, in rcx. */
static void begin(struct piece *p)
{
  struct prof_code_writer *w = &p->w;
  if (!p->free) {
    PROF_CODE_STORE(w, PROF_RAX, PROF_RSP, prof_code_saved(0));
    PROF_CODE_STORE(w, PROF_R10, PROF_RSP, prof_code_saved(PROF_R10));
  }
  PROF_CODE_STORE(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  if (p->rdx_saved)
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  prof_code_load_self(w, PROF_R10);
  hash_arguments(p);
  p->rcx_saved = true;
  prof_code_registers(w, 8, 0x85, PROF_R10, PROF_R10);
  miss_if(p, PROF_IF_EQUAL);
  prof_code_memory(w, 4, 0x83, 7, PROF_R10, PROF_T_STATE); /* cmp dword [r10 + state], ON */
  prof_code_byte(w, PROF_HOOKS_ON);
  miss_if(p, PROF_IF_NOT_EQUAL);
  PROF_CODE_LOAD(w, PROF_RCX, PROF_R10, PROF_T_TOP);
  prof_code_memory(w, 8, 0x3b, PROF_RCX, PROF_R10, PROF_T_LIMIT);
  miss_if(p, PROF_IF_NOT_BELOW);
  PROF_CODE_LOAD(w, PROF_RCX, PROF_RCX, PROF_F_EDGE);
  prof_code_registers(w, 8, 0x85, PROF_RCX, PROF_RCX);
  miss_if(p, PROF_IF_EQUAL);
}

static void restore(struct piece *p)
{
  struct prof_code_writer *w = &p->w;
  PROF_CODE_LOAD(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  if (p->rdx_saved)
    PROF_CODE_LOAD(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  if (p->free)
    return;
  PROF_CODE_LOAD(w, PROF_RAX, PROF_RSP, prof_code_saved(0));
  PROF_CODE_LOAD(w, PROF_R10, PROF_RSP, prof_code_saved(PROF_R10));
  PROF_CODE_LOAD(w, PROF_R11, PROF_RSP, prof_code_saved(PROF_R11));
}

/* The hooks have rdx of their own, too. */
static void save_rdx(struct piece *p)
{
  if (!p->rdx_saved)
    PROF_CODE_STORE(&p->w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  p->rdx_saved = true;
}

static void verify_argument(struct piece *p, const struct prof_fast_compare_op *op, int32_t place)
{
  unsigned size = size_of(op), reg;
  if (op->kind == PROF_COMPARE_SKIP)
    return;
  if (op->kind == PROF_COMPARE_LOG2) {
    bucket(p, op);
    reg = PROF_RDX;
    size = 8;
  } else if (op->kind == PROF_COMPARE_REG_NULL || op->kind == PROF_COMPARE_FRAME_NULL) {
    reg = value(p, op, p->temporary);
    prof_code_registers(&p->w, 8, 0x85, reg, reg);
    reg = p->temporary;
    prof_code_registers(&p->w, 1, 0x0f95, 0, reg); /* setne */
    size = 1;
  } else {
    reg = value(p, op, p->temporary);
  }
  prof_code_memory(&p->w, size, size == 1 ? 0x38 : 0x39, reg, PROF_RAX, place); /* cmp [word], value */
  miss_if(p, PROF_IF_NOT_EQUAL);
}

/* Verifies that the edge in rax, which this code compares, is of this caller and these arguments. */
static void verify(struct piece *p)
{
  PROF_CODE_LOAD(&p->w, p->temporary, PROF_RCX, PROF_E_TO);
  prof_code_memory(&p->w, 8, 0x3b, p->temporary, PROF_RAX, PROF_E_FROM);
  miss_if(p, PROF_IF_NOT_EQUAL);
  int32_t place = (int32_t)p->compare->words;
  for (uint32_t i = 0; i < p->compare->count; i++, place += 8)
    verify_argument(p, &p->compare->ops[i], place);
}

/* rcx: the innermost frame, which a frame of the canonical frame address r11 may go above. */
static void find_room(struct piece *p)
{
  struct prof_code_writer *w = &p->w;
  PROF_CODE_LOAD(w, PROF_RCX, PROF_R10, PROF_T_TOP);
  prof_code_memory(w, 8, 0x8d, PROF_R11, PROF_RSP, 16); /* lea */
  prof_code_memory(w, 8, 0x3b, PROF_R11, PROF_RCX, PROF_F_CFA);
  miss_if(p, PROF_IF_NOT_BELOW);
  prof_code_memory(w, 8, 0x3b, PROF_R11, PROF_R10, PROF_T_STACK_LOW);
  miss_if(p, PROF_IF_NOT_ABOVE);
}

/* Reserves that frame, rcx: from here on a signal handler's frames go above it, which already says where it lies. */
static void reserve_frame(struct piece *p)
{
  PROF_CODE(&p->w, 0x48, 0x83, 0xc1, PROF_F_SIZE); /* add rcx, frame */
  PROF_CODE_STORE(&p->w, PROF_R11, PROF_RCX, PROF_F_CFA);
  PROF_CODE_STORE(&p->w, PROF_RCX, PROF_R10, PROF_T_TOP);
  PROF_CODE_STORE(&p->w, PROF_R11, PROF_RCX, PROF_F_CFA); /* again, as in open_frame.inc */
}

/* Counts the call of the edge rax, with what is imputed to it, and that as the caller's children's. */
static void count(struct piece *p, unsigned caller)
{
  struct prof_code_writer *w = &p->w;
  PROF_CODE_LOAD(w, PROF_R11, PROF_RAX, PROF_S_IMPUTED);
  prof_code_memory(w, 8, 0x83, 0, PROF_RAX, PROF_E_CALLS); /* add qword, 1 */
  prof_code_byte(w, 1);
  prof_code_memory(w, 8, 0x01, PROF_R11, PROF_RAX, PROF_E_CALLS + 8);
  prof_code_memory(w, 8, 0x01, PROF_R11, caller, PROF_E_CHILDREN);
}

/* Counts the call, opens its frame, and returns. By its flags, the stack pointer, the exit knows both that the frame is
 * its own and that nothing is left to do. */
static void open_counted(struct piece *p)
{
  struct prof_code_writer *w = &p->w;
  PROF_CODE_STORE(w, PROF_RSP, PROF_RCX, PROF_F_FLAGS);
  PROF_CODE_LOAD(w, PROF_R10, PROF_RCX, PROF_F_EDGE - PROF_F_SIZE); /* the caller's edge again */
  count(p, PROF_R10);
  prof_code_memory(w, 8, 0xc7, 0, PROF_RCX, PROF_F_START);
  prof_code_word(w, (uint32_t)PROF_COUNTED);
  PROF_CODE_STORE(w, PROF_RAX, PROF_RCX, PROF_F_EDGE);
  restore(p);
  prof_code_byte(w, 0xc3);
}

/* Counts the call and returns; rcx is the caller's frame. Its exit, that of a leaf, finds no frame of its own. */
static void count_leaf(struct piece *p)
{
  PROF_CODE_LOAD(&p->w, PROF_RCX, PROF_RCX, PROF_F_EDGE);
  count(p, PROF_RCX);
  restore(p);
  prof_code_byte(&p->w, 0xc3);
}

/* Goes on to open the frame rcx, which is reserved, of a call that is timed: at `target`. */
static void open_timed(struct piece *p, void (*target)(void))
{
  struct prof_code_writer *w = &p->w;
  if (!p->rdx_saved)
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  PROF_CODE_LOAD(w, PROF_R11, PROF_RAX, PROF_E_COUNTERS);
  PROF_CODE_STORE(w, PROF_R11, PROF_RCX, PROF_F_FLAGS);
  prof_code_registers(w, 8, 0x8b, PROF_RDX, PROF_RCX);
  PROF_CODE_LOAD(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  prof_code_jump(w, target);
}

/* Jumps to where it is looked up whether the function is active now, if it ever was: while nobody has marked it the
 * call is, recursion or not, the outermost one in every group. r11: the link's mode, and `active` above it. */
static uint8_t *check_ever_active(struct piece *p)
{
  PROF_CODE(&p->w, 0x49, 0xc1, 0xeb, 32);                          /* shr r11, 32 */
  PROF_CODE(&p->w, 0x43, 0x80, 0x7c, 0x1a, PROF_T_EVER_ACTIVE, 0); /* cmp byte [r10 + r11 + ...], 0 */
  return prof_code_jump_if(&p->w, PROF_IF_NOT_EQUAL);
}

/* The edge in rax may be that of the call, but not be opened as it is: because of its mode, r11d being the link's, or
 * since its function was active once, and may be now. Back to `open`, or on to the hook. */
static void go_on_in_other_mode(struct piece *p, uint8_t *other_mode, uint8_t *ever_active, const uint8_t *open)
{
  struct prof_code_writer *w = &p->w;
  prof_code_patch(ever_active, w->next);
  PROF_CODE_LOAD(w, PROF_R11, PROF_RAX, PROF_E_SITE_INFO);
  PROF_CODE_LOAD(w, PROF_R11, PROF_R11, PROF_C_ACTIVE);
  prof_code_memory(w, 8, 0x83, 7, PROF_R11, 0); /* cmp qword, 0 */
  prof_code_byte(w, 0);
  prof_code_patch(prof_code_jump_if(w, PROF_IF_EQUAL), open);
  prof_code_memory(w, 4, 0x8b, PROF_R11, PROF_RAX, PROF_E_MODE);
  prof_code_patch(other_mode, w->next);
  save_rdx(p);
  p->temporary = PROF_RDX;
  prof_code_memory(w, 4, 0x33, PROF_R11, PROF_RAX, PROF_E_MODE);
  prof_code_memory(w, 4, 0x33, PROF_R11, PROF_R10, PROF_T_MODE);
  PROF_CODE(w, 0x41, 0x81, 0xfb); /* cmp r11d, 1 << PROF_MODE_CODE_SHIFT */
  prof_code_word(w, 1u << PROF_MODE_CODE_SHIFT);
  miss_if(p, PROF_IF_NOT_BELOW); /* another site's edge may have fewer words than are compared */
  verify(p);
  PROF_CODE_LOAD(w, PROF_RDX, PROF_R10, PROF_T_TOP);
  prof_code_jump(w, prof_sled_found);
}

/* Opens the frame, for which there is room, of a call of the edge rax, or counts it without one. */
static void open_frame(struct piece *p)
{
  struct prof_code_writer *w = &p->w;
  if (!p->leaf)
    reserve_frame(p);
  if (!prof_process.settings.sample_times) {
    open_timed(p, prof_sled_timed);
    return;
  }
  prof_code_memory(w, 4, 0xff, 1, PROF_R10, PROF_T_SAMPLE); /* dec */
  uint8_t *sample = prof_code_jump_if(w, PROF_IF_EQUAL);
  if (p->leaf)
    count_leaf(p);
  else
    open_counted(p);
  prof_code_patch(sample, w->next);
  if (p->leaf)
    reserve_frame(p);
  open_timed(p, prof_sled_sample);
}

static void write_code(struct piece *p)
{
  struct prof_code_writer *w = &p->w;
  begin(p);
  find_place(p);
  PROF_CODE_STORE(w, PROF_RAX, PROF_R10, PROF_T_PENDING);
  PROF_CODE_LOAD(w, PROF_RAX, PROF_RAX, 0);
  prof_code_registers(w, 8, 0x85, PROF_RAX, PROF_RAX);
  miss_if(p, PROF_IF_EQUAL);
  PROF_CODE_LOAD(w, PROF_R11, PROF_R11, offsetof(struct prof_site_link, mode));
  prof_code_memory(w, 4, 0x3b, PROF_R11, PROF_RAX, PROF_E_MODE);
  uint8_t *other_mode = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  uint8_t *ever_active = check_ever_active(p);
  const uint8_t *open = w->next;
  verify(p);
  find_room(p);
  open_frame(p);
  misses_lead_to(p, w->next);
  if (!p->rdx_saved)
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  uint8_t *miss = w->next;
  PROF_CODE_LOAD(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  prof_code_jump(w, prof_sled_miss);
  go_on_in_other_mode(p, other_mode, ever_active, open);
  misses_lead_to(p, miss);
}

static bool has_crc(void)
{
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_SSE4_2;
}

size_t prof_site_code_write(uint8_t *target, size_t capacity, const struct prof_fast_compare *compare, unsigned flags)
{
  struct piece piece = {.w = {.next = target, .end = target + capacity},
                        .compare = compare,
                        .free = flags & FMT_SLED_FREE,
                        .leaf = flags & FMT_SLED_LEAF && prof_process.settings.sample_times,
                        .crc = has_crc(),
                        .temporary = PROF_R11};
  for (uint32_t i = 0; i < compare->count; i++) {
    if (!is_known(&compare->ops[i]))
      return 0;
    piece.rdx_saved |= takes_register(&compare->ops[i]);
  }
  write_code(&piece);
  return piece.w.failed ? 0 : (size_t)(piece.w.next - target);
}

struct prof_site_link prof_site_code_link(const uint8_t *code, const struct prof_fast_compare *compare, uint16_t number)
{
  const uint32_t sampled = prof_process.settings.sample_times ? PROF_MODE_SAMPLED : 0;
  return (struct prof_site_link){.code = (uintptr_t)code,
                                 .mode = (uint32_t)number << PROF_MODE_CODE_SHIFT | sampled |
                                         (compare->count ? PROF_MODE_OPS : 0u),
                                 .active = prof_function_place(compare->function),
                                 .hash = number * SITE_FACTOR};
}
