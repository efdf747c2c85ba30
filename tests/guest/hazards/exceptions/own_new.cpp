// operator new and delete of its own, and one that throws bad_alloc.
// hazard: flags -fno-builtin
#include "tests/guest/hazard.h"

#include <new>

static int refused;

// Is shown by its name in C++, and not counted here.
OWN void *operator new(size_t size)
{
  if (size > 1 << 20) {
    refused++;
    throw std::bad_alloc();
  }
  return malloc(size);
}

void operator delete(void *at) noexcept
{
  free(at);
}

void operator delete(void *at, size_t) noexcept
{
  free(at);
}

extern "C" OWN char *make(size_t size)
{
  CALLED(make);
  return static_cast<char *>(operator new(size));
}

int main()
{
  CALLED(main);
  for (int i = 0; i < 40; i++)
    try {
      operator delete(make(i % 4 ? 100 : 2 << 20));
    } catch (const std::bad_alloc &) {
    }
  printf("%d\n", refused);
  return 0;
}
