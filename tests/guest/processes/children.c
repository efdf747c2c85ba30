/* A program that waits for any child must see its own only, and get SIGCHLD for its own only, also when a plugin's
 * index has to be made in the middle. argv[1]: a plugin. */
/* hazard: not static: there is no dlopen() */
#include "tests/guest/guest.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int signals;

static QUIET void on_child(int number)
{
  (void)number;
  signals++;
}

static int no_children(void)
{
  int status;
  return waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD && waitpid(-1, &status, WNOHANG | __WALL) == -1 &&
         errno == ECHILD;
}

static void spawn(int code)
{
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0)
    _exit(code);
  int status;
  CHECK(wait(&status) == pid);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code);
}

int main(int argc, char **argv)
{
  CHECK(argc == 2);
  struct sigaction action = {.sa_handler = on_child};
  CHECK(no_children());
  CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
  spawn(3);
  CHECK(no_children());
  void *handle = dlopen(argv[1], RTLD_NOW);
  CHECK(handle);
  int (*entry)(int) = (int (*)(int))(uintptr_t)dlsym(handle, "plugin_entry");
  CHECK(entry && entry(10) == 15);
  CHECK(no_children());
  CHECK(signals == 1);
  spawn(4);
  CHECK(signals == 2);
  CHECK(no_children());
  printf("count spawn 2\ncount no_children 4\ncount plugin_entry 1\ncount alpha_work 1\ncount alpha_inner 10\ncount "
         "main 1\n");
  return 0;
}
