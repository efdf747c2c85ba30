/* Four threads that call with many values, and a library that is loaded beside them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define KEEP __attribute__((noinline, noclone))

static KEEP int leaf(int value, const char *name)
{
  __asm__ volatile("");
  return value + name[0];
}

static KEEP int branch(int depth)
{
  return depth ? branch(depth - 1) + leaf(depth, "branch") : 0;
}

static KEEP void *body(void *sum)
{
  for (int i = 0; i < 100; i++)
    *(int *)sum += leaf(i, "body") + branch(i % 4);
  return NULL;
}

int main(void)
{
  pthread_t threads[4];
  int sums[4] = {0};
  for (int i = 0; i < 4; i++)
    if (pthread_create(&threads[i], NULL, body, &sums[i]))
      return 1;
  void *library = dlopen("libm.so.6", RTLD_NOW);
  for (int i = 0; i < 4; i++)
    if (pthread_join(threads[i], NULL))
      return 1;
  printf("%d %d %d %d %s\n", sums[0], sums[1], sums[2], sums[3], library ? "loaded" : dlerror());
  return 0;
}
