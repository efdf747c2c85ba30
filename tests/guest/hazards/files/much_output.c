/* Two megabytes through stdout, unbuffered, line by line and in one piece, with calls between. */
#include "tests/guest/hazard.h"

OWN static void line(int n)
{
  CALLED(line);
  printf("%d %0100d\n", n, n);
}

int main(void)
{
  CALLED(main);
  for (int i = 0; i < 10000; i++) {
    if (i == 1000)
      setvbuf(stdout, NULL, _IOLBF, 1024);
    line(i);
  }
  fflush(stdout);
  static char block[1 << 20];
  for (size_t i = 0; i < sizeof block; i++)
    block[i] = i % 80 == 79 ? '\n' : 'b';
  return fwrite(block, 1, sizeof block, stdout) == sizeof block ? 0 : 1;
}
