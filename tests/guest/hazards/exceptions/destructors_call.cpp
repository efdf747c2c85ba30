// Destructors that call while an exception passes, and throw and catch their own.
#include "tests/guest/hazard.h"

extern "C" OWN void note(int n)
{
  CALLED(note);
  KEEP(n);
}

struct Guard {
  __attribute__((noinline)) ~Guard()
  {
    try {
      note(1);
      throw 'x';
    } catch (char) {
      note(2);
    }
  }
};

extern "C" OWN int down(int n)
{
  CALLED(down);
  Guard guard;
  if (n == 0)
    throw 1.5;
  const volatile int below = down(n - 1);
  return below;
}

int main()
{
  CALLED(main);
  int caught = 0;
  for (int i = 0; i < 20; i++)
    try {
      down(5);
    } catch (double) {
      caught++;
    }
  printf("%d\n", caught);
  return 0;
}
