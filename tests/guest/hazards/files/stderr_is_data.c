/* Its descriptor 2 is a pipe that it reads itself: nothing but its own bytes arrives there. */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  int ends[2];
  char bytes[16] = "";
  CHECK(pipe(ends) == 0 && dup2(ends[1], 2) == 2);
  CALLED(main);
  for (int i = 0; i < 100; i++)
    work(i);
  CHECK(write(2, "own", 3) == 3);
  long count = read(ends[0], bytes, sizeof bytes);
  printf("%ld %s\n", count, bytes);
  return 0;
}
