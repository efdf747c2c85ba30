/*
 * A program that tells what it is called with: every instrumented function writes its own name and arguments to stdout,
 * as the trace of its hooks should tell them. Pointers are told as 1 or 0, and what is told by type alone as "-".
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN __attribute__((no_instrument_function, noinline))
#define APART  __attribute__((noinline))

enum color { RED, GREEN = 5, BLUE = -7 };

struct small {
  int a, b;
};

struct large {
  long words[9];
};

UNSEEN static void tell(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stdout, format, arguments);
  va_end(arguments);
}

/* Keeps a value from being known where it is used. */
UNSEEN static long hide(long value)
{
  __asm__ volatile("" : "+r"(value));
  return value;
}

APART static long widths(signed char c, unsigned char u, short s, unsigned short w, int i, unsigned x, long l)
{
  tell("widths %d %d %d %d %d %u %ld\n", c, u, s, w, i, x, l);
  return c + u + s + w + i + (long)x + l;
}

APART static int kinds(bool flag, enum color color, char letter, const char *text, int (*callback)(int))
{
  tell("kinds %d %d %d %d %s\n", flag, color, letter, text != NULL, callback ? "twice" : "0");
  return flag + (int)color + letter;
}

APART static double floats(double d, int i, float f, long n)
{
  tell("floats - %d - %ld\n", i, n);
  return d * i + (double)f + (double)n;
}

APART static long on_stack(long a, long b, long c, long d, long e, long f, long g, short h, struct large l,
                           signed char last)
{
  tell("on_stack %ld %ld %ld %ld %ld %ld %ld %d - %d\n", a, b, c, d, e, f, g, h, last);
  return a + b + c + d + e + f + g + h + l.words[8] + last;
}

APART static struct large returned(struct small small, int n)
{
  tell("returned - %d\n", n);
  struct large large = {{small.a, small.b, n}};
  return large;
}

static inline int twice(int n)
{
  tell("twice %d\n", n);
  return n * 2;
}

static inline __attribute__((always_inline)) long forced(const char *text, unsigned count, long step)
{
  tell("forced %d %u %ld\n", text != NULL, count, step);
  long sum = 0;
  for (unsigned i = 0; i < count; i++)
    sum += twice((int)(i * (unsigned)step));
  return sum;
}

APART static int changes(int n, int m)
{
  tell("changes %d %d\n", n, m);
  n &= 7;
  m = n + 1;
  return n * m;
}

APART static int escapes(int n, long *into)
{
  tell("escapes %d %d\n", n, into != NULL);
  int *pointer = &n;
  *pointer += 1;
  *into = *pointer;
  return n;
}

APART static int unused(int n, const void *nothing, long other)
{
  (void)n;
  (void)nothing;
  (void)other;
  tell("unused %d %d %ld\n", 3, 0, 77L);
  return 0;
}

/* Functions that change a parameter before they use it: what it was on entry is nowhere afterwards, and their callers
 * tell it. */
static inline void swapped(unsigned char *to, uint64_t value)
{
  value = __builtin_bswap64(value);
  memcpy(to, &value, sizeof value);
}

APART static int groups_of_seven(uint64_t value)
{
  int count = 1;
  while ((value >>= 7) != 0)
    count++;
  return count;
}

static inline int groups_inlined(uint64_t value)
{
  int count = 1;
  while ((value >>= 7) != 0)
    count++;
  return count;
}

static inline uint64_t rounded(uint64_t state, uint64_t input)
{
  state += input * UINT64_C(14029467366897019727);
  state = state << 31 | state >> 33;
  state *= UINT64_C(11400714785074694791);
  return state;
}

APART static long changed_at_once(unsigned char *to, long a, long b)
{
  tell("changed_at_once %d %ld %ld\n", 1, a, b);
  tell("swapped %d %lu\n", 1, (unsigned long)a);
  swapped(to, (uint64_t)a);
  tell("groups_of_seven %lu\n", (unsigned long)b);
  long total = groups_of_seven((uint64_t)b);
  tell("groups_inlined %lu\n", (unsigned long)a);
  total += groups_inlined((uint64_t)a);
  uint64_t state = 5;
  tell("rounded %ld %ld\n", (long)state, a);
  state = rounded(state, (uint64_t)a);
  tell("rounded %ld %ld\n", (long)state, b);
  state = rounded(state, (uint64_t)b);
  return total + (long)(state & 1);
}

APART static int recursive(int depth, int scale)
{
  tell("recursive %d %d\n", depth, scale);
  return depth == 0 ? scale : recursive(depth - 1, scale * 2) + depth;
}

APART static int branches(int which, int value)
{
  tell("branches %d %d\n", which, value);
  switch (which) {
  case 0:
    return twice(value);
  case 1:
    return (int)forced("one", 1, value);
  case 2:
    return twice(value + 1) + twice(value + 2);
  case 3:
    return changes(value, which);
  case 4:
    return twice(-value);
  default:
    return 0;
  }
}

APART static int bits(__int128 wide, int n)
{
  tell("bits - %d\n", n);
  return (int)(wide >> 64) + n;
}

int sample_run(long seed)
{
  tell("sample_run %ld\n", seed);
  long total = widths((signed char)hide(-3), (unsigned char)hide(250), (short)hide(-30000), (unsigned short)hide(60000),
                      (int)hide(-2000000000), (unsigned)hide(4000000000), hide(-5000000000));
  total += kinds(hide(1) != 0, BLUE, 'q', "text", twice) + kinds(false, GREEN, (char)hide(-1), NULL, NULL);
  total += (long)floats(2.5, (int)hide(4), 1.5f, hide(9));
  struct large large = {{1, 2, 3, 4, 5, 6, 7, 8, hide(9)}};
  total += on_stack(hide(1), 2, hide(3), 4, hide(5), 6, hide(-7), (short)hide(-8), large, (signed char)hide(-9));
  total += returned((struct small){1, (int)hide(2)}, (int)hide(11)).words[2];
  total += forced("text", (unsigned)hide(3), hide(5)) + forced(NULL, 1, 2);
  total += changes((int)hide(13), 14) + escapes((int)hide(15), &total);
  total += unused(3, NULL, 77);
  unsigned char buffer[8];
  total += changed_at_once(buffer, hide(300), hide(70000)) + buffer[0];
  total += recursive((int)hide(3), 2);
  for (int i = 0; i < 6; i++)
    total += branches(i, (int)hide(i * 10));
  total += bits((__int128)hide(3) << 64, (int)hide(21));
  return (int)total & 1;
}
