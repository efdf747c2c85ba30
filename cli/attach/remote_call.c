/* Has a stopped thread call a function, and stops it again when that returns.
 *
 * The function returns to an instruction of a system call, at whose entry the thread stops: so the end is told without
 * a trap, which is a signal, and what the program has set for it does not matter. The kernel is told not to do the
 * call.
 */
#include "cli/attach/remote_call.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/attach/mappings.h"
#include "cli/attach/thread_list.h"

/* The loader's lock is held by another thread for as long as constructors of the program's run. */
#define CALL_SECONDS 20.0

static uint64_t bit_of(int signal)
{
  return UINT64_C(1) << (signal - 1);
}

int cli_remote_begin(struct cli_remote *remote, const struct cli_borrowed *thread, uint64_t instruction)
{
  struct cli_place place;
  int error = cli_arch_look(thread->thread, &place);
  if (error < 0)
    return error;
  *remote = (struct cli_remote){thread, instruction, place.sp - CLI_ARCH_RED_ZONE};
  /* The kernel resets what the program has set for a fault that comes while it is blocked. */
  const uint64_t faults = bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGILL) | bit_of(SIGFPE) | bit_of(SIGTRAP);
  const uint64_t mask = thread->mask | ~faults;
  return ptrace(PTRACE_SETSIGMASK, thread->thread, sizeof mask, &mask) != 0 ? -errno : 0;
}

int cli_remote_push(struct cli_remote *remote, const void *data, size_t size, uint64_t *address)
{
  remote->sp = (remote->sp - size) & ~UINT64_C(15);
  *address = remote->sp;
  return cli_memory_write(remote->thread->process, *address, data, size);
}

/* Lets the thread run to the entry or the end of its next system call. A signal that was sent stays; one of its own
 * faults ends the call: -EFAULT. */
static int next_stop(const struct cli_remote *remote)
{
  const pid_t thread = remote->thread->thread;
  int status = 0;
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, thread, NULL, NULL) != 0)
      return -errno;
    int error;
    do
      error = cli_borrow_wait(remote->thread, CALL_SECONDS, &status);
    while (error == -ETIMEDOUT && cli_thread_call(remote->thread->process, remote->thread->thread) != SYS_futex);
    if (error < 0)
      return error;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80))
      return 0;
    siginfo_t info;
    if (status >> 16 != 0 || ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) != 0)
      continue;
    if (info.si_code > 0)
      return -EFAULT;
    /* Somebody sent it: it comes again when the thread is let go. */
    uint64_t mask = ~UINT64_C(0);
    ptrace(PTRACE_SETSIGMASK, thread, sizeof mask, &mask);
    syscall(SYS_tgkill, remote->thread->process, thread, WSTOPSIG(status));
  }
}

/* A call that does not return waits for a lock: nothing of it has been done yet. */
static int give_up(const struct cli_remote *remote)
{
  int status = 0;
  if (ptrace(PTRACE_INTERRUPT, remote->thread->thread, NULL, NULL) != 0)
    return -errno;
  int error = cli_borrow_wait(remote->thread, CALL_SECONDS, &status);
  return error < 0 ? error : -EDEADLK;
}

/* Brings the thread back into the stop of one that is borrowed. */
static int come_back(const struct cli_remote *remote, int error)
{
  if (error == -ESRCH)
    return error;
  int stopped = cli_borrow_stop(remote->thread);
  return error < 0 ? error : stopped;
}

int cli_remote_call(struct cli_remote *remote, uint64_t function, const uint64_t arguments[CLI_CALL_ARGUMENTS],
                    uint64_t *result)
{
  const pid_t thread = remote->thread->thread;
  struct cli_place place = {0};
  int error = cli_arch_call(thread, &remote->thread->registers, function, remote->instruction, remote->sp, arguments);
  for (bool entry = true; error == 0; entry = !entry) {
    error = next_stop(remote);
    if (error == -ETIMEDOUT)
      error = give_up(remote);
    if (error == 0)
      error = cli_arch_look(thread, &place);
    if (error == 0 && entry && place.pc == remote->instruction + CLI_ARCH_SYSTEM_CALL_SIZE &&
        place.sp == cli_arch_sp_after(remote->sp))
      break;
  }
  *result = (uint64_t)place.call;
  if (error == 0)
    error = cli_arch_skip_system_call(thread);
  return come_back(remote, error);
}

int cli_remote_system_call(struct cli_remote *remote, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS],
                           long *result)
{
  const pid_t thread = remote->thread->thread;
  struct cli_place place = {0};
  int error = cli_arch_system_call(thread, &remote->thread->registers, remote->instruction, number, arguments);
  if (error == 0)
    error = next_stop(remote); /* its entry */
  if (error == 0)
    error = next_stop(remote);
  if (error == 0)
    error = cli_arch_look(thread, &place);
  *result = place.result;
  return come_back(remote, error);
}
