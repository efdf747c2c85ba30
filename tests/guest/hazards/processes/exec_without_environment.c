/* exec with an environment of its own, which names no recording: the image runs as it would. */
#include "tests/guest/hazard.h"

#include <string.h>

static QUIET int second(void)
{
  printf("second image\n");
  return 8;
}

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static QUIET int is_second(int argc)
{
  return argc > 1;
}

QUIET int main(int argc, char **argv)
{
  if (is_second(argc))
    return second();
  for (int i = 0; i < 10; i++)
    work(i);
  char cache[4200] = "CALLSIG_CACHE_DIR=";
  const char *folder = getenv("CALLSIG_CACHE_DIR");
  strncat(cache, folder ? folder : "/nowhere", 4096);
  char *const none[] = {cache, NULL};
  char *const arguments[] = {argv[0], (char *)"again", NULL};
  execve("/proc/self/exe", arguments, none);
  return 1;
}
