/* The system call instruction of x86-64. */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_SYSCALL_H
#define CALLSIG_PROFILER_ARCH_X86_64_PRIMITIVES_SYSCALL_H

/* What the kernel returned: a negative errno on failure. errno is left alone. Anywhere. */
static inline long prof_syscall6(long number, long a, long b, long c, long d, long e, long f)
{
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#endif
