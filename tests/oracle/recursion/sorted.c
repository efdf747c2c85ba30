/*
 * An interpreter's shape: run() and call() call one another, and what sorts through the C library calls back into them.
 * Where their calls are outermost is told by counters of their own.
 */
#include <stdio.h>
#include <stdlib.h>

#define SEPARATE __attribute__((noinline))
#define COUNT    3000
#define ROUNDS   4
#define DEPTH    15

struct activations {
  long calls, outermost, open;
};

static int numbers[COUNT];
static struct activations of_call, of_run, of_compare, of_sort;

static void begin(struct activations *of)
{
  of->calls++;
  of->outermost += of->open++ == 0;
}

static long end(struct activations *of, long value)
{
  of->open--;
  return value;
}

SEPARATE static long call(int kind, long a, long b);

SEPARATE static long to_number(long value)
{
  return value * 3 % 1009;
}

SEPARATE static int compare(const void *left, const void *right)
{
  const long a = *(const int *)left, b = *(const int *)right;
  begin(&of_compare);
  return (int)end(&of_compare, call(2, a, b));
}

SEPARATE static long sort(void)
{
  begin(&of_sort);
  qsort(numbers, COUNT, sizeof *numbers, compare);
  return end(&of_sort, numbers[5]);
}

SEPARATE static long run(int kind, long a, long b)
{
  begin(&of_run);
  if (kind == 0)
    return end(&of_run, call(1, DEPTH, 0) + sort() + to_number(a));
  if (kind == 1)
    return end(&of_run, a < 2 ? to_number(a) : call(1, a - 1, 0) + call(1, a - 2, 0));
  return end(&of_run, to_number(a) != to_number(b) ? (a > b) - (a < b) : 0);
}

SEPARATE static long call(int kind, long a, long b)
{
  begin(&of_call);
  return end(&of_call, run(kind, a, b) + to_number(0));
}

static void tell(const char *name, const struct activations *of)
{
  printf("%s %ld %ld\n", name, of->calls, of->outermost);
}

int main(void)
{
  for (int i = 0; i < COUNT; i++)
    numbers[i] = i * 7919 % 3001;
  for (int i = 0; i < ROUNDS; i++)
    call(0, i, 0);
  tell("call", &of_call);
  tell("run", &of_run);
  tell("compare", &of_compare);
  tell("sort", &of_sort);
  return 0;
}
