/* RLIMIT_DATA and RLIMIT_STACK as they are used now, and not a byte more. */
/* hazard: expect falls: what recursion needs later is refused: one line says so, and the report counts the calls */
#include "tests/guest/hazard.h"

#include <sys/resource.h>

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

int main(void)
{
  CALLED(main);
  work(1);
  setrlimit(RLIMIT_DATA, &(struct rlimit){1 << 16, 1 << 16});
  setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, 1 << 20});
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += work(i % 40);
  printf("%d\n", sum);
  return 0;
}
