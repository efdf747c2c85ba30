/*
 * A program that does for as long as it is told what disturbs a profiler, all at once: threads are born and die,
 * modules come and go, children are forked, signals interrupt hooks, frames are left by longjmp, recording goes off and
 * on.
 *
 *   soak SECONDS THREADS PLUGIN...
 *
 * It counts its own calls where tests/guest/hazard.h has them, so that a reader may compare at any time. Recording is
 * switched while no thread is in a call, since nobody could tell otherwise which calls were made while it was off.
 */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "callsig/callsig.h"

enum { PLUGINS = 3 };
static const char *const plugin_work[PLUGINS] = {"alpha_work", "beta_work", "gamma_work"};
static const char *const plugin_inner[PLUGINS] = {"alpha_inner", "beta_inner", "gamma_inner"};

static char **plugin_paths;
static volatile int ended;
static pthread_rwlock_t steps = PTHREAD_RWLOCK_INITIALIZER; /* held by who is in a step; by the switch alone */

OWN static int leaf(int n)
{
  CALLED(leaf);
  KEEP(n);
  return n + 1;
}

OWN static int tree(int depth)
{
  CALLED(tree);
  const volatile int left = depth ? tree(depth - 1) : leaf(depth), right = depth ? tree(depth - 1) : leaf(depth);
  return left + right;
}

OWN static int in_short_thread(int depth)
{
  CALLED(in_short_thread);
  const volatile int below = depth ? in_short_thread(depth - 1) + in_short_thread(depth - 1) : 0;
  return below + 1;
}

OWN static int in_child(int n)
{
  CALLED(in_child);
  const volatile int below = n ? in_child(n - 1) : 0;
  return below + 1;
}

OWN static void in_handler(int number)
{
  CALLED(in_handler);
  KEEP(number);
}

OWN static void handler(int number)
{
  CALLED(handler);
  in_handler(number);
}

OWN static void leave(jmp_buf out, int depth)
{
  CALLED(leave);
  if (depth == 0)
    longjmp(out, 1);
  leave(out, depth - 1);
  KEEP(depth);
}

OWN static int while_off(int n)
{
  KEEP(n);
  return n;
}

static QUIET void jump(int depth)
{
  jmp_buf out;
  if (setjmp(out) == 0)
    leave(out, depth);
}

static QUIET void *short_thread(void *unused)
{
  in_short_thread(4);
  return unused;
}

static QUIET void bear_thread(void)
{
  pthread_t id;
  CHECK(pthread_create(&id, NULL, short_thread, NULL) == 0);
  pthread_join(id, NULL);
  ADD_CALLS(threads, 1);
}

static QUIET void use_plugin(unsigned which)
{
  void *module = dlopen(plugin_paths[which], RTLD_NOW | RTLD_LOCAL);
  CHECK(module);
  int (*entry)(int);
  void *found = dlsym(module, "plugin_entry");
  memcpy(&entry, &found, sizeof entry);
  ADD_CALLS(modules, 1);
  ADD_CALLS(plugin_entry, 1);
  (void)__atomic_add_fetch(hazard_calls(plugin_work[which]), 1, __ATOMIC_RELAXED);
  (void)__atomic_add_fetch(hazard_calls(plugin_inner[which]), 10, __ATOMIC_RELAXED);
  entry(10);
  dlclose(module);
}

static QUIET void have_child(void)
{
  int status;
  leaf(0); /* ends what a longjmp left, which would be open in the child too */
  pid_t child = fork();
  if (child == 0) {
    in_child(9);
    _exit(0);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  ADD_CALLS(children, 1);
}

static QUIET void allow_signal(int how)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(how, &set, NULL);
}

static QUIET void step(unsigned random)
{
  pthread_rwlock_rdlock(&steps);
  allow_signal(SIG_UNBLOCK);
  switch (random % 64) {
  case 0:
    have_child();
    break;
  case 1:
  case 2:
  case 3:
    use_plugin(random / 64 % PLUGINS);
    break;
  case 4:
  case 5:
  case 6:
  case 7:
    bear_thread();
    break;
  case 8:
  case 9:
    jump((int)(random / 64 % 8));
    break;
  default:
    tree((int)(random / 64 % 6));
  }
  allow_signal(SIG_BLOCK);
  pthread_rwlock_unlock(&steps);
}

static QUIET void *worker(void *seed)
{
  unsigned random = (unsigned)(uintptr_t)seed;
  while (!ended) {
    random = random * 1664525 + 1013904223;
    step(random >> 8);
  }
  return NULL;
}

/* Off, calls that must not be counted, and on again. */
static QUIET void switch_recording(void)
{
  pthread_rwlock_wrlock(&steps);
  CHECK(callsig_disable() == 0 && !callsig_is_enabled());
  for (int i = 0; i < 100; i++)
    while_off(i);
  CHECK(callsig_enable() == 0 && callsig_is_enabled());
  pthread_rwlock_unlock(&steps);
  ADD_CALLS(switches, 1);
}

QUIET int main(int argc, char **argv)
{
  CHECK(argc == 3 + PLUGINS);
  const time_t seconds = atol(argv[1]);
  const int threads = atoi(argv[2]);
  struct timespec begun, now;
  pthread_t ids[64];
  CHECK(seconds > 0 && threads > 0 && threads <= 64);
  plugin_paths = argv + 3;
  pthread_rwlockattr_t fair; /* else the switch would never get it */
  pthread_rwlockattr_init(&fair);
  pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&steps, &fair);
  allow_signal(SIG_BLOCK);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL);
  for (int i = 0; i < threads; i++)
    CHECK(pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)(i * 7919 + 1)) == 0);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 2000}, {0, 2000}}, NULL);
  clock_gettime(CLOCK_MONOTONIC, &begun);
  do {
    usleep(100000);
    switch_recording();
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begun.tv_sec < seconds);
  ended = 1;
  for (int i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  return 0;
}
