/* Has a stopped thread call a function, and stops it again when that returns.
 *
 * Below all that the thread has on its stack lies a frame as that of a signal's handler, and what the thread is made to
 * do returns into it: by a system call (rt_sigreturn), at whose entry the thread stops. So the end is told without a
 * trap, which is a signal, and what the program has set for it does not matter; and where nobody traces the thread any
 * more, since this process was killed, the call is made, and the thread goes on where it was. Each change of its
 * registers is one request to the kernel, between whose before and after there is nothing.
 */
#include "cli/attach/remote_call.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/attach/thread_list.h"
#include "cli/common/mappings.h"

/* The loader's lock is held by another thread for as long as constructors of the program's run. */
#define CALL_SECONDS 20.0

static uint64_t bit_of(int signal)
{
  return UINT64_C(1) << (signal - 1);
}

/* Those that a fault of the thread's own has; the kernel resets what the program has set for one that comes while it is
 * blocked. */
static uint64_t faults(void)
{
  return bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGILL) | bit_of(SIGFPE) | bit_of(SIGTRAP);
}

/* Has the thread block signals: by itself, so that the frame undoes it. */
static int block_signals(struct cli_remote *remote)
{
  uint64_t address;
  long result = 0;
  int error = cli_remote_push(remote, &remote->mask, sizeof remote->mask, &address);
  if (error < 0)
    return error;
  const uint64_t arguments[CLI_CALL_ARGUMENTS] = {SIG_SETMASK, address, 0, sizeof remote->mask};
  error = cli_remote_system_call(remote, SYS_rt_sigprocmask, arguments, &result);
  return error < 0 ? error : (int)result;
}

int cli_remote_begin(struct cli_remote *remote, const struct cli_borrowed *thread, const struct cli_places *places,
                     bool again)
{
  struct cli_place place;
  struct cli_frame frame = {0};
  int error = cli_arch_look(thread->thread, &place);
  if (error == 0)
    error = cli_arch_make_frame(&thread->registers, thread->mask, again, places, place.sp, &frame);
  if (error < 0)
    return error;
  *remote = (struct cli_remote){.thread = thread,
                                .places = *places,
                                .mask = thread->mask | ~faults(),
                                .frame = frame.address,
                                .sp = frame.address};
  error = cli_memory_write(thread->process, frame.address, frame.bytes, frame.size);
  free(frame.bytes);
  return error < 0 ? error : block_signals(remote);
}

int cli_remote_push(struct cli_remote *remote, const void *data, size_t size, uint64_t *address)
{
  remote->sp = (remote->sp - size) & ~UINT64_C(15);
  *address = remote->sp;
  return cli_memory_write(remote->thread->process, *address, data, size);
}

/* Is the signal that the thread stopped for, of a fault? Not where somebody sent it. */
static bool is_fault(const struct cli_remote *remote, int signal)
{
  siginfo_t info;
  return (faults() & bit_of(signal)) != 0 && ptrace(PTRACE_GETSIGINFO, remote->thread->thread, NULL, &info) == 0 &&
         info.si_code > 0;
}

/* Lets the thread run to the entry or the end of its next system call. Another signal waits until the thread is let go,
 * since it is blocked by the time that the kernel is told to go on with it; one of a fault ends the call: -EFAULT. */
static int next_stop(const struct cli_remote *remote)
{
  const pid_t thread = remote->thread->thread;
  int status = 0;
  for (long signal = 0;;) {
    if (ptrace(PTRACE_SYSCALL, thread, NULL, signal) != 0)
      return -errno;
    int error;
    do
      error = cli_borrow_wait(remote->thread, CALL_SECONDS, &status);
    while (error == -ETIMEDOUT && cli_thread_call(remote->thread->process, remote->thread->thread) != SYS_futex);
    if (error < 0)
      return error;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80))
      return 0;
    signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
    if (signal != 0 && is_fault(remote, (int)signal))
      return -EFAULT;
    if (signal != 0) {
      const uint64_t mask = remote->mask | bit_of((int)signal);
      ptrace(PTRACE_SETSIGMASK, thread, sizeof mask, &mask);
    }
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
  int back = cli_arch_go_back(remote->thread->thread, &remote->thread->registers, &remote->places, remote->frame);
  if (back == 0)
    back = cli_borrow_stop(remote->thread);
  return error < 0 ? error : back;
}

/* Lets the function run until it has returned. */
static int wait_for_return(const struct cli_remote *remote)
{
  struct cli_place place = {0};
  for (bool entry = true;; entry = !entry) {
    int error = next_stop(remote);
    if (error == -ETIMEDOUT)
      error = give_up(remote);
    if (error == 0)
      error = cli_arch_look(remote->thread->thread, &place);
    if (error < 0 || (entry && cli_arch_is_back(&place, &remote->places, remote->frame)))
      return error;
  }
}

int cli_remote_call(struct cli_remote *remote, uint64_t code, uint64_t function, uint64_t first, uint64_t second,
                    uint64_t *result)
{
  struct cli_call call = {.function = function,
                          .errno_location = remote->places.errno_location,
                          .arguments = {first, second},
                          .frame = remote->frame};
  uint64_t address;
  int error = cli_remote_push(remote, &call, sizeof call, &address);
  if (error < 0)
    return error;
  error = cli_arch_call(remote->thread->thread, &remote->thread->registers, code, address);
  if (error == 0)
    error = wait_for_return(remote);
  if (error == 0)
    error = cli_memory_read(remote->thread->process, address, &call, sizeof call);
  *result = call.result;
  return come_back(remote, error);
}

int cli_remote_system_call(struct cli_remote *remote, long number, const uint64_t arguments[CLI_CALL_ARGUMENTS],
                           long *result)
{
  const pid_t thread = remote->thread->thread;
  struct cli_place place = {0};
  int error =
      cli_arch_system_call(thread, &remote->thread->registers, &remote->places, remote->frame, number, arguments);
  if (error == 0)
    error = next_stop(remote); /* its entry */
  if (error == 0)
    error = next_stop(remote);
  if (error == 0)
    error = cli_arch_look(thread, &place);
  *result = place.result;
  return come_back(remote, error);
}
