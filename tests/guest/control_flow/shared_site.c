/* One call of each hook that reports two functions, as compilers make when they merge the ends of two functions: who
 * was entered follows from what the hook is given, not from where it is called. */
#include "tests/guest/guest.h"

COUNTER(first);
COUNTER(second);
COUNTER(inner);

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

__attribute__((noinline)) static void inner(int n)
{
  HIT(inner);
  KEEP(n);
}

__attribute__((noinline)) static void first(int n)
{
  HIT(first);
  KEEP(n);
}

__attribute__((noinline)) static void second(int n)
{
  HIT(second);
  KEEP(n);
}

__attribute__((noinline)) static QUIET void shared(void *function, int n)
{
  __cyg_profile_func_enter(function, __builtin_return_address(0));
  inner(n);
  __cyg_profile_func_exit(function, __builtin_return_address(0));
  KEEP(n);
}

int main(void)
{
  for (int i = 0; i < 1000; i++) {
    first(i);
    second(i);
    shared((void *)first, i);
    HIT(first);
    if (i % 3 == 0) {
      shared((void *)second, i);
      HIT(second);
    }
  }
  TELL(first);
  TELL(second);
  TELL(inner);
  return 0;
}
