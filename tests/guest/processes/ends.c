/* Ends the process from depth: argv[1] is exit, _exit, abort, quick_exit, return, signal or thread. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *mode;

static int leaf(int x)
{
  KEEP(x);
  return x + 1;
}

static void at_exit(void)
{
  leaf(1);
}

static void *ends_all(void *data)
{
  leaf(2);
  exit(9);
  return data;
}

static int finish(int code)
{
  for (int i = 0; i < 10; i++)
    leaf(i);
  if (strcmp(mode, "exit") == 0)
    exit(code);
  if (strcmp(mode, "_exit") == 0)
    _exit(code);
  if (strcmp(mode, "quick_exit") == 0)
    quick_exit(code);
  if (strcmp(mode, "abort") == 0)
    abort();
  if (strcmp(mode, "signal") == 0)
    raise(SIGTERM);
  if (strcmp(mode, "thread") == 0) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, ends_all, NULL) == 0);
    pthread_join(thread, NULL);
  }
  return code;
}

static int deeper(int n)
{
  if (n == 0)
    return finish(9);
  int code = deeper(n - 1);
  KEEP(code);
  return code;
}

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  mode = argv[1];
  CHECK(atexit(at_exit) == 0);
  int in_thread = strcmp(mode, "thread") == 0;
  int runs_atexit = in_thread || strcmp(mode, "exit") == 0 || strcmp(mode, "return") == 0;
  printf("count leaf %d\ncount finish 1\ncount deeper 31\ncount main 1\n", 10 + runs_atexit + in_thread);
  if (in_thread)
    printf("count ends_all 1\n");
  fflush(stdout);
  return deeper(30);
}
