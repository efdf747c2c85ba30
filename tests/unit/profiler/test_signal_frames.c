/* What the stack above a hook holds of old handlers may be overwritten in part: a stack pointer there that is none is
 * not followed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

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
  return 0;
}
