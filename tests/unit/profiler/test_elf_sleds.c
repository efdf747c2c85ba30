/* Whether a file lists sleds: what cannot be read is told from what has none. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profiler/sled/elf_sleds.h"
#include "tests/support/check.h"

/* A file of two bytes is no ELF file; one that is gone has no sleds that could be switched on. */
static void none(const char *program)
{
  char short_file[] = "/tmp/callsig-elf-XXXXXX";
  int fd = mkstemp(short_file);
  CHECK(fd >= 0 && write(fd, "\177E", 2) == 2);
  CHECK(prof_elf_has_sleds(program) == 0);
  CHECK(prof_elf_has_sleds(short_file) == 0);
  close(fd);
  unlink(short_file);
  CHECK(prof_elf_has_sleds(short_file) == 0);
  CHECK(prof_elf_has_sleds("/dev/null/none") == 0);
}

/* A folder can be opened, and not read; without descriptors nothing can be opened. */
static void unread(const char *program)
{
  CHECK(prof_elf_has_sleds("/tmp") == -EISDIR);
  struct rlimit limit, no_files;
  CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  no_files = (struct rlimit){0, limit.rlim_max};
  CHECK(setrlimit(RLIMIT_NOFILE, &no_files) == 0);
  int found = prof_elf_has_sleds(program);
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(found == -EMFILE);
}

int main(int argc, char **argv)
{
  (void)argc;
  none(argv[0]);
  unread(argv[0]);
  return 0;
}
