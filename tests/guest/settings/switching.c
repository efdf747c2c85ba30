/* Sleds go on and off under threads that run through them, thousands of times, while signals interrupt and a plugin
 * comes and goes. argv: how often, and two plugins. What the thread that switches calls while they are on is exact, and
 * so is everything that comes after. */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

#define THREADS 4
#define SETTLED 20000

COUNTER(leaf);
COUNTER(walk);
COUNTER(alarms);
COUNTER(between);
COUNTER(settled);
COUNTER(alpha_work);

static volatile int stop;

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

static int between(int x)
{
  HIT(between);
  KEEP(x);
  return x + 2;
}

static int never(int x)
{
  KEEP(x);
  return x + 3;
}

static int settled(int x)
{
  HIT(settled);
  KEEP(x);
  return x + 4;
}

static QUIET void on_alarm(int number)
{
  (void)number;
  HIT(alarms);
}

static QUIET void *walks(void *data)
{
  for (int i = 0; !stop; i++)
    CHECK(walk(i % 5) >= 0);
  for (int i = 0; i < SETTLED; i++)
    CHECK(settled(i % 3) == i % 3 + 4);
  return data;
}

static QUIET void *load(const char *path)
{
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  return handle;
}

static QUIET void call(void *handle)
{
  int (*entry)(int) = (int (*)(int))(uintptr_t)dlsym(handle, "plugin_entry");
  CHECK(entry && entry(10) == 15);
}

static QUIET void *loads(void *data)
{
  while (!stop) {
    void *handle = load(data);
    call(handle);
    HIT(alpha_work);
    CHECK(dlclose(handle) == 0);
  }
  return NULL;
}

static QUIET void ring(long microseconds)
{
  const struct itimerval timer = {.it_interval.tv_usec = microseconds, .it_value.tv_usec = microseconds};
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 4);
  const int times = atoi(argv[1]);
  pthread_t threads[THREADS + 1];
  const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, walks, NULL) == 0);
  CHECK(pthread_create(&threads[THREADS], NULL, loads, argv[2]) == 0);
  ring(300);
  for (int i = 0; i < times; i++) {
    CHECK(callsig_disable() == 0);
    CHECK(never(i) == i + 3);
    CHECK(callsig_enable() == 0);
    CHECK(between(i % 7) == i % 7 + 2);
  }
  ring(0);
  stop = 1;
  for (int i = 0; i < THREADS + 1; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(callsig_disable() == 0);
  void *late = load(argv[3]);
  CHECK(callsig_enable() == 0);
  call(late);
  CHECK(dlclose(late) == 0);
  CHECK(count_of_alarms > 0);
  printf("most leaf %lu\nmost walk %lu\nmost alpha_work %lu\n", count_of_leaf, count_of_walk, count_of_alpha_work);
  TELL(between);
  TELL(settled);
  printf("count never 0\ncount beta_work 1\ncount beta_inner 10\n");
  return 0;
}
