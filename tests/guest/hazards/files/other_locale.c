/* Another locale, and one of its own in a thread: numbers print as they would. */
#include "tests/guest/hazard.h"

#include <locale.h>

OWN static void show(double value)
{
  CALLED(show);
  printf("%.2f %'d\n", value, 1234567);
}

int main(void)
{
  CALLED(main);
  printf("%d\n", setlocale(LC_ALL, "") != NULL);
  show(1.5);
  locale_t other = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  uselocale(other);
  show(2.5);
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(other);
  setlocale(LC_ALL, "C.UTF-8");
  show(3.5);
  return 0;
}
