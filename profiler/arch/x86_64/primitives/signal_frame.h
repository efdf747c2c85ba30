/* What the kernel leaves on the stack when it enters a signal handler, and what of it tells where the program was. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_SIGNAL_FRAME_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes from the address that prof_signal_frame_may_be() gets to the end of what is read there, and what such addresses
 * are multiples of. */
#define PROF_SIGNAL_FRAME_SIZE  (38 * sizeof(uint64_t))
#define PROF_SIGNAL_FRAME_ALIGN 16u
/* Bytes of the code that a handler returns to. */
#define PROF_SIGNAL_RETURN_SIZE 9u

/* Where a signal interrupted the program. */
struct prof_signal_frame {
  uintptr_t pc, sp;
  uintptr_t returns_to; /* the code that the handler returns to, which ends it */
  uint64_t blocked;     /* the signals that were blocked then */
};

/* Is this the ucontext of a handler, by all that can be seen without reading anything else? The word before it, where
 * the handler's return address lies, is read too. */
static inline bool prof_signal_frame_may_be(const uint64_t *context, struct prof_signal_frame *frame)
{
  enum { FLAGS = 0, LINK = 1, RSP = 20, RIP = 21, EFLAGS = 22, MASK = 37 };
  const uint64_t always_set = 2, highest_flag = 1u << 21;
  if (context[LINK] != 0 || context[FLAGS] > 15 || !(context[EFLAGS] & always_set) ||
      context[EFLAGS] >= highest_flag << 1)
    return false;
  *frame = (struct prof_signal_frame){
      .pc = context[RIP], .sp = context[RSP], .returns_to = context[-1], .blocked = context[MASK]};
  return frame->pc != 0 && frame->sp != 0 && frame->returns_to != 0;
}

/* Do these bytes, of where a handler returns to, end it: rt_sigreturn, as C libraries write it? */
static inline bool prof_signal_return_is(const uint8_t *code)
{
  const uint32_t number = 15, syscall = 0x050f;
  const uint8_t *rest = code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc0 ? code + 3 : /* mov rax, 15 */
                            code[0] == 0xb8 ? code + 1
                                            : 0; /* mov eax, 15 */
  if (!rest)
    return false;
  uint32_t found = (uint32_t)rest[0] | (uint32_t)rest[1] << 8 | (uint32_t)rest[2] << 16 | (uint32_t)rest[3] << 24;
  return found == number && ((uint32_t)rest[4] | (uint32_t)rest[5] << 8) == syscall;
}

#endif
