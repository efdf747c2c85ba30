/* Forks that leave frames open in the child, which returns through them or not.
 * Whatever process ends a call, it was made once. Counts are those of all processes together. */
#include "tests/guest/guest.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAIN, DEEP, WORK, HANDLE, RUN, DETACH, COUNTS };

static const char *const names[COUNTS] = {"main", "deep", "work", "handle", "run", "detach"};

/* Of all processes. */
static struct {
  unsigned long calls[COUNTS];
} * shared;

/* The process that has waited for all others in the end. */
static pid_t teller;

#define CALL(function) ((void)__atomic_add_fetch(&shared->calls[function], 1, __ATOMIC_RELAXED))

static int work(int x)
{
  CALL(WORK);
  KEEP(x);
  return x * 2;
}

/* The children of this process have ended well. */
static QUIET void wait_for_children(void)
{
  int status;
  while (wait(&status) > 0)
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static QUIET pid_t split(void)
{
  pid_t pid = fork();
  CHECK(pid >= 0);
  return pid;
}

/* Forks at its bottom: both processes return through all of it. */
static void deep(int n)
{
  CALL(DEEP);
  if (n == 0)
    split();
  else
    deep(n - 1);
  work(n);
}

static void handle(int number)
{
  CALL(HANDLE);
  split();
  work(number);
}

static void *run(void *data)
{
  CALL(RUN);
  deep(2);
  return data;
}

/* Returns in a child of a child, while the process waits for its end. */
static void detach(void)
{
  CALL(DETACH);
  int ends[2];
  char none;
  CHECK(pipe(ends) == 0);
  if (split() != 0) {
    close(ends[1]);
    CHECK(read(ends[0], &none, 1) == 0);
    _exit(0);
  }
  close(ends[0]);
  CHECK(setsid() > 0);
  if (split() != 0)
    _exit(0);
  teller = getpid();
}

static QUIET void tree(int levels)
{
  if (levels == 0 || split() != 0)
    return;
  for (int i = 0; i < 2; i++)
    tree(levels - 1);
}

static QUIET void follow(const char *mode)
{
  pthread_t thread;
  if (strcmp(mode, "deep") == 0) {
    deep(5);
  } else if (strcmp(mode, "twice") == 0) {
    deep(2);
    deep(2);
  } else if (strcmp(mode, "handler") == 0) {
    const struct sigaction action = {.sa_handler = handle};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
  } else if (strcmp(mode, "thread") == 0) {
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
    if (getpid() == teller)
      pthread_join(thread, NULL);
  } else if (strcmp(mode, "many") == 0) {
    for (int i = 0; i < 30 && getpid() == teller; i++)
      if (split() == 0)
        work(i);
  } else if (strcmp(mode, "tree") == 0) {
    tree(3);
  } else if (strcmp(mode, "daemon") == 0) {
    detach();
  } else {
    /* It is what is tried here. NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork) */
    pid_t pid = vfork();
    if (pid == 0) {
      work(1); /* NOLINT(clang-analyzer-unix.Vfork): likewise */
      _exit(0);
    }
    CHECK(strcmp(mode, "vfork") == 0 && pid > 0);
  }
}

static QUIET void tell(void)
{
  wait_for_children();
  if (getpid() != teller)
    return;
  for (int i = 0; i < COUNTS; i++)
    printf("sum %s %lu\n", names[i], shared->calls[i]);
}

int main(int argc, char **argv)
{
  void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(argc == 2 && memory != MAP_FAILED);
  shared = memory;
  teller = getpid();
  CALL(MAIN);
  work(0);
  follow(argv[1]);
  work(1);
  tell();
  return 0;
}
