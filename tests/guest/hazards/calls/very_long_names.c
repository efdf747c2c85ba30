/* Functions, parameters, fields and types whose names have more than ten thousand characters. */
#include "tests/guest/hazard.h"

/* A macro does not expand in itself: so one for each doubling. */
#define JOIN(a, b)   a##b
#define JOIN_2(a, b) JOIN(a, b)
#define N0           long_name_
#define J1(a, b)     a##b
#define K1(a, b)     J1(a, b)
#define N1           K1(N0, N0)
#define J2(a, b)     a##b
#define K2(a, b)     J2(a, b)
#define N2           K2(N1, N1)
#define J3(a, b)     a##b
#define K3(a, b)     J3(a, b)
#define N3           K3(N2, N2)
#define J4(a, b)     a##b
#define K4(a, b)     J4(a, b)
#define N4           K4(N3, N3)
#define J5(a, b)     a##b
#define K5(a, b)     J5(a, b)
#define N5           K5(N4, N4)
#define J6(a, b)     a##b
#define K6(a, b)     J6(a, b)
#define N6           K6(N5, N5)
#define J7(a, b)     a##b
#define K7(a, b)     J7(a, b)
#define N7           K7(N6, N6)
#define J8(a, b)     a##b
#define K8(a, b)     J8(a, b)
#define N8           K8(N7, N7)
#define J9(a, b)     a##b
#define K9(a, b)     J9(a, b)
#define N9           K9(N8, N8)
#define J10(a, b)    a##b
#define K10(a, b)    J10(a, b)
#define N10          K10(N9, N9)
#define NAMED(end)   JOIN_2(N10, end)

struct NAMED(structure) {
  int NAMED(field);
};

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int NAMED(first)(struct NAMED(structure) NAMED(argument), const char *NAMED(text))
{
  return work(NAMED(argument).NAMED(field)) + NAMED(text)[0];
}

/* The same but for its last character. */
OWN static int NAMED(firsu)(int NAMED(argument))
{
  return work(NAMED(argument));
}

int main(void)
{
  CALLED(main);
  int n = 0;
  for (int i = 0; i < 50; i++)
    n += NAMED(first)((struct NAMED(structure)){i}, "text") + NAMED(firsu)(i);
  printf("%d\n", n);
  return 0;
}
