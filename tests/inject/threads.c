/* Threads that begin together and call with many values, and a library that is loaded beside them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 8
#define KEEP    __attribute__((noinline, noclone))

static pthread_barrier_t together;

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
  pthread_barrier_wait(&together);
  for (int i = 0; i < 60; i++)
    *(int *)sum += leaf(i, "body") + branch(i % 4);
  return NULL;
}

int main(void)
{
  pthread_t threads[THREADS];
  int sums[THREADS] = {0}, all = 0;
  if (pthread_barrier_init(&together, NULL, THREADS))
    return 1;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, body, &sums[i]))
      return 1;
  void *library = dlopen("libm.so.6", RTLD_NOW);
  for (int i = 0; i < THREADS; i++) {
    if (pthread_join(threads[i], NULL))
      return 1;
    all += sums[i];
  }
  printf("%d %s\n", all, library ? "loaded" : dlerror());
  return 0;
}
