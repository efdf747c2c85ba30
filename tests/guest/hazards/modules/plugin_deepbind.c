/* A plugin with hooks that is loaded by RTLD_DEEPBIND, again and again. */
/* hazard: not static: there is no dlopen() */
/* hazard: run @alpha */
/* hazard: expect before falls: the hooks of the C library, which are empty, are found first */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv)
{
  CALLED(main);
  CHECK(argc > 1);
  int sum = 0;
  for (int i = 0; i < 20; i++) {
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
    CHECK(module);
    int (*entry)(int);
    void *found = dlsym(module, "plugin_entry");
    memcpy(&entry, &found, sizeof entry);
    ADD_CALLS(plugin_entry, 1);
    ADD_CALLS(alpha_work, 1);
    ADD_CALLS(alpha_inner, i);
    sum += entry(i);
    dlclose(module);
  }
  printf("%d\n", sum);
  return 0;
}
