/* Loads, unloads and loads again two plugins that the linker puts at the same address. argv[1], argv[2]: the plugins.
 */
#include "guest.h"

#include <dlfcn.h>
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

int main(int argc, char **argv)
{
  CHECK(argc == 3);
  int met = 0;
  for (int i = 0; i < 20; i++) {
    void *alpha = use(argv[1], 10, 15);
    void *beta = use(argv[2], 6, 9);
    met += alpha == beta;
  }
  fprintf(stderr, "same address %d times\n", met);
  printf("count alpha_work 20\ncount alpha_inner 200\ncount beta_work 20\ncount beta_inner 120\n");
  printf("count plugin_entry 40\ncount call_plugin 40\ncount use 40\ncount main 1\n");
  return 0;
}
