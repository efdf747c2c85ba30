/* The recording gets full, since files may not grow. From then on the calls that nobody made before are only counted,
 * and as cheaply as others: no system call is made for them. */
#include "tests/guest/guest.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define FUNCTIONS 8u
#define DEPTH     5u
#define MANY      10000

typedef int (*function)(unsigned order, unsigned depth);

static unsigned long calls[FUNCTIONS];
static volatile sig_atomic_t trapped;
static jmp_buf back;
COUNTER(leaf);
COUNTER(fresh);
COUNTER(down);
COUNTER(thrower);
COUNTER(worker);
static int next(unsigned order, unsigned depth);

#define FUNCTION(number)                                                                                               \
  __attribute__((noinline)) static int path_##number(unsigned order, unsigned depth)                                   \
  {                                                                                                                    \
    calls[number]++;                                                                                                   \
    int below = depth ? next(order, depth - 1) : 0;                                                                    \
    KEEP(below);                                                                                                       \
    return below + 1;                                                                                                  \
  }

FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)

static QUIET int next(unsigned order, unsigned depth)
{
  static const function functions[FUNCTIONS] = {path_0, path_1, path_2, path_3, path_4, path_5, path_6, path_7};
  return functions[order % FUNCTIONS](order / FUNCTIONS, depth);
}

__attribute__((noinline)) static void leaf(int value)
{
  HIT(leaf);
  KEEP(value);
}

__attribute__((noinline)) static int fresh(int value)
{
  HIT(fresh);
  leaf(value);
  leaf(-value);
  KEEP(value);
  return value + 1;
}

__attribute__((noinline)) static int down(int depth)
{
  HIT(down);
  int value = depth ? down(depth - 1) + 1 : fresh(depth);
  KEEP(value);
  return value;
}

__attribute__((noinline)) static void thrower(int depth)
{
  HIT(thrower);
  if (depth == 0)
    longjmp(back, 1);
  thrower(depth - 1);
  KEEP(depth);
}

__attribute__((noinline)) static void *worker(void *data)
{
  HIT(worker);
  CHECK(down(3) == 4);
  return data;
}

static QUIET void trap(int number)
{
  (void)number;
  trapped++;
}

/* From here on the calls that a slow section makes are counted, and not done. */
static QUIET void trap_system_calls(void)
{
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  struct sigaction action = {.sa_handler = trap};
  CHECK(sigaction(SIGSYS, &action, NULL) == 0);
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static QUIET void fill(void)
{
  unsigned orders = 1;
  for (unsigned i = 0; i < DEPTH; i++)
    orders *= FUNCTIONS;
  for (unsigned order = 0; order < orders; order++)
    CHECK(next(order, DEPTH - 1) == DEPTH);
}

int main(void)
{
  static char buffer[1024];
  CHECK(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  struct rlimit limit = {1 << 20, 1 << 20};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  leaf(0);
  fill();
  for (int i = 0; i < 100; i++)
    if (_setjmp(back) == 0)
      thrower(i % 20);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, worker, NULL) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(down(0) == 1);
  trap_system_calls();
  for (int i = 0; i < MANY; i++) {
    CHECK(fresh(i) == i + 1);
    CHECK(down(i % 30) == i % 30 + 1);
    leaf(0);
  }
  fill();
  CHECK(trapped == 0);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    printf("count path_%u %lu\n", i, calls[i]);
  TELL(leaf);
  TELL(fresh);
  TELL(down);
  TELL(thrower);
  TELL(worker);
  printf("count main 1\n");
  return 0;
}
