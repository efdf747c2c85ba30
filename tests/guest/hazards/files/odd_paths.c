/* Copies of the program whose names end in " (deleted)", hold a new line, are of no script, or have all of it. argv[1]:
 * this is one. */
#include "tests/guest/hazard.h"

#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const names[] = {"program (deleted)", "two\nlines", "\xff\xfe", "a\\012b",
                                    "in \t\"\xe2\x80\xae\" (deleted)"};

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
  if (argc > 1)
    return work(20);
  char folder[] = "./odd-XXXXXX", path[128];
  int sum = 0;
  CHECK(mkdtemp(folder) && argv[0]);
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    copy_itself(path);
    int status;
    const pid_t child = fork();
    if (child == 0) {
      execl(path, path, "child", (char *)NULL);
      _exit(99);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    sum += WEXITSTATUS(status);
    CHECK(unlink(path) == 0);
  }
  printf("%d\n", sum);
  CHECK(rmdir(folder) == 0);
  return 0;
}
