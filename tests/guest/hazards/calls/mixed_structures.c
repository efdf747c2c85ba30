/* Structures of a double and an integer, of floats, with a long double, with bit-fields, packed and aligned to 64. */
#include "tests/guest/hazard.h"

struct both {
  double real;
  long whole;
};
struct floats {
  float x, y, z;
};
struct large {
  long double value;
  int more;
};
struct bits {
  unsigned a : 3, b : 11, c : 17;
  long d : 40;
};
struct __attribute__((packed)) packed {
  char a;
  long b;
  short c;
};
struct wide {
  int a __attribute__((aligned(64)));
};

OWN static struct both one(struct both a, struct floats b, struct large c)
{
  CALLED(one);
  return (struct both){a.real + (double)b.x + (double)b.y + (double)b.z + (double)c.value, a.whole + c.more};
}

OWN static struct bits two(struct bits a, struct packed b, struct wide c)
{
  CALLED(two);
  a.d = (a.d + b.b + c.a) & 0xfffff;
  a.a = (unsigned)(a.a + b.a) & 7;
  a.c = (a.b + (unsigned)b.c) & 0xffff;
  return a;
}

OWN static struct floats three(struct floats a, struct wide b)
{
  CALLED(three);
  return (struct floats){a.y, a.z, a.x + (float)b.a + (float)((uintptr_t)&b % 64)};
}

int main(void)
{
  CALLED(main);
  struct both x = {1, 1};
  struct bits y = {1, 2, 3, 4};
  struct floats z = {1, 2, 3};
  for (int i = 0; i < 100; i++) {
    x = one(x, z, (struct large){0.5L, i});
    y = two(y, (struct packed){1, i, 7}, (struct wide){i});
    z = three(z, (struct wide){i});
  }
  printf("%g %ld %u %u %u %ld %g\n", x.real, x.whole, (unsigned)y.a, (unsigned)y.b, (unsigned)y.c, (long)y.d,
         (double)z.x);
  return 0;
}
