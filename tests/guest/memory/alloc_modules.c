/* Modules that ask for blocks come and go in several threads at once, one of their handles while a function of theirs
 * runs. With -DLIBRARY: such a module. argv: two of them. */
#include "tests/guest/guest.h"

#include <dlfcn.h>
#include <pthread.h>

#ifdef LIBRARY

APART void *take_there(size_t size);

APART void *take_there(size_t size)
{
  return calloc(1, size);
}

int run_there(int (*back)(void))
{
  void *block = take_there(10);
  const int result = back();
  free(block);
  return result;
}

#else

#define THREADS 3
#define ROUNDS  60

static __thread void *second;

static int back(void)
{
  if (second)
    CHECK(dlclose(second) == 0);
  second = NULL;
  return 1;
}

static void *work(void *path)
{
  for (int i = 0; i < ROUNDS; i++) {
    void *module = dlopen(path, RTLD_NOW);
    second = dlopen(path, RTLD_NOW);
    CHECK(module && second);
    int (*run)(int (*)(void));
    *(void **)&run = dlsym(module, "run_there");
    CHECK(run && run(back) == 1);
    CHECK(dlclose(module) == 0);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  CHECK(argc == 3);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, work, argv[1 + i % 2]) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  printf("asked take_there %d %d 0\n", THREADS * ROUNDS, THREADS * ROUNDS * 10);
  return 0;
}

#endif
