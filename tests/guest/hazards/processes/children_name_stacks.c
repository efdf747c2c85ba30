/* Children of a program one of whose threads gives stacks to makecontext() all the time: each gives one of its own
 * before it calls anything, whatever that thread was doing at the fork. */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>

#define CHILDREN 100

static char stacks[2][65536];
static ucontext_t back;
static int stop;

OWN static void on_the_stack(void)
{
  CALLED(on_the_stack);
}

static QUIET void name(ucontext_t *context, int which)
{
  if (getcontext(context) != 0)
    abort();
  context->uc_stack.ss_sp = stacks[which];
  context->uc_stack.ss_size = sizeof stacks[which];
  context->uc_link = &back;
  makecontext(context, on_the_stack, 0);
}

static QUIET void *name_again(void *data)
{
  ucontext_t context;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
    name(&context, 0);
  return data;
}

static QUIET int run_child(void)
{
  ucontext_t context;
  name(&context, 1);
  return swapcontext(&back, &context) == 0 ? 7 : 1;
}

int main(void)
{
  CALLED(main);
  pthread_t thread;
  if (pthread_create(&thread, NULL, name_again, NULL) != 0)
    return 1;
  int sum = 0;
  for (int i = 0; i < CHILDREN; i++) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
      _exit(run_child());
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
  printf("%d\n", sum);
  return 0;
}
