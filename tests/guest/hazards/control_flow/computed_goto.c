/* An interpreter by computed gotos, whose operations call. */
#include "tests/guest/hazard.h"

OWN static int increase(int n)
{
  CALLED(increase);
  return n + 1;
}

OWN static int interpret(const unsigned char *code)
{
  CALLED(interpret);
  static void *const labels[] = {&&end, &&add, &&twice};
  int n = 0;
  goto *labels[*code];
add:
  n = increase(n);
  goto *labels[*++code];
twice:
  n *= 2;
  goto *labels[*++code];
end:
  return n;
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 200; i++)
    sum += interpret((const unsigned char *)"\1\2\1\2\1");
  printf("%d\n", sum);
  return 0;
}
