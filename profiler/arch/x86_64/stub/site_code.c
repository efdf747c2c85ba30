/*
 * Machine code for calls of one shape: finds the edge of a call of a sled, compares its arguments, and opens the frame.
 *
 * The edge is looked for in the thread's table by a hash of the caller's edge, the site and the arguments, so that
 * calls whose arguments alternate are found as surely as those that repeat them. What lies there is verified in full:
 * mode, in which the site is, caller, and every argument. The stub has left its link in r11. Used are rax for the hash
 * and then the edge, r10 for the control block, r11, and for the caller's edge and the frame r8 and r9 where the sled
 * says that nothing is in them, else rcx for both in turn; rdx where a bucket has to be worked out. What of them the
 * program has something in is saved in the red zone, r11 by the stub. The rest of the registers is where the ABI has
 * the arguments, and is only read.
 *
 * A call that is not timed is counted here and now: its exit takes the frame off, and a leaf has none.
 */
#include <cpuid.h>

#include "format/sled.h"
#include "profiler/arch/x86_64/stub/argument_code.h"
#include "profiler/arch/x86_64/stub/follow.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/base/fault_net.h"
#include "profiler/base/process.h"
#include "profiler/hook/asm_offsets.h"
#include "profiler/hook/sled_hooks.h"
#include "profiler/stack/thread.h"

/* Where go_on_in_other_mode() keeps r11 while it is used: the place of r12, which nothing else needs here. */
#define OTHER_MODE 12u

#define SITE_FACTOR 0x85EBCA6Bu /* odd, so that the sites of a caller lie apart */

/* All misses so far lead there. */
static void misses_lead_to(struct prof_piece *p, const uint8_t *target)
{
  for (uint32_t i = 0; i < p->miss_count; i++)
    prof_code_patch(p->misses[i], target);
  p->miss_count = 0;
}

/* rax: where the thread's table has the edge, by this hash and the caller's edge. */
static void find_place(struct prof_piece *p)
{
  prof_piece_mix_register(p, p->crc ? 8 : 4, p->caller);
  if (!p->crc)
    PROF_CODE(&p->w, 0xc1, 0xe8, PROF_CODE_SHIFT); /* shr eax */
  prof_code_memory(&p->w, 4, 0x23, PROF_RAX, PROF_R10, PROF_T_CODES_MASK);
  prof_code_memory(&p->w, 8, 0x03, PROF_RAX, PROF_R10, PROF_T_CODES); /* and, add */
}

/* Saves what it changes, and leaves a hash of the arguments in eax, the control block in r10 and the innermost frame's
 * edge, which is the caller's, in its register. */
static void begin(struct prof_piece *p)
{
  struct prof_code_writer *w = &p->w;
  if (!p->free) {
    PROF_CODE_STORE(w, PROF_RAX, PROF_RSP, prof_code_saved(0));
    PROF_CODE_STORE(w, PROF_R10, PROF_RSP, prof_code_saved(PROF_R10));
  }
  if (!p->spare)
    PROF_CODE_STORE(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  if (p->rdx_saved)
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  prof_code_load_self(w, PROF_R10);
  prof_piece_hash_arguments(p);
  p->rcx_saved = !p->spare;
  prof_code_memory(w, 4, 0x83, 7, PROF_R10, PROF_T_STATE); /* cmp dword [r10 + state], ON */
  prof_code_byte(w, PROF_HOOKS_ON);
  prof_piece_miss_if(p, PROF_IF_NOT_EQUAL);
  PROF_CODE_LOAD(w, p->frame, PROF_R10, PROF_T_TOP);
  prof_code_memory(w, 8, 0x3b, p->frame, PROF_R10, PROF_T_LIMIT);
  prof_piece_miss_if(p, PROF_IF_NOT_BELOW);
  PROF_CODE_LOAD(w, p->caller, p->frame, PROF_F_EDGE);
  prof_code_registers(w, 8, 0x85, p->caller, p->caller);
  prof_piece_miss_if(p, PROF_IF_EQUAL);
}

static void restore(struct prof_piece *p)
{
  struct prof_code_writer *w = &p->w;
  if (!p->spare)
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
static void save_rdx(struct prof_piece *p)
{
  if (!p->rdx_saved)
    PROF_CODE_STORE(&p->w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  p->rdx_saved = true;
}

/* Verifies that the edge in rax, which this code compares, is of this caller and these arguments. */
static void verify(struct prof_piece *p)
{
  PROF_CODE_LOAD(&p->w, p->temporary, p->caller, PROF_E_TO);
  prof_code_memory(&p->w, 8, 0x3b, p->temporary, PROF_RAX, PROF_E_FROM);
  prof_piece_miss_if(p, PROF_IF_NOT_EQUAL);
  p->place = (int32_t)p->compare->words;
  p->behind_text = false;
  p->loads = 0;
  for (uint32_t i = 0; i < p->compare->count; i++)
    prof_piece_verify_argument(p, &p->compare->ops[i]);
}

/* The innermost frame in its register, which a frame of the canonical frame address r11 may go above. A handler that
 * took it off meanwhile, since it was dead, has left an address in it that nothing goes above. */
static void find_room(struct prof_piece *p)
{
  struct prof_code_writer *w = &p->w;
  if (p->frame == p->caller)
    PROF_CODE_LOAD(w, p->frame, PROF_R10, PROF_T_TOP);
  prof_code_memory(w, 8, 0x8d, PROF_R11, PROF_RSP, 16); /* lea */
  prof_code_memory(w, 8, 0x3b, PROF_R11, p->frame, PROF_F_CFA);
  prof_piece_miss_if(p, PROF_IF_NOT_BELOW);
  prof_code_memory(w, 8, 0x3b, PROF_R11, PROF_R10, PROF_T_STACK_LOW);
  prof_piece_miss_if(p, PROF_IF_NOT_ABOVE);
}

/* Reserves the frame above it: from here on a signal handler's frames go above that, which already says where it lies.
 */
static void reserve_frame(struct prof_piece *p)
{
  PROF_CODE(&p->w, (uint8_t)(0x48 | (p->frame & 8 ? 1 : 0)), 0x83, (uint8_t)(0xc0 | (p->frame & 7)),
            PROF_F_SIZE); /* add frame, size */
  PROF_CODE_STORE(&p->w, PROF_R11, p->frame, PROF_F_CFA);
  PROF_CODE_STORE(&p->w, p->frame, PROF_R10, PROF_T_TOP);
  PROF_CODE_STORE(&p->w, PROF_R11, p->frame, PROF_F_CFA); /* again, as in open_frame.inc */
}

/* Counts the call of the edge rax, with what is imputed to it, and that as the caller's children's. */
static void count(struct prof_piece *p, unsigned caller)
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
static void open_counted(struct prof_piece *p)
{
  struct prof_code_writer *w = &p->w;
  const bool is_lost = p->caller == p->frame;
  PROF_CODE_STORE(w, PROF_RSP, p->frame, PROF_F_FLAGS);
  if (is_lost)
    PROF_CODE_LOAD(w, PROF_R10, p->frame, PROF_F_EDGE - PROF_F_SIZE); /* the caller's edge again */
  count(p, is_lost ? PROF_R10 : p->caller);
  prof_code_memory(w, 8, 0xc7, 0, p->frame, PROF_F_START);
  prof_code_word(w, (uint32_t)PROF_COUNTED);
  PROF_CODE_STORE(w, PROF_RAX, p->frame, PROF_F_EDGE);
  restore(p);
  prof_code_byte(w, 0xc3);
}

/* Counts the call and returns, with the caller's frame in its register. Its exit, that of a leaf, finds no frame of its
 * own. */
static void count_leaf(struct prof_piece *p)
{
  if (p->caller == p->frame)
    PROF_CODE_LOAD(&p->w, p->caller, p->frame, PROF_F_EDGE);
  count(p, p->caller);
  restore(p);
  prof_code_byte(&p->w, 0xc3);
}

/* Goes on to open the frame, which is reserved, of a call that is timed: at `target`. */
static void open_timed(struct prof_piece *p, void (*target)(void))
{
  struct prof_code_writer *w = &p->w;
  if (!p->rdx_saved)
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  PROF_CODE_LOAD(w, PROF_R11, PROF_RAX, PROF_E_COUNTERS);
  PROF_CODE_STORE(w, PROF_R11, p->frame, PROF_F_FLAGS);
  prof_code_registers(w, 8, 0x8b, PROF_RDX, p->frame);
  if (!p->spare)
    PROF_CODE_LOAD(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  prof_code_jump(w, target);
}

static void compare_r11(struct prof_piece *p, uint32_t value)
{
  PROF_CODE(&p->w, 0x41, 0x81, 0xfb); /* cmp r11d, value */
  prof_code_word(&p->w, value);
}

/* The edge in rax may be that of the call, but not be opened as it is: because of its mode, r11d being the link's, or
 * since its function was active once, as that says, and may be now. While nobody has marked it the call is, recursion
 * or not, the outermost one in every group. Back to `open`, or on to the hook. */
static void go_on_in_other_mode(struct prof_piece *p, const uint8_t *open)
{
  struct prof_code_writer *w = &p->w;
  prof_code_memory(w, 4, 0x33, PROF_R11, PROF_RAX, PROF_E_MODE);
  compare_r11(p, PROF_MODE_EVER_ACTIVE);
  uint8_t *other_mode = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  PROF_CODE_LOAD(w, PROF_R11, PROF_RAX, PROF_E_SITE_INFO);
  PROF_CODE_LOAD(w, PROF_R11, PROF_R11, PROF_C_ACTIVE);
  prof_code_memory(w, 8, 0x83, 7, PROF_R11, 0); /* cmp qword, 0 */
  prof_code_byte(w, 0);
  prof_code_patch(prof_code_jump_if(w, PROF_IF_EQUAL), open);
  prof_code_registers(w, 4, 0x33, PROF_R11, PROF_R11);
  prof_code_patch(other_mode, w->next);
  save_rdx(p);
  if (!p->compare->texts)
    p->temporary = PROF_RDX;
  prof_code_memory(w, 4, 0x33, PROF_R11, PROF_R10, PROF_T_MODE);
  compare_r11(p, 1u << PROF_MODE_CODE_SHIFT);
  prof_piece_miss_if(p, PROF_IF_NOT_BELOW); /* another site's edge may have fewer words than are compared */
  /* Texts take rdx. */
  if (p->compare->texts)
    PROF_CODE_STORE(w, PROF_R11, PROF_RSP, prof_code_saved(OTHER_MODE));
  verify(p);
  if (p->compare->texts)
    PROF_CODE_LOAD(w, PROF_R11, PROF_RSP, prof_code_saved(OTHER_MODE));
  if (p->spare) {
    PROF_CODE_STORE(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
    prof_code_registers(w, 8, 0x8b, PROF_RCX, p->caller);
  }
  PROF_CODE_LOAD(w, PROF_RDX, PROF_R10, PROF_T_TOP);
  prof_code_jump(w, prof_sled_found);
}

/* Opens the frame, for which there is room, of a call of the edge rax, or counts it without one. */
static void open_frame(struct prof_piece *p)
{
  struct prof_code_writer *w = &p->w;
  if (!p->leaf)
    reserve_frame(p);
  if (!prof_process.settings.sample_times) {
    open_timed(p, prof_sled_timed);
    return;
  }
  prof_code_memory(w, 4, 0xff, 1, PROF_R10, PROF_T_SAMPLE); /* dec */
  uint8_t *sample = prof_code_jump_if(w, PROF_IF_NOT_GREATER);
  if (p->leaf)
    count_leaf(p);
  else
    open_counted(p);
  prof_code_patch(sample, w->next);
  if (p->leaf)
    reserve_frame(p);
  open_timed(p, prof_sled_sample);
}

static void write_code(struct prof_piece *p)
{
  struct prof_code_writer *w = &p->w;
  begin(p);
  find_place(p);
  PROF_CODE_STORE(w, PROF_RAX, PROF_R10, PROF_T_PENDING);
  PROF_CODE_LOAD(w, PROF_RAX, PROF_RAX, 0);
  prof_code_memory(w, 4, 0x8b, PROF_R11, PROF_R11, offsetof(struct prof_site_link, mode));
  prof_code_memory(w, 4, 0x3b, PROF_R11, PROF_RAX, PROF_E_MODE);
  uint8_t *other_mode = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  const uint8_t *open = w->next;
  verify(p);
  find_room(p);
  open_frame(p);
  misses_lead_to(p, w->next);
  if (!p->rdx_saved)
    PROF_CODE_STORE(w, PROF_RDX, PROF_RSP, prof_code_saved(1));
  uint8_t *miss = w->next;
  if (!p->spare)
    PROF_CODE_LOAD(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  prof_code_jump(w, prof_sled_miss);
  prof_code_patch(other_mode, w->next);
  go_on_in_other_mode(p, open);
  misses_lead_to(p, miss);
}

static bool has_crc(void)
{
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_SSE4_2;
}

size_t prof_site_code_write(uint8_t *target, size_t capacity, const struct prof_fast_compare *compare, uint32_t nulls,
                            unsigned flags)
{
  struct prof_piece piece = {.w = {.next = target, .end = target + capacity},
                             .compare = compare,
                             .nulls = nulls,
                             .free = flags & FMT_SLED_FREE,
                             .spare = flags & FMT_SLED_FREE && flags & FMT_SLED_SPARE,
                             .leaf = flags & FMT_SLED_LEAF && prof_process.settings.sample_times,
                             .crc = has_crc(),
                             .temporary = PROF_R11};
  static const struct prof_guarded_code follow = {prof_follow_begin, prof_follow_end, prof_follow_failed};
  uint32_t loads = 0;
  for (uint32_t i = 0; i < compare->count; i++) {
    loads += compare->ops[i].kind == PROF_COMPARE_LOAD || compare->ops[i].kind == PROF_COMPARE_STEP;
    if (!prof_compare_is_known(&compare->ops[i], piece.crc) || loads > PROF_PIECE_LOADS)
      return 0;
    piece.rdx_saved |= prof_compare_takes_register(&compare->ops[i]);
    piece.spare &= !prof_compare_names_spare(&compare->ops[i]);
  }
  prof_net_guard(&follow);
  piece.caller = piece.spare ? PROF_R8 : PROF_RCX;
  piece.frame = piece.spare ? PROF_R9 : PROF_RCX;
  write_code(&piece);
  return piece.w.failed ? 0 : (size_t)(piece.w.next - target);
}

struct prof_site_link prof_site_code_link(const uint8_t *code, const struct prof_fast_compare *compare, uint16_t number)
{
  const uint32_t sampled = prof_process.settings.sample_times ? PROF_MODE_SAMPLED : 0;
  return (struct prof_site_link){.code = (uintptr_t)code,
                                 .mode = (uint32_t)number << PROF_MODE_CODE_SHIFT | sampled |
                                         (compare->count ? PROF_MODE_OPS : 0u),
                                 .hash = number * SITE_FACTOR};
}
