/* What the stack above a hook holds of old handlers may be overwritten in part: a stack pointer there that is none is
 * not followed. Nor is a handler that has returned taken for one that runs; but one that runs is, whatever it has
 * unblocked. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "profiler/base/lock.h"
#include "profiler/base/process.h"
#include "profiler/stack/interrupted.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"

static struct prof_thread thread;
static volatile uint64_t overwritten_with;
static volatile bool interrupted;

static void on_signal(int number, siginfo_t *info, void *data)
{
  (void)number;
  (void)info;
  ucontext_t *context = data;
#if defined(__x86_64__)
  greg_t *sp = &context->uc_mcontext.gregs[REG_RSP], kept = *sp;
  *(volatile greg_t *)sp = (greg_t)overwritten_with;
#else
  __u64 *sp = (__u64 *)&context->uc_mcontext.sp, kept = *sp;
  *(volatile __u64 *)sp = overwritten_with;
#endif
  struct prof_handler handler;
  interrupted = prof_hook_is_interrupted(&thread, &handler);
  *sp = kept;
}

/* The program's stack pointer is what it was, or `value`. */
static void look_with(uint64_t value)
{
  overwritten_with = value;
  interrupted = true;
  CHECK(raise(SIGUSR1) == 0);
  CHECK(!interrupted);
}

/* Is a hook interrupted, if all code is a hook's? */
static bool ask(void)
{
  struct prof_handler handler;
  prof_process.settings.clock = FMT_CLOCK_INJECTED;
  thread.sigmask = prof_block_signals();
  bool is_interrupted = prof_hook_is_interrupted(&thread, &handler);
  prof_restore_signals(thread.sigmask);
  prof_process.settings.clock = FMT_CLOCK_TSC;
  return is_interrupted;
}

static volatile bool unblocks;

static void ask_in_handler(int number)
{
  sigset_t set;
  CHECK(sigemptyset(&set) == 0 && sigaddset(&set, number) == 0);
  if (unblocks)
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
  interrupted = ask();
}

static __attribute__((noinline)) void raise_below(void)
{
  char far[16 << 10];
  __asm__ volatile("" : : "r"(far) : "memory");
  CHECK(raise(SIGUSR2) == 0);
}

/* In variables that nobody has written to yet, where raise_below() was. */
static __attribute__((noinline)) bool ask_above_left_over(void)
{
  char unwritten[64 << 10];
  __asm__ volatile("" : : "r"(unwritten) : "memory");
  bool is_interrupted = ask();
  __asm__ volatile("" : : "r"(unwritten) : "memory");
  return is_interrupted;
}

static void handle(int flags, bool then_unblocks)
{
  const struct sigaction action = {.sa_handler = ask_in_handler, .sa_flags = flags};
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
  unblocks = then_unblocks;
  interrupted = false;
  raise_below();
  CHECK(interrupted);
}

static void tell_apart(void)
{
  CHECK(!ask());
  handle(0, false);
  CHECK(!ask_above_left_over());
  handle(SA_NODEFER, false);
  handle((int)SA_RESETHAND | SA_NODEFER, false);
  handle(0, true);
}

int main(void)
{
  static char stack[1 << 16];
  prof_process.pid = (uint32_t)getpid(); /* what reading memory asks for */
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  CHECK(sigaltstack(&alternate, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
  void *gone = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(gone != MAP_FAILED && munmap(gone, 4096) == 0);
  look_with((uintptr_t)__builtin_frame_address(0));
  look_with(8);
  look_with((uintptr_t)gone + 8);
  look_with(UINTPTR_MAX);
  tell_apart();
  return 0;
}
