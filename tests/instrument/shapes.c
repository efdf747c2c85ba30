/* Odd shapes of C functions: what each does is printed, so that two builds can be compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline, noclone))
static jmp_buf buf;
NOINLINE int jumps(int n)
{
  if (setjmp(buf) == 0)
    return n + 1;
  return n + 2;
}
NOINLINE void leaps(void)
{
  longjmp(buf, 1);
}
NOINLINE int catches(int n)
{
  volatile int k = n;
  if (setjmp(buf) == 0)
    leaps();
  return k + 2;
}
NOINLINE int computed(int n)
{
  static void *const labels[] = {&&one, &&two, &&out};
  int sum = 0;
  goto *labels[n % 3];
one:
  sum += 3;
  if (++n % 3 != 2)
    goto *labels[n % 3];
two:
  sum += 5;
out:
  return sum + n;
}
NOINLINE int sums(int n, ...)
{
  va_list list;
  va_start(list, n);
  int sum = 0;
  while (n-- > 0)
    sum += va_arg(list, int);
  va_end(list);
  return sum;
}
NOINLINE double sumd(int n, ...)
{
  va_list list;
  va_start(list, n);
  double sum = 0;
  while (n-- > 0)
    sum += va_arg(list, double);
  va_end(list);
  return sum;
}
#ifndef __clang__
NOINLINE int nested(int n)
{
  int add(int m)
  {
    return m + n;
  }
  int (*volatile f)(int) = add;
  return f(1) + f(2);
}
__attribute__((optimize("no-omit-frame-pointer"))) NOINLINE int framed(int n)
{
  return n * 5;
}
#else
NOINLINE int nested(int n)
{
  return 2 * n + 3;
}
NOINLINE int framed(int n)
{
  return n * 5;
}
#endif
__attribute__((target("sse3"))) NOINLINE int targeted(const int *p, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i];
  return sum;
}
struct big {
  long a[9];
};
NOINLINE struct big bigs(int n)
{
  struct big b;
  for (int i = 0; i < 9; i++)
    b.a[i] = n + i;
  return b;
}
NOINLINE long double wide(long double x)
{
  return x * 3;
}
NOINLINE _Complex double complexes(double x)
{
  return x + 2i;
}
NOINLINE int tail(int n)
{
  return sums(2, n, n);
}
NOINLINE int tail_by_pointer(int (*f)(int), int n)
{
  return f(n + 1);
}
NOINLINE int forever(volatile int *p)
{
  for (;;) {
    if (--*p < 0)
      return *p;
  }
}
__attribute__((noreturn, noinline, cold)) void fatal(int n)
{
  printf("fatal %d\n", n);
  fflush(stdout);
  exit(0);
}
NOINLINE int partial(int *p, int n)
{
  if (n < 3) {
    *p += n;
    return n;
  }
  char buffer[64];
  memset(buffer, n, sizeof buffer);
  for (int i = 0; i < n; i++)
    *p += buffer[i % 64];
  if (*p > 100000)
    fatal(*p);
  return *p;
}
static __attribute__((noinline)) int specialised(int n, int m, int *unused)
{
  (void)unused;
  return n * m + jumps(n);
}
__attribute__((constructor)) NOINLINE static void before(void)
{
  puts("constructor");
}
__attribute__((destructor)) NOINLINE static void after(void)
{
  puts("destructor");
}
static int one(int n)
{
  return n + 1;
}
static int (*resolve(void))(int)
{
  return one;
}
int chosen(int) __attribute__((ifunc("resolve")));
__attribute__((visibility("default"))) int exported(int n)
{
  return n * 11;
}
NOINLINE int asm_return(int n)
{
  if (n == 1) {
    __asm__ volatile("" ::: "memory");
    return 4;
  }
  __asm__ goto("cmp{l $5, %0| %0, 5}; je %l1" : : "r"(n) : "cc" : five);
  return 6;
five:
  return 5;
}
NOINLINE int fibonacci(int n)
{
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
NOINLINE int even(int n);
NOINLINE int odd(int n)
{
  return n == 0 ? 0 : even(n - 1);
}
NOINLINE int even(int n)
{
  return n == 0 ? 1 : odd(n - 1);
}
__attribute__((no_instrument_function)) NOINLINE int excluded(int n)
{
  return n - 1;
}
NOINLINE void nothing(void)
{
}
/* r8 is the fifth of these, where the result lies in memory as well as where a pair is passed in two registers. */
NOINLINE struct big fifth_by_result(int a, int b, int c, int d)
{
  return (struct big){{a, b, c, d}};
}
struct pair {
  long a, b;
};
NOINLINE long fifth_by_pair(struct pair p, long a, long b, long c)
{
  return p.a + p.b + a + b + c;
}
NOINLINE long sixth(long a, long b, long c, long d, long e, long f)
{
  return a + b * c + d * e + f;
}
#ifndef __clang__
/* What it is passed is more than it declares. */
NOINLINE long passes_on()
{
  void *arguments = __builtin_apply_args();
  __builtin_return(__builtin_apply((void (*)())sixth, arguments, 64));
}
#else
NOINLINE long passes_on(long a, long b, long c, long d, long e, long f)
{
  return sixth(a, b, c, d, e, f);
}
#endif
NOINLINE double fourth(long a, long b, long c, long d, double e, double f)
{
  return (double)(a + b * c + d) + e * f;
}
NOINLINE int switches(int n)
{
  switch (n) {
  case 0:
    return sums(1, 1);
  case 1:
    return 17;
  case 2:
    return tail(3);
  case 3:
    return 4;
  case 4:
    return jumps(4);
  default:
    return 0;
  }
}
int main(int argc, char **argv)
{
  int data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, k = 7, sum = 0;
  (void)argv;
  printf("%d %d %d\n", jumps(argc), catches(argc), computed(argc));
  printf("%d %g %d %d %d\n", sums(3, 1, 2, 3), sumd(2, 1.5, 2.5), nested(argc), framed(argc), targeted(data, 9));
  printf("%ld %ld %ld %g\n", fifth_by_result(1, 2, 3, argc).a[3], fifth_by_pair((struct pair){1, 2}, 3, 4, argc),
         sixth(1, 2, 3, 4, 5, argc), fourth(1, 2, 3, argc, 5, 6));
  printf("%ld\n", passes_on(1L, 2L, 3L, 4L, 5L, (long)argc));
  printf("%ld %Lg %g\n", bigs(argc).a[8], wide(2), __real__ complexes(3));
  printf("%d %d %d\n", tail(argc), tail_by_pointer(tail, argc), forever(&k));
  printf("%d %d %d\n", partial(&sum, argc), partial(&sum, 40), sum);
  printf("%d %d %d\n", specialised(3, 4, &k), specialised(argc, 4, NULL), chosen(argc));
  printf("%d %d %d %d\n", exported(argc), asm_return(1), asm_return(5), asm_return(argc + 6));
  printf("%d %d %d %d\n", fibonacci(12), even(100), odd(7), excluded(argc));
  for (int i = 0; i < 6; i++)
    printf("%d ", switches(i));
  nothing();
  fatal(argc);
}
