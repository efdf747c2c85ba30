/* Two plugins that four threads load, call and close at once. */
/* hazard: not static: there is no dlopen() */
/* hazard: run @alpha @beta */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static char **paths;

static void *thread(void *number)
{
  CALLED(thread);
  for (long i = 0; i < 25; i++) {
    const long which = ((long)number + i) % 2;
    void *module = dlopen(paths[which], RTLD_NOW);
    CHECK(module);
    int (*entry)(int);
    void *found = dlsym(module, "plugin_entry");
    memcpy(&entry, &found, sizeof entry);
    ADD_CALLS(plugin_entry, 1);
    if (which)
      ADD_CALLS(beta_work, 1);
    else
      ADD_CALLS(alpha_work, 1);
    entry(3);
    dlclose(module);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  CALLED(main);
  CHECK(argc > 2);
  paths = argv + 1;
  pthread_t ids[4];
  for (long i = 0; i < 4; i++)
    CHECK(pthread_create(&ids[i], NULL, thread, (void *)i) == 0);
  for (int i = 0; i < 4; i++)
    pthread_join(ids[i], NULL);
  return 0;
}
