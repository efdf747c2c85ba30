/*
 * The net under guarded loads: a handler of SIGSEGV and SIGBUS that resumes a load of prof_guarded_copy() where it
 * gives up, and hands every other signal on to what the program has set.
 *
 * The kernel knows this handler with the program's own mask and stack for it, so that the program's handler, which is
 * jumped to, finds what it would have found. What the program has set beside those is one word, so that setting it
 * needs no lock.
 */
#include "profiler/base/fault_net.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "profiler/arch/primitives.h"
#include "profiler/arch/signal_context.h"
#include "profiler/base/attached.h"
#include "profiler/base/process.h"
#include "profiler/base/syscall.h"

#define MASK_BYTES sizeof(uint64_t)
#define SIGNALS    64

/* A program's action in one word: its handler, and above it which of these flags it has. */
#define HANDLER_BITS 56
static const uint64_t kept_flags[] = {SA_SIGINFO, SA_ONSTACK, SA_NODEFER, SA_RESTART, SA_RESETHAND};

#define UNKNOWN UINT64_MAX /* the kernel has the program's own */

enum net_state {
  NET_NONE,
  NET_BEGUN, /* being spread, or a thread of the parent was spreading it at the fork */
  NET_SPREAD,
  NET_GIVEN_UP,
};

static uint32_t net_state;      /* enum net_state, atomic */
static uint32_t handlers_block; /* some handler of the program runs with the net's signals blocked; atomic */
static uint64_t program_segv = UNKNOWN, program_bus = UNKNOWN; /* the program's actions; atomic */
uint32_t prof_net_generation = 1;
__thread uint32_t prof_net_armed;

static const struct prof_guarded_code *guarded; /* by prof_net_guard(); atomic */

static uint64_t *program_action(int number)
{
  return number == SIGSEGV ? &program_segv : &program_bus;
}

static uint64_t pack(const struct prof_signal_action *action)
{
  uint64_t word = action->handler;
  for (unsigned i = 0; i < sizeof kept_flags / sizeof *kept_flags; i++)
    word |= (uint64_t)((action->flags & kept_flags[i]) != 0) << (HANDLER_BITS + i);
  return word;
}

static uintptr_t packed_handler(uint64_t word)
{
  return word & (((uint64_t)1 << HANDLER_BITS) - 1);
}

static uint64_t packed_flags(uint64_t word)
{
  uint64_t flags = 0;
  for (unsigned i = 0; i < sizeof kept_flags / sizeof *kept_flags; i++)
    flags |= word >> (HANDLER_BITS + i) & 1 ? kept_flags[i] : 0;
  return flags;
}

static long kernel_action(int number, const struct prof_signal_action *set, struct prof_signal_action *old)
{
  return PROF_SYSCALL4(SYS_rt_sigaction, number, set, old, MASK_BYTES);
}

/* No thread is armed any more. */
static void disarm_all(void)
{
  __atomic_fetch_add(&prof_net_generation, 1, __ATOMIC_SEQ_CST);
}

/* What the kernel is to have for an action of the program: this handler in its place, unless it ignores the signal,
 * which programs that it executes inherit. */
static struct prof_signal_action below(const struct prof_signal_action *program)
{
  struct prof_signal_action action = *program;
  action.flags |= PROF_RESTORER_FLAG;
  action.restorer = prof_restorer();
  if (program->handler == (uintptr_t)SIG_IGN)
    return action;
  action.handler = (uintptr_t)prof_fault_entry;
  action.flags = (program->flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART)) | SA_SIGINFO | PROF_RESTORER_FLAG;
  if (program->handler == (uintptr_t)SIG_DFL)
    action.flags |= SA_ONSTACK;
  return action;
}

static bool is_spread(int number)
{
  struct prof_signal_action action = {0};
  return kernel_action(number, NULL, &action) == 0 && action.handler == (uintptr_t)prof_fault_entry;
}

/* Has the kernel do what it does by default: to a fault, which comes again, or to a signal that somebody sent. */
static void leave_to_kernel(int number, siginfo_t *info, bool is_fault)
{
  const struct prof_signal_action by_default = {.handler = (uintptr_t)SIG_DFL};
  kernel_action(number, &by_default, NULL);
  if (!is_fault)
    PROF_SYSCALL4(SYS_rt_tgsigqueueinfo, prof_sys_getpid(), prof_sys_gettid(), number, info);
}

void prof_net_guard(const struct prof_guarded_code *code)
{
  __atomic_store_n(&guarded, code, __ATOMIC_RELEASE);
}

/* Where an instruction that faulted is given up; 0: it is not guarded. */
static uintptr_t given_up_at(uintptr_t pc)
{
  const struct prof_guarded_code *code = __atomic_load_n(&guarded, __ATOMIC_ACQUIRE);
  if (pc >= (uintptr_t)prof_guarded_begin && pc < (uintptr_t)prof_guarded_end)
    return (uintptr_t)prof_guarded_failed;
  return code && pc >= (uintptr_t)code->begin && pc < (uintptr_t)code->end ? (uintptr_t)code->failed : 0;
}

/* What prof_fault_entry goes on to, 0: nothing. */
static uintptr_t take(int number, void *signal_info, void *signal_context)
{
  siginfo_t *info = signal_info;
  ucontext_t *context = signal_context;
  bool is_fault = info->si_code > 0 && !(number == SIGBUS && info->si_code == BUS_MCEERR_AO);
  const uintptr_t failed = is_fault ? given_up_at(prof_context_pc(context)) : 0;
  if (failed) {
    prof_context_continue(context, failed);
    return 0;
  }
  uint64_t *kept = program_action(number), word = __atomic_load_n(kept, __ATOMIC_SEQ_CST);
  uintptr_t handler = packed_handler(word);
  if (handler == (uintptr_t)SIG_DFL || handler == (uintptr_t)SIG_IGN) {
    leave_to_kernel(number, info, is_fault);
    return 0;
  }
  if (packed_flags(word) & SA_RESETHAND)
    __atomic_store_n(kept, word & ~(((uint64_t)1 << HANDLER_BITS) - 1), __ATOMIC_SEQ_CST);
  /* The signal is blocked while the program's handler runs, unless it says otherwise, and nothing tells when control
   * leaves it: the thread is armed again when it is seen to be open. */
  prof_net_armed = 0;
  return handler;
}

/* Spreads the net under one signal, unless the program ignores it. */
static void spread(int number)
{
  struct prof_signal_action program = {0}, action;
  uint64_t unknown = UNKNOWN;
  kernel_action(number, NULL, &program);
  if (program.handler == (uintptr_t)prof_fault_entry || program.handler == (uintptr_t)SIG_IGN)
    return;
  /* From here on prof_net_action() may come between, and has done all there is to do. */
  if (!__atomic_compare_exchange_n(program_action(number), &unknown, pack(&program), false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST))
    return;
  action = below(&program);
  kernel_action(number, &action, NULL);
}

/* Looks for handlers that were set past the C library, or before this one stood in for it. */
static void find_blocking_handlers(void)
{
  for (int number = 1; number <= SIGNALS; number++) {
    struct prof_signal_action action = {0};
    if (number != SIGSEGV && number != SIGBUS && kernel_action(number, NULL, &action) == 0 &&
        action.handler != (uintptr_t)SIG_DFL && action.handler != (uintptr_t)SIG_IGN)
      prof_net_handler_blocks(action.mask);
  }
}

static void spread_both(void)
{
  uint32_t begun = NET_BEGUN;
  prof_fault_taken = take;
  __atomic_store_n(&net_state, NET_BEGUN, __ATOMIC_SEQ_CST);
  find_blocking_handlers();
  spread(SIGSEGV);
  spread(SIGBUS);
  __atomic_compare_exchange_n(&net_state, &begun, NET_SPREAD, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool is_ignored(int number)
{
  return packed_handler(__atomic_load_n(program_action(number), __ATOMIC_SEQ_CST)) == (uintptr_t)SIG_IGN;
}

/* Is the program's action kept here? Else the kernel has it. */
static bool is_kept(int number)
{
  return __atomic_load_n(program_action(number), __ATOMIC_SEQ_CST) != UNKNOWN;
}

void prof_net_arm(void)
{
  uint64_t mask = PROF_NET_SIGNALS;
  uint32_t generation = __atomic_load_n(&prof_net_generation, __ATOMIC_SEQ_CST);
  uint32_t state = __atomic_load_n(&net_state, __ATOMIC_SEQ_CST);
  if (prof_signals_blocked || state == NET_GIVEN_UP || __atomic_load_n(&handlers_block, __ATOMIC_SEQ_CST))
    return;
  /* A program that was attached to calls the C library's sigaction() and the like past those of this library, and is to
   * have its own handlers when it is left. */
  if (prof_attached_settings())
    return;
  PROF_SYSCALL4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, MASK_BYTES);
  if (mask & PROF_NET_SIGNALS)
    return;
  if (state != NET_SPREAD)
    spread_both();
  if (is_spread(SIGSEGV) && is_spread(SIGBUS)) {
    /* Of before: a change meanwhile disarms this too. */
    prof_net_armed = generation;
    return;
  }
  for (int number = SIGBUS; number <= SIGSEGV; number += SIGSEGV - SIGBUS)
    if (!is_kept(number) || is_ignored(number))
      return;
  /* Something has set a handler past the C library. It is the program's to have. */
  __atomic_store_n(&net_state, NET_GIVEN_UP, __ATOMIC_SEQ_CST);
  disarm_all();
}

void prof_net_handler_blocks(uint64_t mask)
{
  if (!(mask & PROF_NET_SIGNALS) || __atomic_exchange_n(&handlers_block, 1, __ATOMIC_SEQ_CST))
    return;
  disarm_all();
}

bool prof_net_has(int number)
{
  if ((number != SIGSEGV && number != SIGBUS) || __atomic_load_n(&net_state, __ATOMIC_SEQ_CST) == NET_NONE)
    return false;
  /* A vfork() child has actions of its own, and what is kept here is its parent's. */
  if (prof_sys_getpid() != prof_process.pid && !prof_fork_happened())
    return false;
  return __atomic_load_n(&net_state, __ATOMIC_SEQ_CST) != NET_GIVEN_UP || is_spread(number) || is_ignored(number);
}

/* What a program wishes. One that set a handler past the C library was given the net's for the one before: it means its
 * own. */
static struct prof_signal_action wished(int number, const struct prof_signal_action *set)
{
  struct prof_signal_action action = *set;
  if (set->handler != (uintptr_t)prof_fault_entry)
    return action;
  uint64_t word = is_kept(number) ? __atomic_load_n(program_action(number), __ATOMIC_SEQ_CST) : 0;
  action.handler = packed_handler(word);
  action.flags = packed_flags(word);
  return action;
}

void prof_net_action(int number, const struct prof_signal_action *asked, struct prof_signal_action *old)
{
  struct prof_signal_action action, kernel = {0};
  uint64_t *kept = program_action(number), word;
  if (!asked) {
    kernel_action(number, NULL, &kernel);
    word = __atomic_load_n(kept, __ATOMIC_SEQ_CST);
  } else {
    const struct prof_signal_action program = wished(number, asked), *set = &program;
    if (set->handler == (uintptr_t)SIG_IGN)
      disarm_all();
    /* What the handler of the net goes on to, before the kernel can enter it. */
    word = __atomic_exchange_n(kept, pack(set), __ATOMIC_SEQ_CST);
    action = below(set);
    kernel_action(number, &action, &kernel);
  }
  if (!old)
    return;
  *old = kernel;
  /* Else the kernel has the program's own: ignored, or set past the C library. */
  if (word != UNKNOWN && kernel.handler == (uintptr_t)prof_fault_entry) {
    old->handler = packed_handler(word);
    old->flags = packed_flags(word) | PROF_RESTORER_FLAG;
  }
}
