/* A timer every 50 us whose handler has hooks, while plugins are loaded, called and unloaded. */
/* hazard: run @alpha @beta */
/* hazard: expect counted */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static volatile int ticks;

OWN static void tick(void)
{
  CALLED(tick);
  ticks++;
}

static void handler(int number)
{
  CALLED(handler);
  (void)number;
  tick();
}

OWN static int call_plugin(const char *path, int n)
{
  CALLED(call_plugin);
  void *plugin = dlopen(path, RTLD_NOW);
  void *found = plugin ? dlsym(plugin, "plugin_entry") : NULL;
  int (*entry)(int);
  CHECK(found);
  memcpy(&entry, &found, sizeof entry);
  ADD_CALLS(plugin_entry, 1);
  const int sum = entry(n);
  CHECK(dlclose(plugin) == 0);
  return sum;
}

int main(int argc, char **argv)
{
  CALLED(main);
  int sum = 0;
  CHECK(argc == 3);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART}, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 50}, {0, 50}}, NULL);
  for (int i = 0; i < 200; i++)
    sum += call_plugin(argv[1 + i % 2], i);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  printf("%d %d\n", sum, ticks > 0);
  return 0;
}
