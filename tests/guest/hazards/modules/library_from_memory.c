/* A plugin with hooks is loaded from a file in memory (memfd_create), whose descriptor is closed then. */
/* hazard: not static: there is no dlopen() */
/* hazard: run @alpha */
/* hazard: expect falls: the file cannot be read by the command that would index it, which one line says */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

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
  struct stat about;
  char path[64];
  int sum = 0;
  CHECK(argc > 1);
  int from = open(argv[1], O_RDONLY), file = memfd_create("plugin", MFD_CLOEXEC);
  CHECK(from >= 0 && file >= 0 && fstat(from, &about) == 0);
  CHECK(sendfile(file, from, NULL, (size_t)about.st_size) == about.st_size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  void *module = dlopen(path, RTLD_NOW);
  CHECK(module);
  close(file);
  for (int i = 0; i < 10; i++)
    sum += call(module, i);
  printf("%d\n", sum);
  return 0;
}
