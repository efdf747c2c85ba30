/* Starts a child on a stack of its own, by the bare system call. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_CLONE_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_CLONE_H

#include <sys/syscall.h>

/* clone() with these flags: the child calls body(data), which must not return, on the stack that ends at `stack_end`, a
 * multiple of 16. Gives the caller the id of the child, or a negative errno. */
static inline long prof_clone(char *stack_end, long flags, void (*body)(void *), void *data)
{
  long result;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  register void *kept __asm__("r12") = data;
  __asm__ volatile("syscall\n\t"
                   "test %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "xor %%ebp, %%ebp\n\t"
                   "mov %%r12, %%rdi\n\t"
                   "call *%[body]\n\t"
                   "hlt\n"
                   "1:"
                   : "=a"(result)
                   : "a"((long)SYS_clone), "D"(flags), "S"(stack_end), "d"(0L), "r"(r10), "r"(r8),
                     "r"(kept), [body] "r"(body)
                   : "rcx", "r11", "memory", "cc");
  return result;
}

#endif
