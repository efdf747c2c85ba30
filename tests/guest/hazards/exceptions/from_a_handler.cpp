// An exception thrown by a handler of SIGSEGV (-fnon-call-exceptions).
// hazard: flags -fnon-call-exceptions
// hazard: not clang: clang 14 has no exceptions at instructions that are no calls
#include "tests/guest/hazard.h"

#include <signal.h>

static void handler(int number)
{
  CALLED(handler);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  throw number;
}

extern "C" OWN int read_from(const volatile int *at)
{
  CALLED(read_from);
  return *at;
}

int main()
{
  CALLED(main);
  signal(SIGSEGV, handler);
  int sum = 0;
  for (int i = 0; i < 30; i++)
    try {
      sum += read_from(nullptr);
    } catch (int number) {
      sum += number;
    }
  printf("%d\n", sum);
  return 0;
}
