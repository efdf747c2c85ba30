/* Frames of 4 MiB, whose pages nobody touched before. */
#include "tests/guest/hazard.h"

OWN static int inner(const char *room)
{
  CALLED(inner);
  return room[0];
}

OWN static int big(int n)
{
  CALLED(big);
  char room[4 << 20];
  room[0] = (char)n;
  return inner(room);
}

int main(void)
{
  CALLED(main);
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += big(i);
  printf("%d\n", sum);
  return 0;
}
