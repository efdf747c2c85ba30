/* The recording gets full, since files may not grow. From then on the calls that nobody made before are only counted,
 * and as cheaply as others: no system call is made for them. */
#include "tests/guest/paths.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define MANY 10000

static volatile sig_atomic_t trapped;
static jmp_buf back;
COUNTER(leaf);
COUNTER(fresh);
COUNTER(down);
COUNTER(thrower);
COUNTER(worker);

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

int main(void)
{
  static char buffer[1024];
  CHECK(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  struct rlimit limit = {1 << 20, 1 << 20};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  leaf(0);
  call_all_paths();
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
  call_all_paths();
  CHECK(trapped == 0);
  tell_paths();
  TELL(leaf);
  TELL(fresh);
  TELL(down);
  TELL(thrower);
  TELL(worker);
  printf("count main 1\n");
  return 0;
}
