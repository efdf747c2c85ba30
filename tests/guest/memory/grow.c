/* A recording that grows beyond the room that it began with.
 * argv[1] "refused": the kernel gives no memory from the beginning of main() on. "other": it is another user from there
 * on, who may not open the recording. "readable": of the mapping of the recording as much can be read as the file has,
 * and no more, before and after: but for the first page, where its header lies, which is mapped once more. */
#include "tests/guest/paths.h"

#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that can be read of the mappings of `path`. */
static QUIET unsigned long readable_bytes(const char *path)
{
  char line[PATH_MAX + 200], mode[5];
  unsigned long bytes = 0, low, high;
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  while (fgets(line, sizeof line, maps)) {
    line[strcspn(line, "\n")] = '\0';
    const char *name = strchr(line, '/');
    CHECK(sscanf(line, "%lx-%lx %4s", &low, &high, mode) == 3);
    if (name && strcmp(name, path) == 0 && mode[0] == 'r')
      bytes += high - low;
  }
  fclose(maps);
  return bytes;
}

/* The bytes of the recording, all of which can be read, the header's twice, and no others; 0 without one. */
static QUIET unsigned long checked_bytes(void)
{
  const char *path = getenv("CALLSIG_OUTPUT");
  struct stat file;
  if (!path)
    return 0;
  CHECK(stat(path, &file) == 0);
  CHECK(readable_bytes(path) == (unsigned long)file.st_size + (unsigned long)sysconf(_SC_PAGESIZE));
  return (unsigned long)file.st_size;
}

int main(int argc, char **argv)
{
  const int readable = argc > 1 && strcmp(argv[1], "readable") == 0;
  static char buffer[1024];
  CHECK(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
  if (argc > 1 && strcmp(argv[1], "refused") == 0)
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20}) == 0);
  if (argc > 1 && strcmp(argv[1], "other") == 0)
    CHECK(setuid(65534) == 0);
  unsigned long before = readable ? checked_bytes() : 0;
  call_all_paths();
  CHECK(!before || checked_bytes() > before);
  tell_paths();
  printf("count main 1\n");
  return 0;
}
