/* Forty copies of a plugin with hooks: closing one costs no more than if it were alone. */
/* hazard: run @alpha @scratch */
/* hazard: not static: there is no dlopen() */
/* hazard: not before: files without sleds are looked at for some each time, which are reads, too */
#include "tests/guest/hazard.h"

#include <dlfcn.h>
#include <string.h>

#define COPIES 40
/* The kernel's list of mappings, read a few times, takes some thirty reads; once for each copy, several hundred. */
#define MOST_READS 200

OWN static int work(int n)
{
  CALLED(work);
  return n + 1;
}

static QUIET void copy(const char *from, const char *to)
{
  char bytes[1 << 16];
  const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
  CHECK(in >= 0 && out >= 0);
  for (ssize_t size; (size = read(in, bytes, sizeof bytes)) > 0;)
    CHECK(write(out, bytes, (size_t)size) == size);
  CHECK(close(in) == 0 && close(out) == 0);
}

/* How many reads the process made, where the kernel tells. */
static QUIET long reads(void)
{
  char text[512] = "";
  const int file = open("/proc/self/io", O_RDONLY);
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  long count = 0;
  for (const char *line = size > 0 ? text : NULL; line && sscanf(line, "syscr: %ld", &count) != 1;)
    line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
  if (file >= 0)
    close(file);
  return count;
}

int main(int argc, char **argv)
{
  CALLED(main);
  CHECK(argc == 3);
  void *copies[COPIES];
  long most = 0;
  for (int i = 0; i < COPIES; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s-%d.so", argv[2], i);
    copy(argv[1], path);
    CHECK((copies[i] = dlopen(path, RTLD_NOW)) != NULL);
    ((int (*)(int))dlsym(copies[i], "plugin_entry"))(work(i));
  }
  for (int i = 0; i < COPIES; i++) {
    const long before = reads();
    CHECK(dlclose(copies[i]) == 0);
    const long needed = reads() - before;
    if (i > 0 && needed > most) /* the first finds out what they are called */
      most = needed;
  }
  if (most > MOST_READS)
    printf("%ld reads for one dlclose()\n", most);
  return 0;
}
