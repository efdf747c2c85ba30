/*
 * known: calls of which it is known how much work each argument stands for. work(n) makes n steps, each of which waits
 * for the one before; every n makes as many steps in all, in calls of some 10 ns to some 10 ms. Prints, as a line of
 * JSON, the seconds of CPU time that the calls of each n took: {"8": 0.06, ...}.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 5, ARGUMENTS = 7, LARGEST = 8000000 };

static uint64_t state = 1;

static __attribute__((noinline)) void work(long n)
{
  uint64_t x = state;
  for (long i = 0; i < n; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    /* No compiler makes one step of two. */
    __asm__ volatile("" : "+r"(x));
  }
  state = x;
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double call_all(long n)
{
  double start = now();
  for (long calls = LARGEST / n; calls > 0; calls--)
    work(n);
  return now() - start;
}

int main(void)
{
  static const long arguments[ARGUMENTS] = {8, 80, 800, 8000, 80000, 800000, 8000000};
  double seconds[ARGUMENTS] = {0};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < ARGUMENTS; i++)
      seconds[i] += call_all(arguments[i]);
  for (int i = 0; i < ARGUMENTS; i++)
    printf("%s\"%ld\": %.6f", i ? ", " : "{", arguments[i], seconds[i]);
  printf("}\n");
  return state == 0;
}
