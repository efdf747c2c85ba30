/* Loads, unloads and loads again two plugins that the linker puts at the same address. argv[1], argv[2]: the plugins;
 * argv[3] "threads": each time in a thread of its own, so that threads are folded on the way. */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/guest.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

static int call_plugin(int (*entry)(int), int n)
{
  return entry(n);
}

static void *use(const char *path, int n, int expected)
{
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  void *address = dlsym(handle, "plugin_entry");
  CHECK(address);
  CHECK(call_plugin((int (*)(int))(uintptr_t)address, n) == expected);
  CHECK(dlclose(handle) == 0);
  CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
  return address;
}

static QUIET void *use_alpha(void *path)
{
  return use(path, 10, 15);
}

static QUIET void *use_beta(void *path)
{
  return use(path, 6, 9);
}

static QUIET void *in_thread(void *(*body)(void *), char *path)
{
  pthread_t thread;
  void *address;
  CHECK(pthread_create(&thread, NULL, body, path) == 0);
  CHECK(pthread_join(thread, &address) == 0);
  return address;
}

int main(int argc, char **argv)
{
  CHECK(argc == 3 || argc == 4);
  int rounds = argc == 4 ? 60 : 20, met = 0;
  for (int i = 0; i < rounds; i++) {
    void *alpha = argc == 4 ? in_thread(use_alpha, argv[1]) : use_alpha(argv[1]);
    void *beta = argc == 4 ? in_thread(use_beta, argv[2]) : use_beta(argv[2]);
    met += alpha == beta;
  }
  fprintf(stderr, "same address %d times\n", met);
  printf("count alpha_work %d\ncount alpha_inner %d\ncount beta_work %d\ncount beta_inner %d\n", rounds, rounds * 10,
         rounds, rounds * 6);
  printf("count plugin_entry %d\ncount call_plugin %d\ncount use %d\ncount main 1\n", rounds * 2, rounds * 2,
         rounds * 2);
  return 0;
}
