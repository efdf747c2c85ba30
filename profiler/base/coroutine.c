/*
 * Machine stacks: those that makecontext() was given, the alternate signal stack, and what /proc/self/maps shows.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <ucontext.h>

#include "profiler/base/internal.h"
#include "profiler/base/proc_maps.h"
#include "profiler/base/text.h"

/* A stack that makecontext() was given. Lists only grow; a stack that is used again keeps its entry. */
struct named_stack {
  struct named_stack *next;
  uintptr_t low, high;
  uint32_t tid; /* of the thread that named it last */
};

static struct named_stack *named_stacks;
static struct prof_lock named_lock;

static void name_stack(uintptr_t low, uintptr_t high)
{
  uint32_t tid = prof_sys_gettid();
  uint64_t mask = prof_block_signals();
  prof_lock(&named_lock);
  struct named_stack *stack = named_stacks;
  while (stack && (high <= stack->low || low >= stack->high))
    stack = stack->next;
  bool is_new = !stack;
  if (is_new)
    stack = prof_process_alloc(sizeof *stack);
  if (stack) {
    __atomic_store_n(&stack->low, low, __ATOMIC_RELAXED);
    __atomic_store_n(&stack->high, high, __ATOMIC_RELAXED);
    __atomic_store_n(&stack->tid, tid, __ATOMIC_RELAXED);
  }
  if (is_new && stack) {
    stack->next = named_stacks;
    __atomic_store_n(&named_stacks, stack, __ATOMIC_RELEASE);
  }
  prof_unlock(&named_lock);
  prof_restore_signals(mask);
}

static const struct named_stack *find_named(uintptr_t sp)
{
  const struct named_stack *stack = __atomic_load_n(&named_stacks, __ATOMIC_ACQUIRE);
  while (stack && (sp < stack->low || sp >= stack->high))
    stack = stack->next;
  return stack;
}

bool prof_stack_named(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  const struct named_stack *stack = find_named(sp);
  if (!stack || stack->tid != prof_sys_gettid())
    return false;
  *low = stack->low;
  *high = stack->high;
  return true;
}

/* The alternate signal stack, while a handler runs on it. */
static bool find_alternate(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  stack_t stack;
  if (PROF_SYSCALL2(SYS_sigaltstack, 0, &stack) != 0 || stack.ss_flags & SS_DISABLE)
    return false;
  *low = (uintptr_t)stack.ss_sp;
  *high = *low + stack.ss_size;
  return sp >= *low && sp < *high;
}

struct stack_search {
  uintptr_t sp;
  uintptr_t below; /* end of the mapping before */
  uintptr_t low, high;
  bool grows; /* the main thread's stack: it may reach down to the mapping below */
};

static bool visit(const struct prof_mapping *mapping, void *data)
{
  struct stack_search *search = data;
  if (search->sp >= mapping->low && search->sp < mapping->high) {
    search->grows = prof_equal(mapping->path, "[stack]");
    search->low = search->grows ? search->below : mapping->low;
    search->high = mapping->high;
    return false;
  }
  search->below = mapping->high;
  return true;
}

static uintptr_t thread_pointer(void)
{
  uintptr_t tp;
  __asm__("movq %%fs:0, %0" : "=r"(tp));
  return tp;
}

/*
 * The C library hands the stacks of ended threads to new ones. What was found out about a thread's own stack is kept by
 * its thread pointer, in one word each that is read and written at once: the thread pointer's page, and the pages from
 * the stack's low end to it. Should the stack be another by then, deep recursion asks again.
 */
#define KNOWN_STACKS 256u
#define PAGE_BITS    12u
#define SIZE_BITS    28u

static uint64_t known_stacks[KNOWN_STACKS];

static uint64_t *known_place(uintptr_t tp)
{
  uint64_t page = tp >> PAGE_BITS;
  return &known_stacks[(page ^ page >> 8) % KNOWN_STACKS];
}

static void remember_stack(uintptr_t tp, uintptr_t low)
{
  uint64_t pages = (tp >> PAGE_BITS) - (low >> PAGE_BITS);
  if (pages >> SIZE_BITS == 0)
    __atomic_store_n(known_place(tp), (tp >> PAGE_BITS) << SIZE_BITS | pages, __ATOMIC_RELAXED);
}

static bool recall_stack(uintptr_t tp, uintptr_t sp, uintptr_t *low)
{
  uint64_t known = __atomic_load_n(known_place(tp), __ATOMIC_RELAXED);
  uint64_t pages = known & ((UINT64_C(1) << SIZE_BITS) - 1);
  if (known >> SIZE_BITS != tp >> PAGE_BITS)
    return false;
  *low = (tp >> PAGE_BITS << PAGE_BITS) - (pages << PAGE_BITS);
  return sp >= *low && sp < tp;
}

bool prof_stack_range(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  if (find_alternate(sp, low, high))
    return true;
  uintptr_t tp = thread_pointer();
  const struct named_stack *named = find_named(sp);
  if (!named && recall_stack(tp, sp, low)) {
    *high = tp;
    return true;
  }
  struct stack_search search = {.sp = sp};
  bool mapped = prof_maps_walk(visit, &search) == 0 && search.high;
  /* The C library keeps a thread's control block at the top of its stack. */
  bool own = mapped && (search.grows || (tp > sp && tp < search.high));
  /* A stack that was named once and freed may have become another thread's own. */
  if (named && !(own && named->tid != prof_sys_gettid())) {
    *low = named->low;
    *high = named->high;
    return true;
  }
  if (own && !search.grows)
    remember_stack(tp, search.low);
  *low = search.low;
  *high = own && !search.grows ? tp : search.high;
  return mapped;
}

static __attribute__((used)) void context_made(const ucontext_t *context)
{
  uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;
  if (low && context->uc_stack.ss_size)
    name_stack(low, low + context->uc_stack.ss_size);
}

/* The end of a context's function: %rbx holds its uc_link. */
void prof_context_end(void) __attribute__((visibility("hidden")));
__asm__(".text\n\t.type prof_context_end, @function\n\t.hidden prof_context_end\n"
        "prof_context_end:\n\t"
        "andq $-16, %rsp\n\t"
        "movq %rbx, %rdi\n\t"
        "testq %rdi, %rdi\n\t"
        "jz 1f\n\t"
        "call setcontext@PLT\n"
        "1:\txorl %edi, %edi\n\t"
        "call exit@PLT\n\t"
        "hlt\n\t"
        ".size prof_context_end, . - prof_context_end");

/* makecontext() itself, for statically linked programs, where the C library's cannot be found behind the one below. */
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

/* A statically linked program has no dlsym() unless it loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));

/* Notes the stack and says who makes the context. */
static __attribute__((used)) void *begin_makecontext(const ucontext_t *context)
{
  static void *next;
  context_made(context);
  if (!next && dlsym)
    next = dlsym(RTLD_NEXT, "makecontext");
  return next ? next : (void *)own_makecontext;
}

/* makecontext(context, function, count, ...): whatever the arguments are, they go on as they came. */
__asm__(".text\n\t.globl makecontext\n\t.type makecontext, @function\n"
        "makecontext:\n\t"
        "pushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tpushq %r8\n\tpushq %r9\n\tpushq %rax\n\t"
        "call begin_makecontext\n\t"
        "movq %rax, %r11\n\t"
        "popq %rax\n\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n\tpopq %rdi\n\t"
        "jmpq *%r11\n\t"
        ".size makecontext, . - makecontext");
