/* dl_iterate_phdr and dladdr of everything, with callbacks that have hooks. */
/* hazard: not static: dladdr() needs the dynamic loader */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <link.h>

OWN static int visit(struct dl_phdr_info *info, size_t size, void *number)
{
  CALLED(visit);
  (void)info, (void)size;
  ++*(int *)number;
  return 0;
}

OWN static int known(void *address)
{
  CALLED(known);
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fbase != NULL;
}

int main(void)
{
  CALLED(main);
  int number = 0, sum = 0;
  for (int i = 0; i < 10; i++) {
    dl_iterate_phdr(visit, &number);
    sum += known((void *)(uintptr_t)&known) + known((void *)(uintptr_t)&printf) + known(&number);
  }
  printf("%d %d\n", number > 20, sum);
  return 0;
}
