/* A plugin with hooks in a name space of its own (dlmopen), which has its own C library. */
/* hazard: not static: there is no dlopen() */
/* hazard: run @alpha */
/* hazard: expect before falls: in its name space the C library's hooks, which are empty, are the only ones */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv)
{
  CALLED(main);
  CHECK(argc > 1);
  void *module = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
  if (!module) {
    printf("%s\n", dlerror());
    return 2;
  }
  int (*entry)(int);
  void *found = dlsym(module, "plugin_entry");
  memcpy(&entry, &found, sizeof entry);
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += entry(i);
  ADD_CALLS(plugin_entry, 10);
  printf("%d\n", sum);
  return 0;
}
