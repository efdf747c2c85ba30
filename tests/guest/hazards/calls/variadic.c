/* Variadic functions of integers and doubles, that pass their arguments on. */
#include "tests/guest/hazard.h"

#include <stdarg.h>

OWN static double total(const char *kinds, va_list arguments)
{
  CALLED(total);
  double sum = 0;
  for (; *kinds; kinds++)
    sum += *kinds == 'd'   ? va_arg(arguments, double)
           : *kinds == 'l' ? (double)va_arg(arguments, long)
                           : va_arg(arguments, int);
  return sum;
}

OWN static double add(const char *kinds, ...)
{
  CALLED(add);
  va_list arguments;
  va_start(arguments, kinds);
  double sum = total(kinds, arguments);
  va_end(arguments);
  return sum;
}

int main(void)
{
  CALLED(main);
  double sum = 0;
  for (int i = 0; i < 100; i++)
    sum += add("ididldidldidd", i, 0.5, i, 1.5, 7L, 2.5, 1, 3.5, 9L, 4.5, 2, 5.5, 6.5) + add("") + add("d", 0.25) +
           add("i", i);
  printf("%.12g\n", sum);
  return 0;
}
