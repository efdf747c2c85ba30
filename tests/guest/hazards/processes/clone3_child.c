/* Children by the bare clone3, with a descriptor for each, that call and are waited for by it. */
#include "tests/guest/hazard.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 12; i++) {
    int descriptor = -1;
    struct clone_args arguments = {.flags = CLONE_PIDFD, .pidfd = (uintptr_t)&descriptor, .exit_signal = SIGCHLD};
    const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    CHECK(child >= 0);
    if (child == 0)
      _exit(work(i));
    siginfo_t ended;
    CHECK(waitid(P_PIDFD, (id_t)descriptor, &ended, WEXITED) == 0);
    CHECK(ended.si_pid == child);
    sum += ended.si_status + work(2);
    close(descriptor);
  }
  printf("%d\n", sum);
  return 0;
}
