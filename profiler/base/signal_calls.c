/*
 * The C library's calls that set handlers and masks of signals, in its place: the net of fault_net.c lies below the
 * program's handlers, and has to know when it would not hold.
 *
 * They do what the C library does, with the same system calls. Only here is errno set: by what stands in for calls that
 * do so.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "callsig/callsig.h"
#include "profiler/arch/primitives.h"
#include "profiler/arch/signal_context.h"
#include "profiler/base/compiler.h"
#include "profiler/base/fault_net.h"
#include "profiler/base/signal_mask.h"
#include "profiler/base/syscall.h"

#define RESERVED ((uint64_t)3 << (32 - 1)) /* the C library's own two signals */

/* The kernel's part of a set: the first word. */
static uint64_t first_word(const sigset_t *set)
{
  return set->__val[0];
}

static void set_first_word(sigset_t *set, uint64_t word)
{
  set->__val[0] = word;
}

/* 0 or a negative errno. */
static long set_action(int number, const struct prof_signal_action *set, struct prof_signal_action *old)
{
  if (prof_net_has(number)) {
    prof_net_action(number, set, old);
    return 0;
  }
  if (set && set->handler != (uintptr_t)SIG_DFL && set->handler != (uintptr_t)SIG_IGN && number != SIGSEGV &&
      number != SIGBUS)
    prof_net_handler_blocks(set->mask);
  return PROF_SYSCALL4(SYS_rt_sigaction, number, set, old, sizeof(uint64_t));
}

PROF_STANDS_IN int sigaction(int number, const struct sigaction *set, struct sigaction *old)
{
  struct prof_signal_action wished, before;
  long failed = number == 32 || number == 33 ? -EINVAL : 0;
  if (set)
    wished = (struct prof_signal_action){.handler = (uintptr_t)set->sa_handler,
                                         .flags = (uint64_t)(int64_t)set->sa_flags | PROF_RESTORER_FLAG,
                                         .restorer = prof_restorer(),
                                         .mask = first_word(&set->sa_mask)};
  if (!failed)
    failed = set_action(number, set ? &wished : NULL, old ? &before : NULL);
  if (failed) {
    errno = (int)-failed;
    return -1;
  }
  if (old) {
    old->sa_handler = (void (*)(int))before.handler;
    old->sa_flags = (int)before.flags;
    old->sa_restorer = (void (*)(void))before.restorer;
    set_first_word(&old->sa_mask, before.mask);
  }
  return 0;
}

/* A statically linked program has no dlsym() unless it loads modules itself. */
extern __typeof__(dlsym) dlsym __attribute__((weak));

/* signal() of a signal that the net has nothing to do with: it has a state of its own in the C library (siginterrupt).
 */
PROF_STANDS_IN sighandler_t signal(int number, sighandler_t handler)
{
  static sighandler_t (*next)(int, sighandler_t);
  if (!next && dlsym)
    next = (sighandler_t(*)(int, sighandler_t))dlsym(RTLD_NEXT, "signal");
  if (next && !prof_net_has(number))
    return next(number, handler);
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction set = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  if (number >= 1 && number <= 64)
    set_first_word(&set.sa_mask, (uint64_t)1 << (number - 1));
  return sigaction(number, &set, &old) < 0 ? SIG_ERR : old.sa_handler;
}

__thread uint64_t prof_unblocked_in_handlers;

/* Those that it has blocked itself. */
static __thread uint64_t blocked_by_calls __attribute__((tls_model("initial-exec")));

/* Notes that the thread had `before` blocked, and has `now`. */
static inline __attribute__((always_inline)) void note_change(uint64_t before, uint64_t now)
{
  const uint64_t unblocked = before & ~now;
  prof_unblocked_in_handlers |= unblocked & ~blocked_by_calls;
  blocked_by_calls = (blocked_by_calls & ~unblocked) | (now & ~before);
}

static PROF_HOLDS_NO_FRAME long set_mask(int how, const sigset_t *set, sigset_t *old)
{
  uint64_t word = set ? first_word(set) & ~RESERVED : 0, before = 0;
  if (set && how != SIG_UNBLOCK)
    prof_net_blocking(word);
  /* The kernel writes to `old`, as the C library has it do: a bad pointer is an error, and no fault. */
  const long failed =
      PROF_SYSCALL4(SYS_rt_sigprocmask, how, set ? &word : NULL, old ? (void *)old : &before, sizeof word);
  if (failed || !set)
    return failed;
  if (old)
    before = first_word(old);
  note_change(before, how == SIG_SETMASK ? word : how == SIG_BLOCK ? before | word : before & ~word);
  return 0;
}

PROF_STANDS_IN int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
  long failed = set_mask(how, set, old);
  if (!failed)
    return 0;
  errno = (int)-failed;
  return -1;
}

PROF_STANDS_IN int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
  return (int)-set_mask(how, set, old);
}
