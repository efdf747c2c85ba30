/* Arguments and results of the type _Float16, alone, in structures and in arrays. */
/* hazard: not clang: clang 14 has no _Float16 for this processor */
#include "tests/guest/hazard.h"

struct halves {
  _Float16 first, second;
};

OWN static _Float16 sum(_Float16 a, _Float16 b)
{
  CALLED(sum);
  return (_Float16)((float)a + (float)b);
}

OWN static struct halves swap(struct halves both, const _Float16 *more)
{
  CALLED(swap);
  return (struct halves){both.second, sum(both.first, more[0])};
}

OWN static _Float16 tenth(_Float16 a, _Float16 b, _Float16 c, _Float16 d, _Float16 e, _Float16 f, _Float16 g,
                          _Float16 h, _Float16 i, _Float16 j)
{
  CALLED(tenth);
  return sum(sum(sum(a, b), sum(c, d)), sum(sum(e, f), sum(g, sum(h, sum(i, j)))));
}

int main(void)
{
  CALLED(main);
  struct halves both = {1, 2};
  const _Float16 more[] = {3, 4};
  for (int i = 0; i < 20; i++)
    both = swap(both, more);
  printf("%g %g %g\n", (double)(float)both.first, (double)(float)both.second,
         (double)(float)tenth(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  return 0;
}
