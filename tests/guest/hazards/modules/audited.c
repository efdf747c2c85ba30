/* Starts itself again with an auditing library (LD_AUDIT), which the loader asks of each object and each symbol. */
/* hazard: run @library */
/* hazard: not static: there is no loader that asks one */
#include "tests/guest/hazard.h"

#include <link.h>

#ifdef LIBRARY
unsigned la_version(unsigned version);
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);

QUIET unsigned la_version(unsigned version)
{
  return version;
}

QUIET unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
  (void)map;
  (void)space;
  (void)cookie;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
#else
OWN static int work(int n)
{
  CALLED(work);
  return n + (int)(getpid() > 0);
}

int main(int argc, char **argv)
{
  CALLED(main);
  int n = 0;
  while (n < 500)
    n = work(n);
  if (argc == 2 && !getenv("LD_AUDIT")) {
    setenv("LD_AUDIT", argv[1], 1);
    execv("/proc/self/exe", argv);
  }
  printf("%d %d\n", n, getenv("LD_AUDIT") != NULL);
  return 0;
}
#endif
