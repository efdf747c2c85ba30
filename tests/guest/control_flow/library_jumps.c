/* Calls of other libraries' functions that do not come back: what they call back leaves by longjmp(), a signal's
 * handler too; a thread is cancelled in one, another ends itself; coroutines change in one. */
#define _GNU_SOURCE
#include "tests/guest/guest.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS 20
#define ITEMS  16
#define LEAVES 5 /* comparisons until the sorting is left */
#define TURNS  3

COUNTER(compare);
COUNTER(handle);
COUNTER(block);
COUNTER(leave);
COUNTER(turn);

static jmp_buf sorting;
static sigjmp_buf raising;
static int compared;
static ucontext_t own, other;
static char stack[1 << 16];

static int compare(const void *a, const void *b)
{
  HIT(compare);
  if (++compared == LEAVES)
    longjmp(sorting, 1);
  return *(const int *)a - *(const int *)b;
}

static QUIET void sort(void)
{
  int items[ITEMS];
  for (int i = 0; i < ITEMS; i++)
    items[i] = ITEMS - i;
  compared = 0;
  if (setjmp(sorting) == 0)
    qsort(items, ITEMS, sizeof *items, compare);
  CHECK(compared == LEAVES);
}

static void handle(int number)
{
  HIT(handle);
  siglongjmp(raising, number);
}

static QUIET void raise_once(void)
{
  if (sigsetjmp(raising, 1) == 0)
    raise(SIGUSR1);
}

static void *block(void *pipe)
{
  HIT(block);
  char byte;
  CHECK(read(*(int *)pipe, &byte, 1) == 1);
  return NULL;
}

static void *leave(void *nothing)
{
  HIT(leave);
  pthread_exit(nothing);
}

static QUIET void end_threads(void)
{
  int ends[2];
  pthread_t thread;
  CHECK(pipe(ends) == 0 && pthread_create(&thread, NULL, block, ends) == 0);
  while (!__atomic_load_n(&count_of_block, __ATOMIC_ACQUIRE))
    usleep(100);
  CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
  close(ends[0]);
  close(ends[1]);
  CHECK(pthread_create(&thread, NULL, leave, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void turn(void)
{
  HIT(turn);
  for (int i = 0; i < TURNS; i++)
    swapcontext(&other, &own);
}

static QUIET void take_turns(void)
{
  CHECK(getcontext(&other) == 0);
  other.uc_stack.ss_sp = stack;
  other.uc_stack.ss_size = sizeof stack;
  other.uc_link = &own;
  makecontext(&other, turn, 0);
  for (int i = 0; i <= TURNS; i++)
    CHECK(swapcontext(&own, &other) == 0);
}

int main(void)
{
  CHECK(signal(SIGUSR1, handle) != SIG_ERR);
  for (int i = 0; i < ROUNDS; i++) {
    sort();
    raise_once();
    end_threads();
    take_turns();
  }
  TELL(compare);
  TELL(handle);
  TELL_VARIES(block);
  TELL(leave);
  TELL(turn);
  printf("count main 1\ncount qsort %d\ncount swapcontext %d\ncount longjmp %d\n", ROUNDS, ROUNDS * (2 * TURNS + 1),
         ROUNDS);
  return 0;
}
