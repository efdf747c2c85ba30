/* Copies a recording that is being written, again and again until no thread was folded meanwhile. */
#include "output/recording/steady_copy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/recording.h"

#define PATIENCE_NS 10000000000LL
#define PAUSE_NS    100000L

/* header.folds as the file has it now; odd, as while a thread is folded, when it cannot be read. */
static uint32_t folds_of(int file)
{
  uint32_t folds;
  return pread(file, &folds, sizeof folds, offsetof(struct fmt_rec_header, folds)) == sizeof folds ? folds : 1;
}

/* What lies behind the file's end is 0. */
static int read_all(int file, char *bytes, size_t size)
{
  size_t done = 0;
  while (done < size) {
    ssize_t count = pread(file, bytes + done, size - done, (off_t)done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return -errno;
    if (count == 0)
      memset(bytes + done, 0, size - done);
    done = count == 0 ? size : done + (size_t)count;
  }
  return 0;
}

static long long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int out_steady_copy(int file, size_t size, void **copy)
{
  const long long latest = now() + PATIENCE_NS;
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  *copy = NULL;
  char *bytes = malloc(size + 1);
  if (!bytes)
    return -ENOMEM;
  for (;;) {
    const uint32_t folds = folds_of(file);
    const int result = folds % 2 == 0 ? read_all(file, bytes, size) : 0;
    if (result < 0) {
      free(bytes);
      return result;
    }
    if (folds % 2 == 0 && folds_of(file) == folds) {
      *copy = bytes;
      return 0;
    }
    if (now() >= latest) {
      free(bytes);
      return 0;
    }
    nanosleep(&pause, NULL);
  }
}
