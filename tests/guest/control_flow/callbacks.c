/* Function pointers as arguments: into the program, a library that is not instrumented, a plugin, and nowhere. The
 * report names them. argv[1]: a plugin. */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/guest.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>

static int own(int x)
{
  KEEP(x);
  return x + 1;
}

__attribute__((noinline)) static int apply(int (*function)(int), int x)
{
  int result = function(x);
  KEEP(function);
  return result;
}

__attribute__((noinline)) static int keep(int (*function)(int))
{
  KEEP(function);
  return function != NULL;
}

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  void *plugin = dlopen(argv[1], RTLD_NOW);
  CHECK(plugin);
  int (*entry)(int) = (int (*)(int))(uintptr_t)dlsym(plugin, "plugin_entry");
  CHECK(entry);
  for (int i = 0; i < 10; i++) {
    CHECK(apply(own, i) == i + 1);
    CHECK(apply(toupper, 'a') == 'A');
    CHECK(apply(entry, 4) == 6);
    CHECK(keep((int (*)(int))(uintptr_t)0x1234567) == 1);
    CHECK(keep(NULL) == 0);
  }
  printf("count own 10\ncount apply 30\ncount keep 20\ncount plugin_entry 10\ncount main 1\n");
  return 0;
}
