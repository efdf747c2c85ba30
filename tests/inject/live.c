/* Calls until its input ends, and then tells how often: what other processes of callsig look at and steer. */
#include <poll.h>
#include <stdio.h>
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

__attribute__((no_instrument_function)) int main(void)
{
  struct pollfd input = {.fd = 0, .events = POLLIN | POLLHUP};
  printf("ready\n");
  fflush(stdout);
  int sum = 0;
  while (poll(&input, 1, 1) == 0)
    sum += branch(3);
  printf("%lu calls\n", calls);
  return sum < 0;
}
