/* Functions whose names in the object are other ones than in the source, one of them with letters of another script. */
#include "tests/guest/hazard.h"

OWN int dotted(int n) __asm__("not_a_name.of$C");
OWN int dotted(int n)
{
  CALLED(dotted);
  return n + 1;
}

OWN static int übung(int n)
{
  CALLED(übung);
  return dotted(n) + 1;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 50; i++)
    sum += dotted(i) + übung(i);
  printf("%d\n", sum);
  return 0;
}
