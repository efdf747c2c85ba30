/*
 * known_short: as known.c, with calls of some 3 to 30 ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 40, ARGUMENTS = 8, CALLS = 50000 };

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

static void show(const long arguments[ARGUMENTS], const double seconds[ARGUMENTS])
{
  for (int i = 0; i < ARGUMENTS; i++)
    printf("%s\"%ld\": %.6f", i ? ", " : "{", arguments[i], seconds[i]);
  printf("}\n");
}

int main(void)
{
  static const long arguments[ARGUMENTS] = {3, 6, 9, 13, 16, 20, 23, 27};
  double seconds[ARGUMENTS] = {0};
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < ARGUMENTS; i++) {
      const double start = now();
      for (long calls = CALLS; calls > 0; calls--)
        work(arguments[i]);
      seconds[i] += now() - start;
    }
  show(arguments, seconds);
  return state == 0;
}
