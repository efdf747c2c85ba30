/* Calls until its input ends, and then tells how often: what other processes of callsig look at and steer. It waits
 * between calls; with the argument "compute" it computes there. It fails where its registers, errno or mask have
 * changed. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

static unsigned long calls;

static KEEP int leaf(int value)
{
  calls++;
  __asm__ volatile("");
  return value + 1;
}

static KEEP int branch(int depth)
{
  calls++;
  __asm__ volatile("");
  return depth ? branch(depth - 1) + leaf(depth) : 0;
}

typedef double lanes __attribute__((vector_size(16)));

/* Some milliseconds without a system call, with all of it in registers. False: it did not come to what it does. */
static __attribute__((no_instrument_function, noinline)) int compute(void)
{
  lanes sum = {0, 1};
  const lanes step = {1, 2};
  enum { STEPS = 1 << 20 };
  errno = EDOM;
  for (int i = 0; i < STEPS; i++)
    sum += step;
  for (int i = 0; i < 2; i++)
    if (sum[i] != i + (double)(1 << i) * STEPS)
      return 0;
  return errno == EDOM;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
  struct pollfd input = {.fd = 0, .events = POLLIN | POLLHUP};
  const int computes = argc > 1 && strcmp(argv[1], "compute") == 0;
  sigset_t blocked;
  printf("ready\n");
  fflush(stdout);
  int sum = 0, wrong = 0, ready;
  while ((ready = poll(&input, 1, !computes)) == 0) {
    sum += branch(3);
    wrong |= computes && !compute();
  }
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < NSIG; number++)
    wrong |= sigismember(&blocked, number) == 1;
  printf("%lu calls\n", calls);
  return sum < 0 || wrong || ready < 0;
}
