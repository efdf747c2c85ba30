/* Leaves its name spaces of mounts and of processes, and joins them again (setns), between calls and in a thread. */
/* hazard: needs root */
#include "tests/guest/hazard.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int later(int n)
{
  CALLED(later);
  return work(work(n));
}

static void *thread(void *data)
{
  CALLED(thread);
  CHECK(unshare(CLONE_NEWNET | CLONE_FS | CLONE_FILES) == 0);
  for (int i = 0; i < 50; i++)
    later(i);
  return data;
}

int main(void)
{
  CALLED(main);
  int status, n = work(0);
  const int mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  const int processes = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
  /* Joining a name space of mounts leads to its root, which need not have been the process's. */
  const int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  CHECK(mounts >= 0 && processes >= 0 && root >= 0 && unshare(CLONE_NEWNS | CLONE_NEWPID) == 0);
  n = later(n);
  if (fork() == 0)
    _exit(later(work(1)) + (getpid() == 1));
  wait(&status);
  CHECK(setns(mounts, CLONE_NEWNS) == 0 && setns(processes, CLONE_NEWPID) == 0);
  CHECK(fchdir(root) == 0 && chroot(".") == 0);
  pthread_t id;
  CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
  pthread_join(id, NULL);
  printf("%d %d\n", later(n), WEXITSTATUS(status));
  fflush(stdout);
  if (fork() == 0)
    _exit(later(1) + (getpid() == 1));
  wait(&status);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
