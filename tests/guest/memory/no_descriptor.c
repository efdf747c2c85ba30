/* A program that for a while has all the descriptors that it may have, just when its recording has to grow. */
#include "tests/guest/paths.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST 64

COUNTER(after);

APART static int after(int n)
{
  HIT(after);
  KEEP(n);
  return n;
}

int main(void)
{
  int taken[MOST], count = 0, found;
  CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){MOST, MOST}) == 0);
  while ((found = open("/dev/null", O_RDONLY)) >= 0)
    taken[count++] = found;
  call_all_paths();
  while (count > 0)
    CHECK(close(taken[--count]) == 0);
  usleep(300000);
  for (int i = 0; i < 100; i++)
    after(i);
  tell_paths();
  TELL(after);
  printf("count main 1\n");
  return 0;
}
