/* A thread with the smallest stack there may be, and a signal handler on a small alternate stack: the hooks' slow paths
 * must fit in what such programs leave. */
#include "tests/guest/guest.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51 /* since Linux 5.14 */
#endif
#define ROOM 4096 /* bytes for a handler, besides what the kernel keeps there */

COUNTER(leaf);
COUNTER(nested);
COUNTER(in_handler);

static int leaf(long a, long b, long c, long d, long e, long f)
{
  HIT(leaf);
  KEEP(a);
  return (int)(a + b + c + d + e + f);
}

static int nested(int n)
{
  HIT(nested);
  int below = n ? nested(n - 1) : leaf(1, 2, 3, 4, 5, 6);
  KEEP(below);
  return below;
}

static void in_handler(int number)
{
  HIT(in_handler);
  leaf(number, number, number, number, number, number);
}

static void *body(void *data)
{
  for (long i = 0; i < 300; i++)
    leaf(i, i * 2, i * 3, 1, 2, 3);
  nested(8);
  return data;
}

/* An alternate stack with nothing below it, on which a handler has just so much room. */
static void set_alternate(size_t room)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), kernels = getauxval(AT_MINSIGSTKSZ);
  const size_t size = ((kernels ? kernels : MINSIGSTKSZ) + room + page - 1) / page * page;
  char *mapped = mmap(NULL, page + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mapped != MAP_FAILED && mprotect(mapped + page, size, PROT_READ | PROT_WRITE) == 0);
  stack_t stack = {.ss_sp = mapped + page, .ss_size = size};
  CHECK(sigaltstack(&stack, NULL) == 0);
}

/* The first call of a forked child, for which its recording is made, is one of a handler on such a stack. */
static void call_first_in_handler(void)
{
  int status;
  set_alternate(ROOM);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    raise(SIGUSR1);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
  pthread_attr_t attributes;
  pthread_t thread;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
  for (int i = 0; i < 20; i++) {
    CHECK(pthread_create(&thread, &attributes, body, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
  }
  static char alternate[8192 + 4096];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  CHECK(sigaltstack(&stack, NULL) == 0);
  struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int i = 0; i < 100; i++)
    raise(SIGUSR1);
  call_first_in_handler();
  TELL(leaf);
  TELL(nested);
  TELL(in_handler);
  printf("count body 20\ncount set_alternate 1\ncount call_first_in_handler 1\ncount main 1\n");
  return 0;
}
