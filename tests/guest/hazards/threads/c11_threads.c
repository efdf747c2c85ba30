/* Threads, keys and once of C11 (threads.h), and thread-local variables. */
#include "tests/guest/hazard.h"

#include <threads.h>

static thread_local int mine = 3;
static once_flag flag = ONCE_FLAG_INIT;

static void first(void)
{
  CALLED(first);
}

static int thread(void *add)
{
  CALLED(thread);
  call_once(&flag, first);
  mine += (int)(long)add;
  return mine;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (long i = 0; i < 40; i++) {
    thrd_t id;
    int result;
    CHECK(thrd_create(&id, thread, (void *)i) == thrd_success && thrd_join(id, &result) == thrd_success);
    sum += result;
  }
  printf("%d %d\n", sum, mine);
  return 0;
}
