/* dlopen and dlclose of libraries without hooks, by every flag that there is, and dlmopen. */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/hazard.h"

#include <dlfcn.h>

OWN static int load(const char *name, int flags)
{
  CALLED(load);
  void *module = dlopen(name, flags);
  int found = module && dlsym(module, "cos") != NULL;
  if (module)
    dlclose(module);
  return found;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  const int flags[] = {RTLD_LAZY,
                       RTLD_NOW,
                       RTLD_NOW | RTLD_GLOBAL,
                       RTLD_NOW | RTLD_DEEPBIND,
                       RTLD_LAZY | RTLD_NODELETE,
                       RTLD_NOW | RTLD_NOLOAD};
  for (int i = 0; i < 60; i++)
    sum += load(i % 10 ? "libm.so.6" : "/nowhere/library.so", flags[i % 6]);
  void *other = dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW);
  sum += other != NULL;
  load("libm.so.6", RTLD_NOW);
  if (other)
    dlclose(other);
  printf("%d\n", sum);
  return 0;
}
