/* Structures of every size from 1 to 64 bytes, passed and returned by value. */
#include "tests/guest/hazard.h"

#define SIZES(X) X(1) X(2) X(3) X(4) X(7) X(8) X(9) X(12) X(15) X(16) X(17) X(24) X(31) X(32) X(33) X(64)

#define DEFINE(n)                                                                                                      \
  struct bytes##n {                                                                                                    \
    unsigned char at[n];                                                                                               \
  };                                                                                                                   \
  OWN static struct bytes##n turn##n(struct bytes##n in, int by)                                                       \
  {                                                                                                                    \
    CALLED(turn##n);                                                                                                   \
    for (int i = 0; i < n; i++)                                                                                        \
      in.at[i] = (unsigned char)(in.at[i] + by + i);                                                                   \
    return in;                                                                                                         \
  }
SIZES(DEFINE)

#define USE(n)                                                                                                         \
  {                                                                                                                    \
    struct bytes##n value = {{1}};                                                                                     \
    for (int i = 0; i < 20; i++)                                                                                       \
      value = turn##n(value, i);                                                                                       \
    for (int i = 0; i < n; i++)                                                                                        \
      sum = sum * 31 + value.at[i];                                                                                    \
  }

int main(void)
{
  CALLED(main);
  unsigned sum = 0;
  SIZES(USE)
  printf("%u\n", sum);
  return 0;
}
