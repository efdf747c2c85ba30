// An exception through frames of a library that was loaded (dlopen), which has hooks itself and is unloaded then.
// hazard: run @library
// hazard: not static: there is no dlopen()
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>

typedef int (*call_fn)(int);

#ifdef LIBRARY
struct Guard {
  int *left;
  ~Guard()
  {
    ++*left;
  }
};

OWN static int inner(call_fn call, int n, int *left)
{
  CALLED(inner);
  Guard guard = {left};
  return call(n) + 1;
}

extern "C" int relay(call_fn call, int n, int *left)
{
  CALLED(relay);
  return inner(call, n, left) + 1;
}
#else
OWN static int thrower(int n)
{
  CALLED(thrower);
  if (n % 3)
    throw n;
  return n;
}

OWN static int attempt(int (*relay)(call_fn, int, int *), int n, int *left)
{
  CALLED(attempt);
  try {
    return relay(thrower, n, left);
  } catch (int value) {
    return -value;
  }
}

int main(int argc, char **argv)
{
  CALLED(main);
  int sum = 0, left = 0;
  for (int i = 0; i < 30; i++) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
    void *found = library ? dlsym(library, "relay") : nullptr;
    if (!found)
      return 1;
    int (*relay)(call_fn, int, int *);
    memcpy(&relay, &found, sizeof relay);
    for (int n = 0; n < 20; n++)
      sum += attempt(relay, n, &left);
    dlclose(library);
  }
  printf("%d %d\n", sum, left);
  return 0;
}
#endif
