// Thread-local objects of C++ whose constructors and destructors call, also those of the main thread at exit().
#include "tests/guest/hazard.h"

#include <thread>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

struct noted {
  int number = work(1);
  ~noted()
  {
    number = work(number);
  }
};

static thread_local noted mine;
static noted everybodys;

static void thread(int n)
{
  CALLED(thread);
  mine.number += work(n);
}

int main()
{
  CALLED(main);
  for (int i = 0; i < 20; i++)
    std::thread(thread, i).join();
  mine.number += work(2);
  printf("%d %d\n", mine.number, everybodys.number);
  return 0;
}
