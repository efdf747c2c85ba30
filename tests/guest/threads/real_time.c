/* Two threads of the real-time class FIFO on one processor come to their first calls at once: the one of higher
 * priority while the other is in the middle of it, and can go on only when that one waits. argv[1]: after how many
 * microseconds. Where the machine refuses the class, both are ordinary threads. */
#define _GNU_SOURCE
#include "tests/guest/guest.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 10

static pthread_barrier_t ready;
static long delay_us;

static int work(int n)
{
  KEEP(n);
  return n + 1;
}

static QUIET void call(void)
{
  for (int i = 0; i < CALLS; i++)
    work(i);
}

static QUIET void *low(void *data)
{
  pthread_barrier_wait(&ready);
  call();
  return data;
}

static QUIET void *high(void *data)
{
  struct timespec delay = {.tv_nsec = delay_us * 1000};
  pthread_barrier_wait(&ready);
  nanosleep(&delay, NULL);
  call();
  return data;
}

static QUIET pthread_t start(void *(*body)(void *), int priority)
{
  pthread_attr_t attributes;
  pthread_t thread;
  struct sched_param parameters = {.sched_priority = priority};
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
  CHECK(pthread_attr_setschedpolicy(&attributes, SCHED_FIFO) == 0);
  CHECK(pthread_attr_setschedparam(&attributes, &parameters) == 0);
  if (pthread_create(&thread, &attributes, body, NULL) != 0)
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  return thread;
}

/* futex(FUTEX_LOCK_PI) and its kin fail as on a kernel that lacks them. */
static QUIET void refuse_inheritance(void)
{
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_LOCK_PI, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_UNLOCK_PI, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

QUIET int main(int argc, char **argv)
{
  cpu_set_t one;
  CHECK(argc == 2 || (argc == 3 && !strcmp(argv[2], "plain")));
  delay_us = atol(argv[1]);
  if (argc == 3)
    refuse_inheritance();
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(pthread_barrier_init(&ready, NULL, 2) == 0);
  alarm(30);
  pthread_t threads[2] = {start(high, 20), start(low, 10)};
  for (int i = 0; i < 2; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  printf("count work %d\n", 2 * CALLS);
  return 0;
}
