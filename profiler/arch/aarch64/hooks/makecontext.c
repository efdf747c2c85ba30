/*
 * makecontext() in place of the C library's: notes the stack that a context gets, and goes on there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "profiler/base/make_context.h"

#define ARGUMENT_REGISTERS 8
#define LINK_KEPT          19 /* the register that holds uc_link until the context's function has returned */

/* The end of a context's function: x19 holds its uc_link. */
void prof_context_end(void) __attribute__((visibility("hidden")));
__asm__(".text\n\t.type prof_context_end, %function\n\t.hidden prof_context_end\n"
        "prof_context_end:\n\t"
        "mov x0, x19\n\t"
        "cbz x0, 1f\n\t"
        "bl setcontext\n"
        "1:\tmov x0, xzr\n\t"
        "bl exit\n\t"
        "brk #0\n\t"
        ".size prof_context_end, . - prof_context_end");

/* makecontext() itself, for statically linked programs, where the C library's cannot be found behind the one below. */
static void own_makecontext(ucontext_t *context, void (*function)(void), int count, ...)
{
  uintptr_t top = (uintptr_t)context->uc_stack.ss_sp + context->uc_stack.ss_size;
  size_t on_stack = count > ARGUMENT_REGISTERS ? (size_t)count - ARGUMENT_REGISTERS : 0;
  uint64_t *stack = (uint64_t *)((top - on_stack * 8) & ~(uintptr_t)15);
  va_list arguments;
  va_start(arguments, count);
  for (int i = 0; i < count; i++) {
    uint64_t value = va_arg(arguments, uint64_t);
    if (i < ARGUMENT_REGISTERS)
      context->uc_mcontext.regs[i] = value;
    else
      stack[i - ARGUMENT_REGISTERS] = value;
  }
  va_end(arguments);
  context->uc_mcontext.regs[LINK_KEPT] = (uintptr_t)context->uc_link;
  context->uc_mcontext.regs[29] = 0;
  context->uc_mcontext.regs[30] = (uintptr_t)prof_context_end;
  context->uc_mcontext.sp = (uintptr_t)stack;
  context->uc_mcontext.pc = (uintptr_t)function;
}

static __attribute__((used)) void *begin_makecontext(const ucontext_t *context)
{
  return prof_context_maker(context, (void *)own_makecontext, false);
}

/* makecontext(context, function, count, ...): whatever the arguments are, they go on as they came. */
__asm__(".text\n\t.weak makecontext\n\t.type makecontext, %function\n"
        "makecontext:\n\t"
        "stp x29, x30, [sp, #-80]!\n\t"
        "mov x29, sp\n\t"
        "stp x0, x1, [sp, #16]\n\t"
        "stp x2, x3, [sp, #32]\n\t"
        "stp x4, x5, [sp, #48]\n\t"
        "stp x6, x7, [sp, #64]\n\t"
        "bl begin_makecontext\n\t"
        "mov x16, x0\n\t"
        "ldp x0, x1, [sp, #16]\n\t"
        "ldp x2, x3, [sp, #32]\n\t"
        "ldp x4, x5, [sp, #48]\n\t"
        "ldp x6, x7, [sp, #64]\n\t"
        "ldp x29, x30, [sp], #80\n\t"
        "br x16\n\t"
        ".size makecontext, . - makecontext");
