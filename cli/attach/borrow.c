/* Stops a thread by ptrace, without a signal, and lets it go on. */
#include "cli/attach/borrow.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/attach/status_line.h"

/* A thread that does not stop in this time sleeps where the kernel wakes nobody. */
#define STOP_SECONDS 2.0
/* A process may get this many signals one after the other while one of its threads is to stop. */
#define MOST_SIGNALS 1000

void cli_borrow_prepare(void)
{
  sigset_t child;
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int cli_borrow_wait(const struct cli_borrowed *borrowed, double seconds, int *status)
{
  const struct timespec moment = {.tv_nsec = 20000000};
  const double end = now() + seconds;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  for (;;) {
    pid_t found = waitpid(borrowed->thread, status, __WALL | WNOHANG);
    if (found == borrowed->thread)
      return WIFSTOPPED(*status) ? 0 : -ESRCH;
    if (found < 0 && errno != EINTR)
      return -ESRCH;
    if (now() > end)
      return -ETIMEDOUT;
    sigtimedwait(&child, NULL, &moment);
  }
}

static bool is_borrowed_stop(int status)
{
  return status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}

/* Has the kernel stop it, after whatever it is stopped at now. A signal that comes between goes on to the program.
 * -EAGAIN: the whole process is being stopped. */
static int wait_for_stop(const struct cli_borrowed *borrowed)
{
  int status = 0;
  for (int i = 0; i < MOST_SIGNALS; i++) {
    int error = cli_borrow_wait(borrowed, STOP_SECONDS, &status);
    if (error < 0)
      return error;
    if (is_borrowed_stop(status))
      return 0;
    if (status >> 16 == PTRACE_EVENT_STOP)
      return -EAGAIN;
    long signal = status >> 16 == 0 && WSTOPSIG(status) != (SIGTRAP | 0x80) ? WSTOPSIG(status) : 0;
    if (ptrace(PTRACE_CONT, borrowed->thread, NULL, signal) != 0)
      return -errno;
  }
  return -EAGAIN;
}

int cli_borrow_stop(const struct cli_borrowed *borrowed)
{
  if (ptrace(PTRACE_INTERRUPT, borrowed->thread, NULL, NULL) != 0 ||
      ptrace(PTRACE_CONT, borrowed->thread, NULL, NULL) != 0)
    return -errno;
  return wait_for_stop(borrowed);
}

int cli_borrow(pid_t process, pid_t thread, struct cli_borrowed *borrowed)
{
  *borrowed = (struct cli_borrowed){.process = process, .thread = thread};
  if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACESYSGOOD) != 0)
    return errno == ESRCH ? -EAGAIN : -errno;
  int error = ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0 ? -errno : wait_for_stop(borrowed);
  if (error == -ETIMEDOUT)
    return error;
  if (error == 0)
    error = cli_arch_save(thread, &borrowed->registers);
  if (error == 0 && ptrace(PTRACE_GETSIGMASK, thread, sizeof borrowed->mask, &borrowed->mask) != 0)
    error = -errno;
  if (error < 0) {
    cli_arch_release(&borrowed->registers);
    ptrace(PTRACE_DETACH, thread, NULL, NULL);
  }
  return error == -ESRCH ? -EAGAIN : error;
}

/* Whether a handler of the program is about to run in the thread, for which the call returns EINTR. */
static bool has_handler_waiting(const struct cli_borrowed *borrowed)
{
  char path[96], line[256];
  uint64_t pending = 0, shared = 0, blocked = 0, caught = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)borrowed->process, (int)borrowed->thread);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return true;
  while (fgets(line, sizeof line, file) != NULL)
    (void)(cli_status_line(line, "SigPnd", 16, &pending, 1) || cli_status_line(line, "ShdPnd", 16, &shared, 1) ||
           cli_status_line(line, "SigBlk", 16, &blocked, 1) || cli_status_line(line, "SigCgt", 16, &caught, 1));
  fclose(file);
  return ((pending | shared) & caught & ~blocked) != 0;
}

bool cli_borrow_again(const struct cli_borrowed *borrowed)
{
  return cli_arch_is_cut(&borrowed->registers) && !has_handler_waiting(borrowed);
}

int cli_borrow_release(struct cli_borrowed *borrowed)
{
  int error = 0;
  if (ptrace(PTRACE_SETSIGMASK, borrowed->thread, sizeof borrowed->mask, &borrowed->mask) != 0)
    error = -errno;
  int restored = cli_arch_restore(borrowed->thread, &borrowed->registers, cli_borrow_again(borrowed));
  if (ptrace(PTRACE_DETACH, borrowed->thread, NULL, NULL) != 0 && restored == 0)
    restored = -errno;
  cli_arch_release(&borrowed->registers);
  return error < 0 ? error : restored;
}
