/* Handlers of signals with hooks of their own: sent, by a timer, on another stack, and a fault that is left by a jump.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int taken;
static sigjmp_buf place;

__attribute__((noinline)) static void count(int number)
{
  taken += number > 0;
}
static void on_signal(int number)
{
  count(number);
}
static void on_fault(int number)
{
  count(number);
  siglongjmp(place, 1);
}
__attribute__((noinline)) static int fault(volatile int *address)
{
  return *address;
}
__attribute__((noinline)) static int work(int n)
{
  return n * 2;
}

int main(void)
{
  static char memory[65536];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  long total = 0;
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 50; i++) {
    total += work(i % 2);
    raise(SIGUSR1);
  }
  action.sa_handler = on_fault;
  sigaction(SIGSEGV, &action, NULL);
  for (volatile int i = 0; i < 3; i++)
    if (!sigsetjmp(place, 1))
      total += fault((volatile int *)8);
  printf("%ld %d\n", total, taken);
  return 0;
}
