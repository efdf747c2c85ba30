/* Starts a child on a stack of its own, by the bare system call. */
#ifndef CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_CLONE_H
#define CALLSIG_PROFILER_ARCH_AARCH64_PRIMITIVES_CLONE_H

#include <sys/syscall.h>

/* clone() with these flags: the child calls body(data), which must not return, on the stack that ends at `stack_end`, a
 * multiple of 16. Gives the caller the id of the child, or a negative errno. */
static inline long prof_clone(char *stack_end, long flags, void (*body)(void *), void *data)
{
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = flags;
  register char *x1 __asm__("x1") = stack_end;
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  register void (*start)(void *) __asm__("x5") = body;
  register void *kept __asm__("x6") = data;
  __asm__ volatile("svc #0\n\t"
                   "cbnz x0, 1f\n\t"
                   "mov x29, xzr\n\t"
                   "mov x0, x6\n\t"
                   "blr x5\n\t"
                   "brk #0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(start), "r"(kept)
                   : "memory", "cc");
  return x0;
}

#endif
