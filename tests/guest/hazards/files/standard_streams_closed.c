/* stdin, stdout and stderr are closed, and what is opened next takes their numbers. */
#include "tests/guest/hazard.h"

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(void)
{
  CALLED(main);
  printf("before\n");
  fclose(stdin);
  fclose(stdout);
  fclose(stderr);
  int ends[2];
  if (pipe(ends) || ends[0] != 0 || ends[1] != 1)
    return 1;
  for (int i = 0; i < 100; i++)
    work(i);
  char byte = 0;
  return write(1, "x", 1) == 1 && read(0, &byte, 1) == 1 && byte == 'x' ? 5 : 2;
}
