// An exception that leaves a noexcept function: abort().
// hazard: flags -Wno-terminate -Wno-exceptions
#include "tests/guest/hazard.h"

extern "C" OWN void never() noexcept
{
  CALLED(never);
  throw 1;
}

int main()
{
  CALLED(main);
  try {
    never();
  } catch (int) {
  }
  return 0;
}
