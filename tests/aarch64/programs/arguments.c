/* Arguments of many types and places: registers, the stack, vector registers, structures, strings and arrays. */
#include <stdio.h>
#include <string.h>

enum color { RED, GREEN = 5 };
struct pair {
  long first, second;
};

__attribute__((noinline)) static int integers(char c, short s, int i, long l, unsigned char u, _Bool b)
{
  return c + s + i + (int)l + u + b;
}
__attribute__((noinline)) static long many(int a, int b, int c, int d, int e, int f, int g, int h, int ninth,
                                           long tenth)
{
  return a + b + c + d + e + f + g + h + ninth + tenth;
}
__attribute__((noinline)) static double floats(double d, float f, int i)
{
  return d * f + i;
}
__attribute__((noinline)) static int colored(enum color color, const char *name)
{
  return (int)color + (int)strlen(name);
}
__attribute__((noinline)) static long structure(struct pair pair, const struct pair *pointer)
{
  return pair.first + (pointer ? pointer->second : 0);
}
__attribute__((noinline)) static long sum(const int *values, int n)
{
  long total = 0;
  for (int i = 0; i < n; i++)
    total += values[i];
  return total;
}

int main(void)
{
  static const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const struct pair pair = {3, 4};
  long total = 0;
  for (int i = 0; i < 6; i++) {
    total += integers((char)('a' + i % 2), (short)-i, i * 1000, i * 10000000000L, (unsigned char)(250 + i), i & 1);
    total += many(i, 2, 3, 4, 5, 6, 7, 8, -i, 1L << (40 + i % 2));
    total += (long)floats(i, 2.5f, i % 3);
    total += colored(i % 2 ? GREEN : RED, "name");
    total += structure(pair, i % 2 ? &pair : NULL);
    total += sum(values, i + 1);
  }
  printf("%ld\n", total);
  return 0;
}
