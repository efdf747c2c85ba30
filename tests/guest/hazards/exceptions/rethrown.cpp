// Exceptions that are caught, changed and thrown again through ten frames.
#include "tests/guest/hazard.h"

#include <stdexcept>

extern "C" OWN int down(int n)
{
  CALLED(down);
  try {
    if (n == 0)
      throw 1;
    const volatile int below = down(n - 1);
    return below;
  } catch (int &value) {
    value++;
    throw;
  }
}

int main()
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 50; i++)
    try {
      down(10);
    } catch (int value) {
      sum += value;
    }
  printf("%d\n", sum);
  return 0;
}
