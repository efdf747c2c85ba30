/*
 * What hooks cost after recording was switched off and on, in system calls: little more than none where every call has
 * been made before, also in the handler of a signal that waited meanwhile, and in one that interrupted a hook. Handlers
 * of a timer that take longer than its period would nest until the program's stack is full. So is what calls cost that
 * are left by longjmp(): none for each.
 */
/* ctest: skips - */
/* ctest: records */
/* ctest: build _O2 -g -O2 -finstrument-functions */
/* ctest: build _sleds -g -O2 -DA_SWITCH=32u @CALLSIG_TEST_SLEDS@ */
/* ctest: case - quick */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callsig/callsig.h"
#include "profiler/base/process.h"
#include "profiler/stack/thread.h"
#include "tests/support/check.h"
#include "tests/support/one_processor.h"

#define QUIET     __attribute__((no_instrument_function, noinline))
#define CALLS     20u /* that a handler makes */
#define SWITCHES  10u
#define A_HANDLER 30u  /* of a handler's calls, the signal's own included: not some for each call */
#define LEAVES    200u /* by longjmp() */
#define SKIPPED   77

#ifndef A_SWITCH
#define A_SWITCH 30u /* system calls of off and on, with the first hook that follows: as many for each */
#endif

static struct shared {
  volatile int counts; /* the parent is to count */
  unsigned calls;      /* system calls, see is_counted() */
} * shared;

static unsigned called, handlers, waiting;

static __attribute__((noinline)) void work(void)
{
  called++;
}

static __attribute__((noinline)) void work_often(void)
{
  for (unsigned i = 0; i < CALLS; i++)
    work();
}

static QUIET void on_signal(int number)
{
  CHECK(number == SIGUSR1);
  handlers++;
  work_often();
  waiting += prof_self->interrupted;
}

static QUIET void switch_recording(void)
{
  CHECK(callsig_disable() == 0 && callsig_enable() == 0);
}

static QUIET void begin(void)
{
  shared->calls = 0;
  shared->counts = 1;
}

/* At most so many system calls since begin(). */
static QUIET void hold(const char *what, unsigned most)
{
  shared->counts = 0;
  if (shared->calls > most)
    fprintf(stderr, "%s: %u system calls, not at most %u\n", what, shared->calls, most);
  CHECK(shared->calls <= most);
}

static QUIET void check_switches(void)
{
  begin();
  for (unsigned i = 0; i < SWITCHES; i++) {
    switch_recording();
    work();
  }
  hold("switches", SWITCHES * A_SWITCH);
}

/* The signal comes when the mask is restored, before the thread's next hook: it interrupts none. */
static QUIET void check_waiting_signal(void)
{
  sigset_t all, before;
  CHECK(sigfillset(&all) == 0 && sigprocmask(SIG_BLOCK, &all, &before) == 0);
  CHECK(raise(SIGUSR1) == 0 && callsig_disable() == 0);
  begin();
  CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
  hold("a handler of a signal that the program had blocked", A_HANDLER);
  CHECK(callsig_enable() == 0);
  CHECK(handlers == 1 && waiting == 0);
}

static jmp_buf outside;

static __attribute__((noinline)) void leave(void)
{
  if (++called)
    longjmp(outside, 1);
}

static __attribute__((noinline)) void call_what_leaves(void)
{
  leave();
  called++;
}

static __attribute__((noinline)) void be_left(void)
{
  if (setjmp(outside) == 0)
    call_what_leaves();
}

static QUIET void check_leaving(void)
{
  const uint64_t *unwound = &prof_process.header->loss[FMT_LOSS_UNWOUND], before = *unwound;
  be_left();
  begin();
  for (unsigned i = 0; i < LEAVES; i++)
    be_left();
  hold("calls that are left", LEAVES / 10);
  CHECK(*unwound - before == 2 * (LEAVES + 1));
}

static QUIET void on_switch(int number)
{
  CHECK(number == SIGUSR2);
  switch_recording();
  begin();
  on_signal(SIGUSR1);
  hold("a handler that interrupted a hook", A_HANDLER);
}

static uint64_t ticks;

/* A hook is interrupted where it reads the program's own clock. */
static QUIET uint64_t own_clock(void *data)
{
  int *interrupts = data;
  if (*interrupts && --*interrupts == 0)
    CHECK(raise(SIGUSR2) == 0);
  return ticks += 1000;
}

static QUIET void run_tests(int own)
{
  static int interrupts;
  if (own)
    CHECK(callsig_set_clock(own_clock, &interrupts, 1000000000) == 0);
  const struct sigaction calls = {.sa_handler = on_signal}, switches = {.sa_handler = on_switch};
  CHECK(sigaction(SIGUSR1, &calls, NULL) == 0 && sigaction(SIGUSR2, &switches, NULL) == 0);
  work();
  if (!own) {
    check_switches();
    check_waiting_signal();
    check_leaving();
    return;
  }
  CHECK(raise(SIGUSR1) == 0);
  interrupts = 1;
  work();
  CHECK(interrupts == 0 && handlers == 2 && waiting == 1);
}

/* Is the child about to make a call that a slow section makes, or a look at what is mapped? What it has waited for a
 * processor it asks often under a tracer, who stops it each time. */
static QUIET int is_counted(pid_t child)
{
  struct __ptrace_syscall_info info;
  CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) > 0);
  return info.op == PTRACE_SYSCALL_INFO_ENTRY &&
         (info.entry.nr == SYS_rt_sigprocmask || info.entry.nr == SYS_sigaltstack ||
          info.entry.nr == SYS_process_vm_readv || info.entry.nr == SYS_mmap || info.entry.nr == SYS_pread64);
}

/* Counts such calls of the child. Returns its status. */
static QUIET int count_calls(pid_t child)
{
  int status;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const int number = WSTOPSIG(status);
    const int is_call = number == (SIGTRAP | 0x80);
    shared->calls += is_call && shared->counts && is_counted(child);
    if (number == SIGSTOP)
      CHECK(ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0);
    const long sent = is_call || number == SIGSTOP || number == SIGTRAP ? 0 : number;
    CHECK(ptrace(PTRACE_SYSCALL, child, NULL, sent) == 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static QUIET int run_counted(int own)
{
  stay_on_this_processor();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child > 0)
    return count_calls(child);
  CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
    fprintf(stderr, "skipped: this machine does not let a parent trace its child (%s)\n", strerror(errno));
    _exit(SKIPPED);
  }
  CHECK(raise(SIGSTOP) == 0);
  run_tests(own);
  CHECK(unlink(callsig_path()) == 0);
  _exit(0); /* what looks for leaks when a program ends cannot do so in one that is traced */
}

QUIET int main(void)
{
  void *page = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  shared = page;
  const int status = run_counted(0);
  return status ? status : run_counted(1);
}
