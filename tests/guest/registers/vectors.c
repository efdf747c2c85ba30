/* Arguments and results in every vector and integer register, through calls and through the first, slow call of each.
 */
#include "tests/guest/guest.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define N __attribute__((noinline))

N static double eight(double a, double b, double c, double d, double e, double f, double g, double h, long i, long j,
                      long k, long l, long m, long n, long o)
{
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h +
         (double)(i + j * 2 + k * 3 + l * 4 + m * 5 + n * 6 + o * 7);
}

N static long double wide(long double x, double y)
{
  return x * 2 + (long double)y;
}

N static _Complex double rotate(_Complex double z)
{
  return z * 1.0i;
}

N static __m128i integers(__m128i a, __m128i b)
{
  return _mm_add_epi32(a, b);
}

struct pair {
  double x;
  long n;
};

N static struct pair swap(struct pair p)
{
  return (struct pair){(double)p.n, (long)p.x};
}

N __attribute__((target("avx"))) static __m256d lanes(__m256d a, __m256d b)
{
  return _mm256_add_pd(a, b);
}

N __attribute__((target("avx"))) static int avx_works(double seed)
{
  __m256d sum = lanes(_mm256_set_pd(seed, seed + 1, seed + 2, seed + 3), _mm256_set_pd(1, 2, 3, 4));
  double out[4];
  _mm256_storeu_pd(out, sum);
  return out[3] == seed + 1 && out[2] == seed + 3 && out[1] == seed + 5 && out[0] == seed + 7;
}

/* A variadic function gets the number of vector registers in al. */
N static double variadic(int count, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, count);
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += __builtin_va_arg(list, double);
  __builtin_va_end(list);
  return sum;
}

int main(void)
{
  int avx = __builtin_cpu_supports("avx");
  for (int i = 0; i < 5000; i++) {
    CHECK(eight(1, 2, 3, 4, 5, 6, 7, 8, i, 1, 2, 3, 4, 5, 6) == 204 + i + 2 + 6 + 12 + 20 + 30 + 42);
    CHECK(wide(i, 0.5) == 2.0L * i + 0.5L);
    _Complex double z = rotate(i + 2.0i);
    CHECK(__real__ z == -2.0 && __imag__ z == i);
    __m128i v = integers(_mm_set_epi32(1, 2, 3, i), _mm_set_epi32(4, 3, 2, 1));
    int32_t out[4];
    memcpy(out, &v, sizeof out);
    CHECK(out[0] == i + 1 && out[1] == 5 && out[2] == 5 && out[3] == 5);
    struct pair p = swap((struct pair){i, 9});
    CHECK(p.x == 9 && p.n == i);
    CHECK(variadic(4, 1.0, 2.0, 3.0, (double)i) == 6.0 + i);
    CHECK(!avx || avx_works(i));
  }
  printf("count eight 5000\ncount wide 5000\ncount rotate 5000\ncount integers 5000\ncount swap 5000\ncount variadic "
         "5000\n");
  printf("count main 1\n");
  return 0;
}
