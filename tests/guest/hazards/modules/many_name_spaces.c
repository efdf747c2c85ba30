/* Ten name spaces (dlmopen) one after the other, each closed again, with a plugin that has hooks. */
/* hazard: not static: there is no dlopen() */
/* hazard: run @alpha */
/* hazard: expect before falls: in its name space the C library's hooks, which are empty, are the only ones */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>

OWN static int call(void *module, int n)
{
  CALLED(call);
  int (*entry)(int);
  void *found = dlsym(module, "plugin_entry");
  memcpy(&entry, &found, sizeof entry);
  ADD_CALLS(plugin_entry, 1);
  return entry(n);
}

int main(int argc, char **argv)
{
  CALLED(main);
  int sum = 0;
  CHECK(argc > 1);
  for (int i = 0; i < 10; i++) {
    void *module = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    if (!module) {
      printf("%s\n", dlerror());
      return 2;
    }
    sum += call(module, i);
    CHECK(dlclose(module) == 0);
  }
  printf("%d\n", sum);
  return 0;
}
