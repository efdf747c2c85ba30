/*
 * Code whose parameters are in many kinds of places once it is optimised: registers, the frame, constants, arithmetic,
 * pieces, implicit pointers, what only a caller knows. Never run.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  long first, second;
};
struct small {
  int a;
  short b;
};
struct floats {
  float x[2];
};
typedef long (*operation)(long);

__thread int counter;
int global_table[32];

__attribute__((noinline)) long use(const void *pointer, long value)
{
  __asm__ volatile("" : : "r"(pointer), "r"(value) : "memory");
  return value;
}

static inline long inlined(const struct pair *pair, long scale, int unused_flag)
{
  return use(pair, pair->first * scale + pair->second + (unused_flag ? 1 : 0));
}

static long twice(long value)
{
  return value * 2;
}

static __attribute__((noinline)) long apply(operation operation, long value, int constant)
{
  return operation(value) + constant;
}

static inline long nested(long depth, const char *name)
{
  struct pair local = {depth, (long)strlen(name)};
  return inlined(&local, depth + 1, 0) + inlined(&local, 3, 1);
}

long by_value(struct pair pair, struct small small, double factor, long first, long second, long third, long stacked,
              short narrow)
{
  return pair.first + small.a + small.b + (long)factor + first + second + third + stacked + narrow;
}

long caller(long argument, const char *name)
{
  struct pair pair = {argument, 2};
  long sum = inlined(&pair, 7, 1) + nested(argument - 1, name);
  sum += apply(twice, sum + 3, 5) + apply(labs, sum, 5);
  sum += by_value(pair, (struct small){1, 2}, 2.5, sum, sum + 1, sum + 2, sum + 3, (short)argument);
  return sum + counter + global_table[argument & 31];
}

long aligned(long count, long *results)
{
  long __attribute__((aligned(64))) buffer[32] = {0};
  for (long i = 0; i < count && i < 32; i++)
    buffer[i] = caller(i, "aligned");
  memcpy(results, buffer, sizeof buffer);
  return use(buffer, count);
}

long variable_length(size_t size, unsigned char fill)
{
  char buffer[size];
  memset(buffer, fill, size);
  return use(buffer, (long)size);
}

uint8_t narrow(uint8_t a, int16_t b, uint32_t c, _Bool d)
{
  return (uint8_t)(use(&global_table, a + b + (long)c) + d);
}

long recursive(long n, struct pair *pair)
{
  if (n <= 0)
    return use(pair, n);
  struct pair next = {pair->second, pair->first + n};
  return recursive(n - 1, &next) + n;
}

int variadic(int n, ...)
{
  va_list rest;
  int sum = 0;
  va_start(rest, n);
  while (n--)
    sum += va_arg(rest, int);
  va_end(rest);
  return sum;
}

int with_long_double(int first, long double number, int last)
{
  return first + last + (int)number;
}

int with_floats(int first, struct floats floats, int last)
{
  return first + last + (int)floats.x[0];
}

long set_at_once(long x, long y)
{
  x = y * 3;
  for (long i = 0; i < x; i++)
    y ^= use(&y, i);
  return y;
}
