/*
 * asks STEPS RECORDING TIMES: asks itself so many times to count on, as another process does (`callsig ctl PID
 * snapshot`), in the middle of calls of so many steps, and prints after how many further calls, and how much processor
 * time, it was answered. Neither how soon another process runs on a busy machine matters then, nor does one wake it up.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define APART    __attribute__((no_instrument_function))
#define ASKED    52 /* words of the recording's header, docs/recording-format.md */
#define TAKEN    53
#define PATIENCE 5000000000u /* nanoseconds */

__attribute__((noipa)) void step(long n)
{
  for (long i = 0; i < n; i++)
    __asm__ volatile("");
}

static APART uint64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static APART int ask(volatile uint64_t *header, long n)
{
  const uint64_t begun = now(), request = ((header[TAKEN] >> 8) + 1) << 8;
  uint64_t calls = 0;
  header[ASKED] = request;
  while (header[TAKEN] != request) {
    if (++calls % 1024 == 0 && now() - begun > PATIENCE) {
      puts("not answered");
      return 1;
    }
    step(n);
  }
  printf("%llu calls, %llu ns\n", (unsigned long long)calls, (unsigned long long)(now() - begun));
  return 0;
}

APART int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  const long n = atol(argv[1]);
  step(n);
  const int file = open(argv[2], O_RDWR);
  volatile uint64_t *header = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (header == MAP_FAILED)
    return 2;
  for (int i = atoi(argv[3]); i > 0; i--) {
    for (int j = 0; j < 2000000 / (n + 100); j++) /* so that a request is in the middle of what goes on */
      step(n);
    if (ask(header, n) != 0)
      return 1;
  }
  return 0;
}
