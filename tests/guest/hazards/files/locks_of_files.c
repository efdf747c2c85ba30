/* Locks by fcntl(), flock() and open descriptors: none is lost while the program calls. */
#include "tests/guest/hazard.h"

#include <sys/file.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

OWN static int taken(const char *path)
{
  CALLED(taken);
  int file = open(path, O_RDWR);
  struct flock lock = {.l_type = F_WRLCK};
  int by_fcntl = fcntl(file, F_SETLK, &lock) != 0, by_flock = flock(file, LOCK_EX | LOCK_NB) != 0;
  close(file);
  return by_fcntl * 2 + by_flock;
}

int main(void)
{
  CALLED(main);
  char name[] = "lock-XXXXXX";
  int file = mkstemp(name), status;
  struct flock lock = {.l_type = F_WRLCK};
  CHECK(fcntl(file, F_SETLK, &lock) == 0 && flock(file, LOCK_EX) == 0);
  for (int i = 0; i < 5000; i++)
    work(i);
  if (fork() == 0)
    _exit(taken(name));
  wait(&status);
  unlink(name);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
