/* Threads load, call and unload plugins that the linker puts at the same addresses, all at once: what one unloads
 * another may just have put something else in the place of. argv: the plugins. */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/guest.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS  200
#define CALLS   10

static char **plugins;
static int plugin_count;

static int call_plugin(int (*entry)(int), int n)
{
  return entry(n);
}

static void use(const char *path)
{
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  void *address = dlsym(handle, "plugin_entry");
  CHECK(address);
  CHECK(call_plugin((int (*)(int))(uintptr_t)address, CALLS) == CALLS + CALLS / 2);
  CHECK(dlclose(handle) == 0);
}

static QUIET void *use_all(void *data)
{
  int first = *(int *)data;
  for (int i = 0; i < ROUNDS; i++)
    use(plugins[(first + i) % plugin_count]);
  return NULL;
}

/* A child that unloads before it calls anything has its parent's modules, whose recording is not its own. */
static QUIET void unload_in_child(void)
{
  void *handle = dlopen(plugins[0], RTLD_NOW | RTLD_LOCAL);
  CHECK(handle);
  void *address = dlsym(handle, "plugin_entry");
  CHECK(((int (*)(int))(uintptr_t)address)(0) == 0);
  int status = -1;
  pid_t child = fork();
  if (child == 0)
    _exit(dlclose(handle));
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(dlclose(handle) == 0);
}

int main(int argc, char **argv)
{
  static const char *const names[] = {"alpha", "beta", "gamma"};
  pthread_t threads[THREADS];
  int first[THREADS], uses[3] = {0};
  plugins = argv + 1;
  plugin_count = argc - 1;
  CHECK(plugin_count > 0 && plugin_count <= 3);
  for (int i = 0; i < THREADS; i++) {
    first[i] = i;
    CHECK(pthread_create(&threads[i], NULL, use_all, &first[i]) == 0);
    for (int round = 0; round < ROUNDS; round++)
      uses[(i + round) % plugin_count]++;
  }
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  unload_in_child();
  uses[0]++;
  for (int i = 0; i < plugin_count; i++)
    printf("count %s_work %d\ncount %s_inner %d\n", names[i], uses[i], names[i], (uses[i] - !i) * CALLS);
  printf("count plugin_entry %d\ncount call_plugin %d\ncount use %d\ncount main 1\n", THREADS * ROUNDS + 1,
         THREADS * ROUNDS, THREADS * ROUNDS);
  return 0;
}
