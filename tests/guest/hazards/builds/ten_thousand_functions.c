/* A program of ten thousand functions, each of which is called and calls another. */
/* hazard: flags -O0 */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

#define FUNCTION(name)                                                                                                 \
  APART static int name(int n)                                                                                         \
  {                                                                                                                    \
    return work(n) + 1;                                                                                                \
  }
#define CALL(name) n = name(n);

/* One for each digit of a name, since a macro does not expand in itself. */
#define TEN(make, x)                                                                                                   \
  make(x##0) make(x##1) make(x##2) make(x##3) make(x##4) make(x##5) make(x##6) make(x##7) make(x##8) make(x##9)
#define TEN_2(make, x)                                                                                                 \
  make(x##0) make(x##1) make(x##2) make(x##3) make(x##4) make(x##5) make(x##6) make(x##7) make(x##8) make(x##9)
#define TEN_3(make, x)                                                                                                 \
  make(x##0) make(x##1) make(x##2) make(x##3) make(x##4) make(x##5) make(x##6) make(x##7) make(x##8) make(x##9)
#define TEN_4(make, x)                                                                                                 \
  make(x##0) make(x##1) make(x##2) make(x##3) make(x##4) make(x##5) make(x##6) make(x##7) make(x##8) make(x##9)

#define FUNCTIONS_1(x) TEN(FUNCTION, x)
#define FUNCTIONS_2(x) TEN_2(FUNCTIONS_1, x)
#define FUNCTIONS_3(x) TEN_3(FUNCTIONS_2, x)
#define CALLS_1(x)     TEN(CALL, x)
#define CALLS_2(x)     TEN_2(CALLS_1, x)
#define CALLS_3(x)     TEN_3(CALLS_2, x)

TEN_4(FUNCTIONS_3, f)

int main(void)
{
  CALLED(main);
  int n = 0;
  TEN_4(CALLS_3, f)
  printf("%d\n", n);
  return 0;
}
