/* A function of the C library that the program defines itself and calls the next of by dlsym(RTLD_NEXT). */
/* hazard: not static: there is no next definition */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>

OWN int puts(const char *text)
{
  CALLED(puts);
  static int (*next)(const char *);
  if (!next) {
    void *found = dlsym(RTLD_NEXT, "puts");
    memcpy(&next, &found, sizeof next);
  }
  return next(text);
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 10; i++)
    puts("text");
  return 0;
}
