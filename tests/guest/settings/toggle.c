/* Threads that call all the time, while main switches profiling off and on. Every call that begins and ends while it is
 * on must be there; argv is not used. */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

COUNTER(leaf);
COUNTER(walk);
COUNTER(quiet_time);

static volatile int stop;
static int quiet;

/* Threads that may have seen that it is quiet and have not called yet: main switches on when there are none. */
static int looking;

static int leaf(int x)
{
  HIT(leaf);
  KEEP(x);
  return x;
}

static int walk(int n)
{
  HIT(walk);
  int sum = leaf(n & 3);
  return n ? sum + walk(n - 1) : sum;
}

/* Called only while profiling has been off for a while: it must not be in the profile. */
static int quiet_time(int x)
{
  HIT(quiet_time);
  KEEP(x);
  return x;
}

static QUIET void *body(void *data)
{
  while (!stop) {
    for (int i = 0; i < 100; i++)
      walk(i % 9);
    __atomic_add_fetch(&looking, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&quiet, __ATOMIC_SEQ_CST)) {
      quiet_time(1);
      __atomic_store_n(&quiet, 0, __ATOMIC_SEQ_CST);
    }
    __atomic_sub_fetch(&looking, 1, __ATOMIC_SEQ_CST);
  }
  return data;
}

QUIET int main(void)
{
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    CHECK(pthread_create(&threads[i], NULL, body, NULL) == 0);
  for (int i = 0; i < 400; i++) {
    usleep(500);
    CHECK(callsig_disable() == 0);
    CHECK(!callsig_is_enabled());
    __atomic_store_n(&quiet, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&quiet, __ATOMIC_SEQ_CST) || __atomic_load_n(&looking, __ATOMIC_SEQ_CST))
      usleep(50);
    CHECK(callsig_enable() == 0);
  }
  stop = 1;
  for (int i = 0; i < 3; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(count_of_quiet_time > 0);
  printf("most leaf %lu\nmost walk %lu\ncount quiet_time 0\n", count_of_leaf, count_of_walk);
  return 0;
}
