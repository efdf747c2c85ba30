// Exceptions that std::async and std::exception_ptr carry from one thread to another.
// hazard: not static: weak references to the threads of a static C library are not all there
#include "tests/guest/hazard.h"

#include <future>
#include <stdexcept>

extern "C" OWN int fails(int n)
{
  CALLED(fails);
  if (n % 2)
    throw std::runtime_error("odd");
  return n;
}

int main()
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 20; i++) {
    auto result = std::async(std::launch::async, fails, i);
    try {
      sum += result.get();
    } catch (const std::runtime_error &) {
      sum += 1000;
    }
  }
  printf("%d\n", sum);
  return 0;
}
