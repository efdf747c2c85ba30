// Virtual functions through thunks, of two bases and a virtual one, and pointers to members.
#include "tests/guest/hazard.h"

struct First {
  virtual int one(int n) = 0;
  virtual ~First() = default;
  long room = 1;
};
struct Second {
  virtual int two(int n) = 0;
  virtual ~Second() = default;
  long room = 2;
};

extern "C" OWN int counted(int n)
{
  CALLED(counted);
  return n + 1;
}

struct Both : virtual First, Second {
  int one(int n) override
  {
    return counted(n);
  }
  int two(int n) override
  {
    return counted(n) + counted(n);
  }
};

int main()
{
  CALLED(main);
  Both both;
  First *volatile first = &both;
  Second *volatile second = &both;
  int (Second::*volatile pointer)(int) = &Second::two;
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += first->one(i) + second->two(i) + (second->*pointer)(i);
  printf("%d\n", sum);
  return 0;
}
