/*
 * Machine code for the exits of a module's sleds, near the module: one piece for all of them.
 *
 * A call that was counted when it began needs nothing at its end but its frame taken off. The frame's flags say whose
 * it is, as long as nobody has marked it: the stack pointer in its hooks. A leaf that was counted has no frame at all,
 * and a thread that does not record has none to end. Everything else is the hook's.
 */
#include "format/sled.h"
#include "profiler/arch/x86_64/stub/code_writer.h"
#include "profiler/arch/x86_64/stub/stub.h"
#include "profiler/hook/asm_offsets.h"
#include "profiler/tree/bounds.h"

/* The control block, and then the frame, are in these; rax is the return value, and saved. */
static unsigned frame_register(bool free)
{
  return free ? PROF_R10 : PROF_RCX;
}

static unsigned thread_register(bool free)
{
  return free ? PROF_R11 : PROF_RAX;
}

static void restore(struct prof_code_writer *w, bool free)
{
  if (free)
    return;
  PROF_CODE_LOAD(w, PROF_RAX, PROF_RSP, prof_code_saved(0));
  PROF_CODE_LOAD(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
}

/* Returns at once when the innermost frame, of a leaf's exit, lies above where its own would. One that a handler has
 * interrupted at its beginning may lie nowhere, and is for the hook to tell. Changes `thread`. */
static void leave_without_frame(struct prof_code_writer *w, bool free, unsigned thread, unsigned frame)
{
  prof_code_memory(w, 8, 0x8d, thread, PROF_RSP, 16); /* lea thread, the canonical frame address */
  prof_code_memory(w, 8, 0x3b, thread, frame, PROF_F_CFA);
  uint8_t *own = prof_code_jump_if(w, PROF_IF_NOT_BELOW);
  restore(w, free);
  prof_code_byte(w, 0xc3);
  prof_code_patch(own, w->next);
  prof_code_load_self(w, thread);
}

/* The same where calls are left out that lie outside of the bounds, on the machine stack whose frame that is. */
static void leave_left_out(struct prof_code_writer *w, bool free, unsigned thread, unsigned frame)
{
  prof_code_memory(w, 8, 0x8d, thread, PROF_RSP, 16);
  prof_code_memory(w, 8, 0x3b, thread, frame, PROF_F_CFA);
  uint8_t *own = prof_code_jump_if(w, PROF_IF_NOT_BELOW);
  prof_code_load_self(w, thread);
  prof_code_memory(w, 8, 0x8d, frame, PROF_RSP, 16);
  prof_code_memory(w, 8, 0x39, frame, thread, PROF_T_STACK_LOW); /* cmp [stack_low], frame */
  uint8_t *elsewhere = prof_code_jump_if(w, PROF_IF_NOT_BELOW);
  restore(w, free);
  prof_code_byte(w, 0xc3);
  prof_code_patch(own, w->next);
  prof_code_load_self(w, thread);
  prof_code_patch(elsewhere, w->next);
  PROF_CODE_LOAD(w, frame, thread, PROF_T_TOP);
}

void prof_exit_write(uint8_t *place, const uintptr_t *hook, unsigned flags)
{
  struct prof_code_writer writer = {.next = place, .end = place + PROF_EXIT_SIZE}, *w = &writer;
  const bool free = flags & FMT_SLED_FREE;
  const unsigned thread = thread_register(free), frame = frame_register(free);
  uint8_t *other[2];
  if (!free) {
    PROF_CODE_STORE(w, PROF_RAX, PROF_RSP, prof_code_saved(0));
    PROF_CODE_STORE(w, PROF_RCX, PROF_RSP, prof_code_saved(2));
  }
  prof_code_load_self(w, thread);
  prof_code_memory(w, 4, 0x83, 7, thread, PROF_T_STATE); /* cmp dword [state], ON */
  prof_code_byte(w, PROF_HOOKS_ON);
  other[0] = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  PROF_CODE_LOAD(w, frame, thread, PROF_T_TOP);
  if (flags & FMT_SLED_LEAF)
    leave_without_frame(w, free, thread, frame);
  else if (prof_bounds_are_set())
    leave_left_out(w, free, thread, frame);
  prof_code_memory(w, 8, 0x39, PROF_RSP, frame, PROF_F_FLAGS); /* cmp [flags], rsp */
  other[1] = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  /* Clearing the edge closes the frame. Only then it is known not to be marked: a signal handler may have done so up to
   * here, and then the flags tell the edge. */
  prof_code_memory(w, 8, 0xc7, 0, frame, PROF_F_EDGE); /* mov qword [edge], 0 */
  prof_code_word(w, 0);
  prof_code_memory(w, 8, 0x39, PROF_RSP, frame, PROF_F_FLAGS);
  uint8_t *reopen = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  /* sub frame, size */
  PROF_CODE(w, (uint8_t)(0x48 | (frame & 8 ? 1 : 0)), 0x83, (uint8_t)(0xe8 | (frame & 7)), PROF_F_SIZE);
  PROF_CODE_STORE(w, frame, thread, PROF_T_TOP);
  prof_code_memory(w, 8, 0xc7, 0, frame, PROF_F_SIZE + PROF_F_CFA); /* mov qword [cfa], 0 */
  prof_code_word(w, 0);
  restore(w, free);
  prof_code_byte(w, 0xc3);
  prof_code_patch(other[0], w->next);
  prof_code_memory(w, 4, 0x83, 7, thread, PROF_T_STATE); /* cmp dword [state], OFF */
  prof_code_byte(w, PROF_HOOKS_OFF);
  other[0] = prof_code_jump_if(w, PROF_IF_NOT_EQUAL);
  restore(w, free);
  prof_code_byte(w, 0xc3);
  prof_code_patch(reopen, w->next);
  PROF_CODE_LOAD(w, thread, frame, PROF_F_FLAGS);
  PROF_CODE(w, (uint8_t)(0x48 | (thread & 8 ? 1 : 0)), 0x83, (uint8_t)(0xe0 | (thread & 7)),
            (uint8_t)~PROF_FRAME_BITS);                        /* and thread, ~bits */
  prof_code_memory(w, 8, 0x8d, thread, thread, -PROF_E_CALLS); /* lea thread, [thread - calls] */
  PROF_CODE_STORE(w, thread, frame, PROF_F_EDGE);
  for (unsigned i = 0; i < 2; i++)
    prof_code_patch(other[i], w->next);
  restore(w, free);
  prof_code_patch(prof_code_jump_by(w), (const uint8_t *)hook);
}
