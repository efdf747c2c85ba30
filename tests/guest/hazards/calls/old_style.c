/* Functions without prototypes, called with more and other arguments than they take. */
/* hazard: flags -std=gnu99 -Wno-deprecated-non-prototype -Wno-strict-prototypes -Wno-unknown-warning-option */
#include "tests/guest/hazard.h"

OWN static int narrow(a, b)
char a;
float b;
{
  CALLED(narrow);
  return a + (int)b;
}

OWN static int none()
{
  CALLED(none);
  return 1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  int (*volatile anything)() = (int (*)())(void (*)(void))none;
  for (int i = 0; i < 100; i++)
    sum += narrow((char)i, 2.0f) + anything(1, 2.0, "three");
  printf("%d\n", sum);
  return 0;
}
