/* A child that goes on from within a function, and one that executes nothing but its own calls. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(int n)
{
  return n + 1;
}
static int in_child(int n)
{
  int total = 0;
  for (int i = 0; i < n; i++)
    total += work(i % 3);
  return total;
}

int main(void)
{
  for (int i = 0; i < 20; i++)
    work(i % 2);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit(in_child(30) & 0x7f);
  int status = 0;
  waitpid(child, &status, 0);
  for (int i = 0; i < 5; i++)
    work(7);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
