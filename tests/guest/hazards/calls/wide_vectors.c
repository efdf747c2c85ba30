/* Vectors of 16, 32 and 64 bytes by value (AVX and AVX-512 where the processor has them, else in memory). */
/* hazard: flags -Wno-psabi */
#include "tests/guest/hazard.h"

#include <string.h>

typedef int four __attribute__((vector_size(16)));
typedef double wide __attribute__((vector_size(32)));
typedef long widest __attribute__((vector_size(64)));

OWN static four add(four a, four b)
{
  CALLED(add);
  return a + b;
}

OWN __attribute__((target("avx2"))) static double sum(const double *at)
{
  CALLED(sum);
  wide total = {0, 0, 0, 0};
  for (int i = 0; i < 16; i += 4) {
    wide next;
    memcpy(&next, at + i, sizeof next);
    total += next;
  }
  return total[0] + total[1] + total[2] + total[3];
}

OWN static widest turn(widest a)
{
  CALLED(turn);
  return a * 3 + 1;
}

int main(void)
{
  CALLED(main);
  four f = {1, 2, 3, 4};
  widest w = {1, 2, 3, 4, 5, 6, 7, 8};
  double at[16] = {1, 2, 3, 4}, total = 0;
  __builtin_cpu_init();
  for (int i = 0; i < 100; i++) {
    f = add(f, f) & 0xffff;
    w = turn(w) & 0xffff;
    total += __builtin_cpu_supports("avx2") ? sum(at) : 10;
  }
  printf("%d %ld %g\n", f[3], (long)w[7], total);
  return 0;
}
