/*
 * makecontext() in place of the C library's: notes the stack that a context gets, and goes on there.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "profiler/base/make_context.h"

/* The end of a context's function: %rbx holds its uc_link. Nothing called that function, as unwinding has to know. */
void prof_context_end(void) __attribute__((visibility("hidden")));
__asm__(".text\n\t.type prof_context_end, @function\n\t.hidden prof_context_end\n\t"
        ".cfi_startproc\n\t.cfi_undefined rip\n\t"
        "nop\n" /* unwinding looks one byte before what is returned to */
        "prof_context_end:\n\t"
        "andq $-16, %rsp\n\t"
        "movq %rbx, %rdi\n\t"
        "testq %rdi, %rdi\n\t"
        "jz 1f\n\t"
        "call setcontext@PLT\n"
        "1:\txorl %edi, %edi\n\t"
        "call exit@PLT\n\t"
        "hlt\n\t"
        ".cfi_endproc\n\t"
        ".size prof_context_end, . - prof_context_end");

/* makecontext() itself. What it makes goes on at uc_link by the setcontext() of this library, so that the thread's
 * frames are those of that stack then, too; the C library's goes there by a way of its own. */
static void own_makecontext(ucontext_t *context, void (*function)(void), int count, ...)
{
  static const int registers[6] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
  uintptr_t top = (uintptr_t)context->uc_stack.ss_sp + context->uc_stack.ss_size;
  size_t on_stack = count > 6 ? (size_t)count - 6 : 0;
  uint64_t *stack = (uint64_t *)((top - on_stack * 8) & ~(uintptr_t)15) - 1;
  stack[0] = (uintptr_t)prof_context_end;
  va_list arguments;
  va_start(arguments, count);
  for (int i = 0; i < count; i++) {
    uint64_t value = va_arg(arguments, uint64_t);
    if (i < 6)
      context->uc_mcontext.gregs[registers[i]] = (greg_t)value;
    else
      stack[1 + i - 6] = value;
  }
  va_end(arguments);
  context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
  context->uc_mcontext.gregs[REG_RBX] = (greg_t)(uintptr_t)context->uc_link;
  context->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)stack;
}

/* Does the processor keep a stack of return addresses of its own? Then a context needs one too, which the C library
 * makes.
 */
static bool has_shadow_stack(void)
{
  uint64_t top = 0;
  __asm__("rdsspq %0" : "+r"(top)); /* does nothing where there is none */
  return top != 0;
}

static __attribute__((used)) void *begin_makecontext(const ucontext_t *context)
{
  return prof_context_maker(context, (void *)own_makecontext, !has_shadow_stack());
}

/* makecontext(context, function, count, ...): whatever the arguments are, they go on as they came. */
__asm__(".text\n\t.weak makecontext\n\t.type makecontext, @function\n"
        "makecontext:\n\t"
        "pushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tpushq %r8\n\tpushq %r9\n\tpushq %rax\n\t"
        "call begin_makecontext\n\t"
        "movq %rax, %r11\n\t"
        "popq %rax\n\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n\tpopq %rdi\n\t"
        "jmpq *%r11\n\t"
        ".size makecontext, . - makecontext");
