/* longjmp across instrumented frames: from depth, nested, out of a signal handler, and past a thread's cleanup
 * handlers. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

COUNTER(descend);
COUNTER(attempt);
COUNTER(outer);
COUNTER(after);
COUNTER(in_handler);
COUNTER(body);
COUNTER(cleanup);

static jmp_buf target;
static jmp_buf outer_target;
static sigjmp_buf signal_target;

static void descend(int n)
{
  HIT(descend);
  if (n == 0)
    longjmp(target, 1);
  descend(n - 1);
  KEEP(n);
}

static int after(int x)
{
  HIT(after);
  KEEP(x);
  return x + 1;
}

static int attempt(int depth)
{
  HIT(attempt);
  if (setjmp(target) == 0) {
    descend(depth);
    return -1;
  }
  return after(depth);
}

static int inner_jump(int round)
{
  KEEP(round);
  if (round % 2)
    longjmp(outer_target, round);
  longjmp(target, round + 1);
}

static int outer(int round)
{
  HIT(outer);
  if (setjmp(outer_target))
    return after(round);
  if (setjmp(target) == 0)
    return inner_jump(round);
  return after(round) + after(round);
}

static void in_handler(int number)
{
  HIT(in_handler);
  siglongjmp(signal_target, number);
}

static int interrupted(int x)
{
  KEEP(x);
  raise(SIGUSR1);
  return x;
}

static void cleanup(void *data)
{
  HIT(cleanup);
  KEEP(data);
}

static void *body(void *data)
{
  HIT(body);
  jmp_buf here;
  pthread_cleanup_push(cleanup, data);
  if (setjmp(here) == 0) {
    after(1);
    longjmp(here, 1);
  }
  after(2);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void)
{
  for (int i = 0; i < 1000; i++)
    CHECK(attempt(i % 10) == i % 10 + 1);
  for (int i = 0; i < 1000; i++)
    CHECK(outer(i) >= i);
  struct sigaction action = {.sa_handler = in_handler};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  for (volatile int i = 0; i < 1000; i++) {
    if (sigsetjmp(signal_target, 1) == 0)
      interrupted(i);
    after(i);
  }
  for (int i = 0; i < 10; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
  }
  TELL(descend);
  TELL(attempt);
  TELL(outer);
  TELL(after);
  TELL(in_handler);
  TELL(body);
  TELL(cleanup);
  printf("count inner_jump 1000\ncount interrupted 1000\ncount main 1\n");
  return 0;
}
