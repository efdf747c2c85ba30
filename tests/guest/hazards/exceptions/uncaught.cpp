// An exception that nobody catches: terminate(), with a handler that ends the process.
#include "tests/guest/hazard.h"

#include <exception>

extern "C" OWN void last()
{
  CALLED(last);
  _exit(11);
}

extern "C" OWN void thrower(int n)
{
  CALLED(thrower);
  if (n == 0)
    throw 1;
  thrower(n - 1);
  KEEP(n);
}

int main()
{
  CALLED(main);
  std::set_terminate(last);
  thrower(5);
  return 0;
}
