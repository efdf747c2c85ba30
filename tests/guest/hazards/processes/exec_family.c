/* execv, execl, execle, execlp, fexecve and execveat of itself, one after the other; argv[1]: which comes next. */
#include "tests/guest/hazard.h"

extern char **environ;

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

int main(int argc, char **argv)
{
  CALLED(main);
  char path[4096], next[2] = {(char)('1' + (argc > 1 ? argv[1][0] - '0' : 0)), 0};
  char *const arguments[] = {argv[0], next, NULL};
  long length = readlink("/proc/self/exe", path, sizeof path - 1);
  CHECK(length > 0);
  path[length] = 0;
  work(next[0]);
  switch (next[0]) {
  case '1':
    execv(path, arguments);
    break;
  case '2':
    execl(path, argv[0], next, (char *)NULL);
    break;
  case '3':
    execle(path, argv[0], next, (char *)NULL, environ);
    break;
  case '4':
    execlp(path, argv[0], next, (char *)NULL);
    break;
  case '5':
    fexecve(open(path, O_RDONLY), arguments, environ);
    break;
  case '6':
    syscall(SYS_execveat, (long)AT_FDCWD, path, arguments, environ, 0L);
    break;
  default:
    printf("image %s\n", next);
    return 6;
  }
  return 1;
}
