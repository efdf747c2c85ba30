/*
 * swapcontext() and setcontext() in place of the C library's: what they do is left to these, once the thread's frames
 * are those of the stack that it goes on.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "profiler/base/make_context.h"
#include "profiler/frame/follow.h"

/* The two themselves, for statically linked programs, where the C library's cannot be found behind those below. Where a
 * context has what: asserted below, as assembly at this place cannot ask. */
void prof_own_swapcontext(void) __attribute__((visibility("hidden")));
void prof_own_setcontext(void) __attribute__((visibility("hidden")));
__asm__(".text\n\t.type prof_own_swapcontext, @function\n\t.hidden prof_own_swapcontext\n"
        "prof_own_swapcontext:\n\t"
        "movq %r8, 40(%rdi)\n\tmovq %r9, 48(%rdi)\n\t"
        "movq %r12, 72(%rdi)\n\tmovq %r13, 80(%rdi)\n\tmovq %r14, 88(%rdi)\n\tmovq %r15, 96(%rdi)\n\t"
        "movq %rdi, 104(%rdi)\n\tmovq %rsi, 112(%rdi)\n\tmovq %rbp, 120(%rdi)\n\tmovq %rbx, 128(%rdi)\n\t"
        "movq %rdx, 136(%rdi)\n\tmovq %rcx, 152(%rdi)\n\t"
        "movq (%rsp), %rcx\n\tmovq %rcx, 168(%rdi)\n\tleaq 8(%rsp), %rcx\n\tmovq %rcx, 160(%rdi)\n\t"
        "leaq 424(%rdi), %rcx\n\tmovq %rcx, 224(%rdi)\n\tfnstenv (%rcx)\n\tstmxcsr 448(%rdi)\n\t"
        "leaq 296(%rdi), %rdx\n\tmovq %rsi, %rdi\n\t"
        "jmp prof_load_context\n\t"
        ".size prof_own_swapcontext, . - prof_own_swapcontext\n\t"
        ".type prof_own_setcontext, @function\n\t.hidden prof_own_setcontext\n"
        "prof_own_setcontext:\n\t"
        "xorl %edx, %edx\n"
        /* %rdx: where the mask of signals goes that was there so far */
        "prof_load_context:\n\t"
        "movq %rdi, %r8\n\tleaq 296(%rdi), %rsi\n\tmovl $2, %edi\n\tmovl $8, %r10d\n\tmovl $14, %eax\n\tsyscall\n\t"
        "movq %r8, %rdx\n\t"
        "movq 224(%rdx), %rcx\n\tfldenv (%rcx)\n\tldmxcsr 448(%rdx)\n\t"
        "movq 160(%rdx), %rsp\n\tmovq 128(%rdx), %rbx\n\tmovq 120(%rdx), %rbp\n\t"
        "movq 72(%rdx), %r12\n\tmovq 80(%rdx), %r13\n\tmovq 88(%rdx), %r14\n\tmovq 96(%rdx), %r15\n\t"
        "pushq 168(%rdx)\n\t"
        "movq 112(%rdx), %rsi\n\tmovq 104(%rdx), %rdi\n\tmovq 152(%rdx), %rcx\n\t"
        "movq 40(%rdx), %r8\n\tmovq 48(%rdx), %r9\n\tmovq 136(%rdx), %rdx\n\t"
        "xorl %eax, %eax\n\tret\n\t"
        ".size prof_own_setcontext, . - prof_own_setcontext");

#define REGISTER(number, offset)                                                                                       \
  _Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) + (number) * sizeof(greg_t) == (offset), "a register's "      \
                                                                                                  "place")
REGISTER(REG_R8, 40);
REGISTER(REG_R9, 48);
REGISTER(REG_R12, 72);
REGISTER(REG_R13, 80);
REGISTER(REG_R14, 88);
REGISTER(REG_R15, 96);
REGISTER(REG_RDI, 104);
REGISTER(REG_RSI, 112);
REGISTER(REG_RBP, 120);
REGISTER(REG_RBX, 128);
REGISTER(REG_RDX, 136);
REGISTER(REG_RCX, 152);
REGISTER(REG_RSP, 160);
REGISTER(REG_RIP, 168);
_Static_assert(offsetof(ucontext_t, uc_mcontext.fpregs) == 224 && offsetof(ucontext_t, uc_sigmask) == 296 &&
                   offsetof(ucontext_t, __fpregs_mem) == 424 && offsetof(ucontext_t, __fpregs_mem.mxcsr) == 448,
               "the places of the rest");
_Static_assert(SIG_SETMASK == 2 && SYS_rt_sigprocmask == 14, "what the kernel is asked");

static void goes_to(const ucontext_t *context)
{
  prof_stack_arrive((uintptr_t)context->uc_mcontext.gregs[REG_RSP]);
}

static void *next_swapcontext, *next_setcontext;

static void *find_swapcontext(void)
{
  return prof_context_next("swapcontext", &next_swapcontext, (void *)prof_own_swapcontext);
}

static void *find_setcontext(void)
{
  return prof_context_next("setcontext", &next_setcontext, (void *)prof_own_setcontext);
}

/* The first switch may be in a signal handler, where the dynamic linker is not to be asked. */
__attribute__((constructor)) static void find(void)
{
  (void)find_swapcontext();
  (void)find_setcontext();
}

static __attribute__((used)) void *begin_swapcontext(const ucontext_t *from, const ucontext_t *to)
{
  (void)from;
  goes_to(to);
  return find_swapcontext();
}

static __attribute__((used)) void *begin_setcontext(const ucontext_t *to)
{
  goes_to(to);
  return find_setcontext();
}

/* What is saved is the caller's: the C library's code is jumped to, not called. */
__asm__(".text\n\t.weak swapcontext\n\t.type swapcontext, @function\n"
        "swapcontext:\n\t"
        "pushq %rdi\n\tpushq %rsi\n\tsubq $8, %rsp\n\t"
        "call begin_swapcontext\n\t"
        "addq $8, %rsp\n\tpopq %rsi\n\tpopq %rdi\n\t"
        "jmpq *%rax\n\t"
        ".size swapcontext, . - swapcontext\n\t"
        ".weak setcontext\n\t.type setcontext, @function\n"
        "setcontext:\n\t"
        "pushq %rdi\n\t"
        "call begin_setcontext\n\t"
        "popq %rdi\n\t"
        "jmpq *%rax\n\t"
        ".size setcontext, . - setcontext");
