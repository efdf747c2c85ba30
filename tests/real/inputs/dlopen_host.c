/* Loads the shared object named first and runs its lua_main() with the remaining arguments: a program that knows
 * nothing of Lua before it has started. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*run)(int, char **) = NULL;
  if (library != NULL)
    *(void **)&run = dlsym(library, "lua_main");
  if (library == NULL || run == NULL) {
    fprintf(stderr, "dlopen_host: %s\n", argc > 1 ? dlerror() : "no library named");
    return 2;
  }
  return run(argc - 1, argv + 1);
}
