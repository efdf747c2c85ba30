/* The program's own file is removed, and another written in its place, before it calls: a copy of it, as a build makes
 * one. argv[1]: this is it. */
/* hazard: run */
#include "tests/guest/hazard.h"

#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

OWN static int work(int n)
{
  CALLED(work);
  const volatile int below = n ? work(n - 1) : 0;
  return below + 1;
}

static QUIET void copy_itself(const char *to)
{
  struct stat about;
  int from = open("/proc/self/exe", O_RDONLY), file = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
  CHECK(from >= 0 && file >= 0 && fstat(from, &about) == 0);
  CHECK(sendfile(file, from, NULL, (size_t)about.st_size) == about.st_size);
  close(from);
  close(file);
}

int main(int argc, char **argv)
{
  CALLED(main);
  if (argc > 1) {
    CHECK(unlink(argv[0]) == 0);
    int file = open(argv[0], O_WRONLY | O_CREAT | O_EXCL, 0700);
    CHECK(file >= 0 && write(file, "#!/bin/false\n", 13) == 13 && close(file) == 0);
    return work(20);
  }
  char path[] = "./replaced-XXXXXX";
  CHECK(mkdtemp(path));
  char copy[64];
  snprintf(copy, sizeof copy, "%s/copy", path);
  copy_itself(copy);
  int status;
  const pid_t child = fork();
  if (child == 0) {
    execl(copy, copy, "child", (char *)NULL);
    _exit(99);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("%d %d\n", WEXITSTATUS(status), work(3));
  CHECK(unlink(copy) == 0 && rmdir(path) == 0);
  return 0;
}
