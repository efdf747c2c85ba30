/* What the kernel leaves on the stack when it enters a signal handler, and what of it tells where the program was. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_SIGNAL_FRAME_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes from the address that prof_signal_frame_may_be() gets to the end of what is read there, and what such addresses
 * are multiples of. */
#define PROF_SIGNAL_FRAME_SIZE  (59 * sizeof(uint64_t))
#define PROF_SIGNAL_FRAME_ALIGN 16u
/* Bytes of the code that is looked at besides. */
#define PROF_SIGNAL_RETURN_SIZE 4u

/* Where a signal interrupted the program. */
struct prof_signal_frame {
  uintptr_t pc, sp;
  uintptr_t returns_to; /* the instruction that was interrupted, which has to be there */
  uint64_t blocked;     /* the signals that were blocked then */
};

/* Is this the ucontext of a handler? The record of the vector registers, which always comes first, begins with a number
 * that the kernel has for it, and its size. */
static inline bool prof_signal_frame_may_be(const uint64_t *context, struct prof_signal_frame *frame)
{
  enum { FLAGS = 0, LINK = 1, MASK = 5, SP = 54, PC = 55, STATE = 56, RECORD = 58 };
  const uint64_t vectors = (uint64_t)528 << 32 | 0x46508001u, mode = 0x1f;
  if (context[LINK] != 0 || context[FLAGS] > 15 || context[STATE] & mode || context[RECORD] != vectors)
    return false;
  *frame = (struct prof_signal_frame){
      .pc = context[PC], .sp = context[SP], .returns_to = context[PC], .blocked = context[MASK]};
  return frame->pc != 0 && frame->pc % 4 == 0 && frame->sp != 0;
}

/* Any instruction may be interrupted. */
static inline bool prof_signal_return_is(const uint8_t *code)
{
  return code != 0;
}

#endif
