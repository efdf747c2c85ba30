/* Threads that ask for blocks, give each other's back and resize them, under a timer's signals, while another one has
 * counting begin again and again. What it does after the last time is told. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#define THREADS 4
#define ROUNDS  4000
#define RESETS  100
#define SHARED  64

extern void callsig_reset(void) __attribute__((weak));

static void *_Atomic shared[SHARED];

APART static void *take(size_t size)
{
  return malloc(size);
}

APART static void give(void *block)
{
  free(block);
}

APART static void *resize(void *block, size_t size)
{
  return realloc(block, size);
}

static QUIET void begin_again(void)
{
  if (callsig_reset)
    callsig_reset();
}

static void *work(void *seed)
{
  unsigned state = (unsigned)(size_t)seed;
  for (int i = 0; i < ROUNDS; i++) {
    state = state * 1103515245u + 12345u;
    void *block = resize(take((state >> 20 & 255) + 1), (state >> 22 & 511) + 1);
    give(atomic_exchange(&shared[state >> 16 & (SHARED - 1)], block));
  }
  return NULL;
}

static QUIET void on_signal(int number)
{
  (void)number;
}

int main(void)
{
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  const struct itimerval often = {{.tv_usec = 1000}, {.tv_usec = 1000}}, never = {{0, 0}, {0, 0}};
  pthread_t threads[THREADS];
  void *blocks[10];
  CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
  for (size_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
  for (int i = 0; i < RESETS; i++)
    begin_again();
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  begin_again();
  for (int i = 0; i < 10; i++)
    blocks[i] = take(100);
  for (int i = 0; i < SHARED; i++)
    give(shared[i]);
  for (int i = 0; i < 4; i++)
    give(blocks[i]);
  for (int i = 4; i < 7; i++)
    blocks[i] = resize(blocks[i], 1000);
  printf("asked take 10 1000 300\nasked resize 3 3000 3000\n");
  return 0;
}
