/* Forks from depth: the child goes on calling and returns through the frames that it inherited. */
#include "tests/guest/guest.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

COUNTER(work);

static int work(int x)
{
  HIT(work);
  KEEP(x);
  return x * 2;
}

static pid_t split(int raw)
{
  fflush(stdout);
  return raw ? (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L) : fork();
}

/* As daemons do: the child that goes on is the child of a child that called nothing in between. */
static QUIET pid_t split_twice(void)
{
  fflush(stdout);
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  pid = fork();
  if (pid == 0)
    return 0;
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  _exit(WEXITSTATUS(status));
}

static pid_t deep(int n, int raw)
{
  if (n == 0)
    return raw == 2 ? split_twice() : split(raw);
  pid_t pid = deep(n - 1, raw);
  KEEP(n);
  return pid;
}

/* argv[1] "raw": by the system call itself, past the library's handlers; "twice": the child of a child. */
int main(int argc, char **argv)
{
  int raw = argc > 1 && strcmp(argv[1], "raw") == 0 ? 1 : argc > 1 && strcmp(argv[1], "twice") == 0 ? 2 : 0;
  for (int i = 0; i < 100; i++)
    work(i);
  pid_t pid = deep(5, raw);
  CHECK(pid >= 0);
  if (pid == 0) {
    for (int i = 0; i < 50; i++)
      work(i);
    return 7;
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  for (int i = 0; i < 10; i++)
    work(i);
  TELL(work);
  printf("count deep 6\ncount main 1\nchild work 50\n");
  /* What was open at the fork is open in the child, and no call of its own. */
  printf("child deep 0\nchild main 0\n");
  return 0;
}
