/*
 * Whether a signal interrupted a hook of the thread that is not done yet.
 *
 * A hook notes nowhere that it runs: its fast path has no instruction to spare. But a handler that interrupted it runs
 * on top of what the kernel saved, where the program counter is that of the hook. So the stack is searched for such
 * records, from the hook that asks upwards. One may be left over: of a handler that returned, in a variable that a
 * function has not written to yet. Then no more signals are blocked than were when that handler began, which had one
 * more at least: the one that it was entered for.
 */
#include "profiler/stack/interrupted.h"

#include <elf.h>
#include <link.h>
#include <signal.h>

#include "format/recording.h"
#include "profiler/arch/primitives.h"
#include "profiler/base/attached.h"
#include "profiler/base/coroutine.h"
#include "profiler/base/fault_net.h"
#include "profiler/base/kernel_clock.h"
#include "profiler/base/own_code.h"
#include "profiler/base/process.h"
#include "profiler/base/read_memory.h"
#include "profiler/base/signal_mask.h"
#include "profiler/base/syscall.h"

#define PAGE    4096u
#define SIGNALS 64
#define MOST_JUMPS                                                                                                     \
  8u /* from an alternate stack to the one that was interrupted: there is one, but handlers may set another */

/* Set by the linker: the object that the runtime is a part of, from its first byte to the end of its code. In a static
 * program that is the program itself, so that any handler counts as one that interrupted a hook. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* The code of PROF_HOLDS_NO_FRAME. */
extern const char no_frame_begin[] __asm__("__start_callsig_holds_no_frame") __attribute__((visibility("hidden")));
extern const char no_frame_end[] __asm__("__stop_callsig_holds_no_frame") __attribute__((visibility("hidden")));

/* May a hook be interrupted there? An injected clock is the program's own code, and may call any. The kernel's is in
 * the process, but in no file: the program may be there as well, which cannot be told apart. */
static bool is_in_hook(uintptr_t pc)
{
  if (prof_process.settings.clock == FMT_CLOCK_INJECTED)
    return true;
  if (pc >= (uintptr_t)no_frame_begin && pc < (uintptr_t)no_frame_end)
    return false;
  if (pc >= (uintptr_t)&__ehdr_start && pc < (uintptr_t)etext)
    return true;
  if (prof_process.settings.clock == FMT_CLOCK_MONOTONIC && prof_kernel_clock_holds(pc))
    return true;
  return prof_own_code_holds(pc);
}

/* Does a handler that returns to this address end there? Nearly all of them return to the same, which is read once: a
 * hook may ask in each of many handlers that are nested, and the kernel takes as long to copy those bytes as it takes
 * to search thousands. */
static bool ends_handlers(uintptr_t address)
{
  static uintptr_t known; /* atomic */
  uint8_t code[PROF_SIGNAL_RETURN_SIZE];
  if (address == __atomic_load_n(&known, __ATOMIC_RELAXED))
    return true;
  if (prof_read_memory(code, address, sizeof code) < 0 || !prof_signal_return_is(code))
    return false;
  __atomic_store_n(&known, address, __ATOMIC_RELAXED);
  return true;
}

static bool is_signal_frame(const uint64_t *context, struct prof_signal_frame *frame)
{
  return prof_signal_frame_may_be(context, frame) && ends_handlers(frame->returns_to);
}

/* May there be a handler that runs without its signal being blocked? The kernel keeps that of one that is gone by now
 * (SA_RESETHAND). */
static bool some_handler_nests(void)
{
  for (int number = 1; number <= SIGNALS; number++) {
    struct prof_signal_action action = {0};
    if (PROF_SYSCALL4(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask) != 0 || action.flags & SA_NODEFER)
      return true;
  }
  return false;
}

/* May the handler of this record be running? `blocked`: the signals that are blocked now, or were in handlers that were
 * entered since. Where the program was attached to, its calls that unblock some are not seen. */
static bool may_run(const struct prof_signal_frame *frame, uint64_t blocked)
{
  return blocked & ~frame->blocked || prof_unblocked_in_handlers || prof_attached_settings() || some_handler_nests();
}

/* What is left to search: [next, end), and further while the memory goes on where its end is not known. */
struct search {
  uintptr_t low; /* of the stack; where that is not known, what is searched begins there */
  uintptr_t next, end;
  /* An alternate stack in the midst of it that is not run on, empty where there is none: the records there are of
   * handlers that returned. */
  uintptr_t past_low, past_high;
  bool open_ended;
};

/* Where a record may lie at the earliest: the word before it is read too. */
static uintptr_t first_from(uintptr_t address)
{
  const uintptr_t align = PROF_SIGNAL_FRAME_ALIGN;
  return (address + sizeof(uint64_t) + align - 1) & ~(align - 1);
}

static bool has_more(struct search *search)
{
  uint8_t byte;
  if (search->next + PROF_SIGNAL_FRAME_SIZE > search->past_low && search->next < search->past_high)
    search->next = first_from(search->past_high);
  for (; search->next + PROF_SIGNAL_FRAME_SIZE > search->end; search->end += PAGE)
    if (!search->open_ended || prof_read_memory(&byte, search->end, sizeof byte) < 0)
      return false;
  return true;
}

/* The stack above `sp`. */
static struct search begin(const struct prof_thread *t, uintptr_t sp)
{
  uintptr_t low, high, past_low = 0, past_high = 0;
  /* First, since it may lie among the thread's own frames. */
  bool known = prof_signal_stack_at(sp, &low, &high);
  if (!known)
    (void)prof_signal_stack(&past_low, &past_high);
  if (!known && sp > t->stack_low && sp <= t->stack_high && t->stack_high < UINTPTR_MAX) {
    low = t->stack_low;
    high = t->stack_high;
    known = true;
  }
  if (!known)
    known = prof_stack_range(sp, &low, &high);
  return (struct search){.low = known ? low : sp,
                         .next = first_from(sp),
                         .past_low = past_low,
                         .past_high = past_high,
                         .end = known ? high : (sp + PAGE) & ~(uintptr_t)(PAGE - 1),
                         .open_ended = !known};
}

bool prof_hook_is_interrupted(const struct prof_thread *t, struct prof_handler *handler)
{
  uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
  uint64_t blocked = t->sigmask;
  for (unsigned jumps = 0; sp && jumps <= MOST_JUMPS; jumps++) {
    struct search search = begin(t, sp);
    if (jumps == 0)
      *handler = (struct prof_handler){search.low, search.end};
    uintptr_t other = 0;
    for (; has_more(&search); search.next += PROF_SIGNAL_FRAME_ALIGN) {
      struct prof_signal_frame frame;
      if (!is_signal_frame((const uint64_t *)search.next, &frame))
        continue;
      const bool in_hook = is_in_hook(frame.pc);
      if (in_hook && !may_run(&frame, blocked))
        continue;
      if (jumps == 0)
        handler->high = search.next;
      if (in_hook)
        return true;
      blocked |= frame.blocked;
      /* A handler on an alternate stack: what it interrupted lies on another. */
      bool here = frame.sp > search.next && (search.open_ended || frame.sp <= search.end);
      other = here ? 0 : frame.sp;
    }
    /* A record that is left over from an earlier handler may be overwritten in part. */
    uint8_t byte;
    sp = other && prof_read_memory(&byte, other, sizeof byte) == 0 ? other : 0;
  }
  return false;
}

bool prof_hook_still_interrupted(const struct prof_handler *handler)
{
  uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
  struct prof_signal_frame frame;
  if (sp <= handler->low || sp >= handler->high)
    return false;
  for (uintptr_t at = first_from(sp); at <= handler->high; at += PROF_SIGNAL_FRAME_ALIGN)
    if (is_signal_frame((const uint64_t *)at, &frame))
      return at == handler->high && is_in_hook(frame.pc);
  return false;
}
