/* Copies a recording that is being written, again and again until no thread was folded meanwhile. */
#include "output/recording/steady_copy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "format/recording.h"
#include "output/recording/file_window.h"

#define PATIENCE_NS 10000000000LL
#define PAUSE_NS    100000L

/* header.folds as the file has it now; odd, as while a thread is folded, when it cannot be read. */
static uint32_t folds_of(int file)
{
  uint32_t folds;
  return pread(file, &folds, sizeof folds, offsetof(struct fmt_rec_header, folds)) == sizeof folds ? folds : 1;
}

/* What lies behind the file's end is 0, and so is what it has nothing of, which is left as it was in `bytes`. */
static int read_all(int file, char *bytes, size_t size)
{
  int result = 0;
  for (uint64_t at = 0, end; result == 0 && (at = out_file_next_data(file, at, size)) < size; at = end) {
    end = out_file_next_hole(file, at, size);
    result = out_file_read(file, bytes + at, end - at, at);
  }
  return result;
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
  char *bytes = calloc(1, size + 1);
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
