/* Everything at once: threads that call through ever new paths, while another forks, another loads and unloads plugins,
 * and threads come and go. argv[1], argv[2]: plugins. It checks that nobody is hurt; counts are exact all the same. */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/guest.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

COUNTER(leaf);
COUNTER(left);
COUNTER(right);
COUNTER(forked);
COUNTER(load);
COUNTER(brief);

static volatile int stop;

static int leaf(unsigned x)
{
  HIT(leaf);
  KEEP(x);
  return (int)x;
}

static int right(unsigned path, unsigned depth);

static int left(unsigned path, unsigned depth)
{
  HIT(left);
  if (depth == 0)
    return leaf(path % 50);
  return (path & 1 ? left(path / 2, depth - 1) : right(path / 2, depth - 1)) + 1;
}

static int right(unsigned path, unsigned depth)
{
  HIT(right);
  if (depth == 0)
    return leaf(path % 70);
  return (path & 1 ? right(path / 2, depth - 1) : left(path / 2, depth - 1)) + 2;
}

static QUIET void *walks(void *data)
{
  unsigned seed = (unsigned)(uintptr_t)data;
  while (!stop)
    left(seed++ * 2654435761u, 12);
  return NULL;
}

static void *brief(void *data)
{
  HIT(brief);
  leaf((unsigned)(uintptr_t)data % 100);
  return NULL;
}

static QUIET void *spawns(void *data)
{
  for (uintptr_t i = 0; !stop; i++) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, brief, (void *)i) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
  }
  return data;
}

static void load(const char *path, int n, int expected)
{
  HIT(load);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  int (*entry)(int) = (int (*)(int))(uintptr_t)dlsym(handle, "plugin_entry");
  CHECK(entry && entry(n) == expected);
  CHECK(dlclose(handle) == 0);
}

static QUIET void *loads(void *data)
{
  char **paths = data;
  while (!stop) {
    load(paths[1], 10, 15);
    load(paths[2], 6, 9);
  }
  return NULL;
}

static void forked(int i)
{
  HIT(forked);
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    left((unsigned)i, 5);
    _exit(i % 100);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == i % 100);
}

int main(int argc, char **argv)
{
  CHECK(argc == 3);
  pthread_t threads[4];
  CHECK(pthread_create(&threads[0], NULL, walks, (void *)1) == 0);
  CHECK(pthread_create(&threads[1], NULL, walks, (void *)2) == 0);
  CHECK(pthread_create(&threads[2], NULL, spawns, NULL) == 0);
  CHECK(pthread_create(&threads[3], NULL, loads, argv) == 0);
  for (int i = 0; i < 60; i++)
    forked(i);
  stop = 1;
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  TELL_VARIES(leaf);
  TELL_VARIES(left);
  TELL_VARIES(right);
  TELL_VARIES(load);
  TELL_VARIES(brief);
  TELL(forked);
  printf("count main 1\n");
  return 0;
}
