/* The kernel hands its system calls to its own handler (PR_SET_SYSCALL_USER_DISPATCH), as for emulators. */
/* hazard: expect falls: the runtime's own system calls come to that handler, too */
#include "tests/guest/hazard.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char handed_over; /* 1: the next system call is */
static volatile int handled;

static QUIET void handler(int number, siginfo_t *information, void *context)
{
  ucontext_t *interrupted = context;
  (void)number;
  handed_over = 0;
  handled++;
  interrupted->uc_mcontext.gregs[REG_RAX] = information->si_syscall == SYS_getppid ? 7 : -ENOSYS;
}

OWN static long work(long n)
{
  CALLED(work);
  const volatile long below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  CALLED(main);
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = handler;
  CHECK(sigaction(SIGSYS, &action, NULL) == 0);
  if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1L, 0L, 0L, &handed_over) != 0)
    return 0;
  long sum = 0;
  for (int i = 0; i < 100; i++) {
    handed_over = 1;
    sum += work(i);
    sum += syscall(SYS_getppid);
    handed_over = 0;
  }
  printf("%ld %d\n", sum, handled);
  return 0;
}
