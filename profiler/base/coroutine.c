/*
 * Machine stacks: those that makecontext() was given, the alternate signal stack, and what /proc/self/maps shows.
 */
#include "profiler/base/coroutine.h"

#include <signal.h>
#include <stddef.h>

#include "profiler/arch/primitives.h"
#include "profiler/base/arena.h"
#include "profiler/base/lock.h"
#include "profiler/base/proc_maps.h"
#include "profiler/base/process.h"
#include "profiler/base/ranges.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

/* A stack that makecontext() was given. One that lies where another did takes that one's place. */
struct named_stack {
  struct prof_range range; /* first */
  uint32_t tid;            /* of the thread that named it last */
  uint32_t contexts;       /* that were made there so far */
};

static struct prof_ranges named_stacks;

void prof_stack_note(uintptr_t low, uintptr_t high)
{
  if (high <= low)
    return;
  uint32_t tid = prof_sys_gettid();
  uint64_t mask = prof_block_signals();
  /* A forked child that ran no hook yet has its parent's locks, as other threads held them. It goes on without a hook
   * of its own where its parent does not record, and is switched on with it. */
  prof_fork_arena(&prof_process);
  prof_lock(&prof_process.named_lock);
  struct named_stack *stack = (struct named_stack *)prof_ranges_across(&named_stacks, low, high);
  if (!stack)
    stack = prof_process_alloc(sizeof *stack);
  if (stack) {
    __atomic_store_n(&stack->tid, tid, __ATOMIC_RELAXED);
    __atomic_store_n(&stack->contexts, stack->contexts + 1, __ATOMIC_RELEASE);
    (void)prof_ranges_add(&named_stacks, NULL, &stack->range, low, high);
  }
  prof_unlock(&prof_process.named_lock);
  prof_restore_signals(mask);
}

static const struct named_stack *find_named(uintptr_t sp)
{
  return (const struct named_stack *)prof_ranges_at(&named_stacks, sp);
}

uint32_t prof_stack_contexts(uintptr_t low, uintptr_t high)
{
  const struct named_stack *stack = (const struct named_stack *)prof_ranges_with(&named_stacks, low, high);
  return stack ? __atomic_load_n(&stack->contexts, __ATOMIC_ACQUIRE) : 0;
}

static bool is_named_here(const struct named_stack *stack)
{
  return stack && __atomic_load_n(&stack->tid, __ATOMIC_RELAXED) == prof_sys_gettid();
}

bool prof_stack_named(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  const struct named_stack *stack = find_named(sp);
  if (!is_named_here(stack))
    return false;
  *low = stack->range.low;
  *high = stack->range.high;
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
  uintptr_t tp = prof_thread_pointer();
  const struct named_stack *named = find_named(sp);
  if (is_named_here(named)) {
    *low = named->range.low;
    *high = named->range.high;
    return true;
  }
  if (!named && recall_stack(tp, sp, low)) {
    *high = tp;
    return true;
  }
  struct stack_search search = {.sp = sp};
  bool mapped =
      prof_proc_maps_at(sp, &search.low, &search.high) || (prof_proc_maps_walk(visit, &search) == 0 && search.high);
  /* The C library keeps a thread's control block at the top of its stack. */
  bool own = mapped && (search.grows || (tp > sp && tp < search.high));
  /* A stack that was named once and freed may have become another thread's own. */
  if (named && !own) {
    *low = named->range.low;
    *high = named->range.high;
    return true;
  }
  if (own && !search.grows)
    remember_stack(tp, search.low);
  *low = search.low;
  *high = own && !search.grows ? tp : search.high;
  return mapped;
}

/* False when there is none, or it does not have these flags. */
static bool find_signal_stack(int flags, uintptr_t *low, uintptr_t *high)
{
  stack_t alternate;
  if (PROF_SYSCALL2(SYS_sigaltstack, 0, &alternate) < 0 || alternate.ss_flags & SS_DISABLE ||
      (alternate.ss_flags & flags) != flags)
    return false;
  *low = (uintptr_t)alternate.ss_sp;
  *high = *low + alternate.ss_size;
  return true;
}

bool prof_signal_stack(uintptr_t *low, uintptr_t *high)
{
  return find_signal_stack(0, low, high);
}

bool prof_signal_stack_at(uintptr_t sp, uintptr_t *low, uintptr_t *high)
{
  return find_signal_stack(SS_ONSTACK, low, high) && sp > *low && sp <= *high;
}
