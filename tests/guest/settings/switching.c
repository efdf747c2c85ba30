/* Hooks go on and off under threads that run through them, thousands of times, while signals interrupt, whose handler
 * has hooks too, and a plugin comes and goes. argv: how often, two plugins, and "stack" where the handler runs on
 * alternate stacks. What the thread that switches calls while they are on is exact, and so is everything that comes
 * after; of the rest, what began and ended while they were on is there. */
#include "tests/guest/guest.h"

#include <callsig/callsig.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define SETTLED 20000

COUNTER(leaf);
COUNTER(walk);
COUNTER(strike);
COUNTER(chime);
COUNTER(between);
COUNTER(settled);
COUNTER(alpha_work);
/* Calls that began and ended in one period in which the hooks were on. */
COUNTER(sure_walk);
COUNTER(sure_chime);
COUNTER(sure_alpha_work);

static volatile int stop, on_stack;
static unsigned long period; /* even while the hooks are on for sure */
static __thread char alternate[1 << 16];

static QUIET unsigned long now(void)
{
  return __atomic_load_n(&period, __ATOMIC_SEQ_CST);
}

static QUIET int is_sure(unsigned long began)
{
  return began % 2 == 0 && now() == began;
}

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

static int strike(int x)
{
  HIT(strike);
  KEEP(x);
  return x + 5;
}

static int chime(int x)
{
  HIT(chime);
  return strike(x) + strike(x + 1);
}

static QUIET void on_alarm(int number)
{
  unsigned long began = now();
  CHECK(chime(number % 3) > 0);
  if (is_sure(began))
    HIT(sure_chime);
}

/* Signals for the calling thread alone, so often. */
static QUIET timer_t ring(long microseconds)
{
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  const struct timespec often = {.tv_nsec = microseconds * 1000};
  const struct itimerspec times = {often, often};
  const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  timer_t timer;
  CHECK(!on_stack || sigaltstack(&stack, NULL) == 0);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &times, NULL) == 0);
  return timer;
}

static QUIET void *walks(void *data)
{
  timer_t timer = ring(400);
  for (int i = 0; !stop; i++) {
    unsigned long began = now();
    CHECK(walk(i % 5) >= 0);
    if (is_sure(began))
      (void)__atomic_add_fetch(&count_of_sure_walk, (unsigned)(i % 5 + 1), __ATOMIC_RELAXED);
  }
  CHECK(timer_delete(timer) == 0);
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

/* The last turn begins when nobody switches any more, with the hooks on. */
static QUIET void *loads(void *data)
{
  timer_t timer = ring(700);
  for (int is_last = 0; !is_last;) {
    is_last = stop;
    void *handle = load(data);
    unsigned long began = now();
    call(handle);
    HIT(alpha_work);
    if (is_sure(began))
      HIT(sure_alpha_work);
    CHECK(dlclose(handle) == 0);
  }
  CHECK(timer_delete(timer) == 0);
  return NULL;
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 4 || argc == 5);
  on_stack = argc == 5 && strcmp(argv[4], "stack") == 0;
  const int times = atoi(argv[1]);
  pthread_t threads[THREADS + 1];
  const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART | (on_stack ? SA_ONSTACK : 0)};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, walks, NULL) == 0);
  CHECK(pthread_create(&threads[THREADS], NULL, loads, argv[2]) == 0);
  timer_t timer = ring(300);
  for (int i = 0; i < times; i++) {
    (void)__atomic_add_fetch(&period, 1, __ATOMIC_SEQ_CST);
    CHECK(callsig_disable() == 0);
    CHECK(never(i) == i + 3);
    CHECK(callsig_enable() == 0);
    (void)__atomic_add_fetch(&period, 1, __ATOMIC_SEQ_CST);
    CHECK(between(i % 7) == i % 7 + 2);
  }
  CHECK(timer_delete(timer) == 0);
  stop = 1;
  for (int i = 0; i < THREADS + 1; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(callsig_disable() == 0);
  void *late = load(argv[3]);
  CHECK(callsig_enable() == 0);
  call(late);
  CHECK(dlclose(late) == 0);
  CHECK(count_of_chime > 0);
  printf("most leaf %lu\nmost walk %lu\nmost alpha_work %lu\n", count_of_leaf, count_of_walk, count_of_alpha_work);
  printf("most chime %lu\nmost strike %lu\n", count_of_chime, count_of_strike);
  printf("least alpha_work %lu\nleast walk %lu\nleast leaf %lu\nleast chime %lu\nleast strike %lu\n",
         count_of_sure_alpha_work, count_of_sure_walk, count_of_sure_walk, count_of_sure_chime,
         2 * count_of_sure_chime);
  TELL(between);
  TELL(settled);
  printf("count never 0\ncount beta_work 1\ncount beta_inner 10\n");
  return 0;
}
