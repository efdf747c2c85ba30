/* Runs the sample, linked or as a library that is opened: sample_main [LIBRARY]. */
#include <dlfcn.h>
#include <stdio.h>

#ifdef SAMPLE_LINKED
int sample_run(long seed);
#endif

int main(int argc, char **argv)
{
#ifdef SAMPLE_LINKED
  (void)argc;
  (void)argv;
  return sample_run(42) > 1;
#else
  void *library = argc > 1 ? dlopen(argv[1], RTLD_LAZY) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*run)(long);
  *(void **)&run = dlsym(library, "sample_run");
  return run(42) > 1;
#endif
}
