/* Coroutines on stacks that lie next to each other in one mapping, and in a frame of main; switched from threads too,
 * so that stacks meet several threads; made again and again on the same memory. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SIZE 65536u
#define MANY 8

COUNTER(generator);
COUNTER(produce);
COUNTER(consume);

struct coroutine {
  ucontext_t here, caller;
  int value;
};

static int produce(struct coroutine *self, int value)
{
  HIT(produce);
  self->value = value;
  swapcontext(&self->here, &self->caller);
  return value;
}

static void generator(unsigned low, unsigned high)
{
  HIT(generator);
  struct coroutine *self = (struct coroutine *)((unsigned long)high << 32 | low);
  for (int i = 0; i < 50; i++)
    produce(self, i);
}

static int consume(struct coroutine *coroutine)
{
  HIT(consume);
  swapcontext(&coroutine->caller, &coroutine->here);
  return coroutine->value;
}

static QUIET void prepare(struct coroutine *coroutine, char *stack)
{
  unsigned long address = (unsigned long)coroutine;
  CHECK(getcontext(&coroutine->here) == 0);
  coroutine->here.uc_stack.ss_sp = stack;
  coroutine->here.uc_stack.ss_size = SIZE;
  coroutine->here.uc_link = &coroutine->caller;
  makecontext(&coroutine->here, (void (*)(void))generator, 2, (unsigned)address, (unsigned)(address >> 32));
}

static QUIET void drain(char *stacks, int count)
{
  struct coroutine coroutines[MANY];
  for (int i = 0; i < count; i++)
    prepare(&coroutines[i], stacks + (size_t)i * SIZE);
  for (int round = 0; round < 50; round++)
    for (int i = 0; i < count; i++)
      CHECK(consume(&coroutines[(i * 5 + round) % count]) == round);
  for (int i = 0; i < count; i++)
    consume(&coroutines[i]); /* the generator's end */
}

static QUIET void *body(void *stacks)
{
  for (int i = 0; i < 5; i++)
    drain(stacks, MANY);
  return NULL;
}

int main(void)
{
  char *stacks = mmap(NULL, (size_t)MANY * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stacks != MAP_FAILED);
  body(stacks);
  for (int i = 0; i < 5; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, stacks) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
  }
  char own[2 * SIZE] __attribute__((aligned(64)));
  drain(own, 2);
  TELL(generator);
  TELL(produce);
  TELL(consume);
  printf("count main 1\n");
  return 0;
}
