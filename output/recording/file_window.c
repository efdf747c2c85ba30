/* Reads pieces of a file into windows as they are needed. */
#define _GNU_SOURCE
#include "output/recording/file_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pieces are large enough for the cost of a call to vanish in that of copying, and all windows together small enough
 * for the processor's caches. A piece's window follows from its number. */
enum { PIECE = 1 << 15, WINDOWS = 1 << 7 };

int out_file_windows_open(struct out_file_windows *windows, int file, uint64_t size)
{
  *windows = (struct out_file_windows){.file = file, .size = size};
  windows->memory = malloc((size_t)WINDOWS * PIECE);
  windows->held = malloc(WINDOWS * sizeof *windows->held);
  if (!windows->memory || !windows->held)
    return -ENOMEM;
  memset(windows->held, 0xFF, WINDOWS * sizeof *windows->held);
  return 0;
}

void out_file_windows_close(struct out_file_windows *windows)
{
  free(windows->memory);
  free(windows->held);
  free(windows->across);
  *windows = (struct out_file_windows){0};
}

void out_file_windows_forget(struct out_file_windows *windows)
{
  if (windows->held)
    memset(windows->held, 0xFF, WINDOWS * sizeof *windows->held);
}

int out_file_read(int file, void *bytes, size_t size, uint64_t offset)
{
  for (size_t done = 0; done < size;) {
    ssize_t got = pread(file, (char *)bytes + done, size - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -errno;
    if (got == 0) {
      memset((char *)bytes + done, 0, size - done);
      break;
    }
    done += (size_t)got;
  }
  return 0;
}

uint64_t out_file_next_data(int file, uint64_t offset, uint64_t size)
{
  off_t next = lseek(file, (off_t)offset, SEEK_DATA);
  /* ENXIO: none up to its end. Other errors: the file system does not tell. */
  if (next < 0)
    return errno == ENXIO ? size : offset;
  return (uint64_t)next < size ? (uint64_t)next : size;
}

uint64_t out_file_next_hole(int file, uint64_t offset, uint64_t size)
{
  off_t next = lseek(file, (off_t)offset, SEEK_HOLE);
  return next > (off_t)offset && (uint64_t)next < size ? (uint64_t)next : size;
}

static const void *fail(struct out_file_windows *windows, int error)
{
  if (windows->error == 0)
    windows->error = error;
  return NULL;
}

static const void *read_across(struct out_file_windows *windows, uint64_t offset, uint64_t size)
{
  if (size > windows->across_size) {
    free(windows->across);
    windows->across = malloc(size);
    windows->across_size = windows->across ? size : 0;
    if (!windows->across)
      return fail(windows, -ENOMEM);
  }
  int result = out_file_read(windows->file, windows->across, size, offset);
  return result < 0 ? fail(windows, result) : windows->across;
}

const void *out_file_windows_at(struct out_file_windows *windows, uint64_t offset, uint64_t size)
{
  uint64_t piece = offset / PIECE, within = offset % PIECE, *held = &windows->held[piece % WINDOWS];
  unsigned char *window = windows->memory + piece % WINDOWS * PIECE;
  if (size > PIECE - within)
    return read_across(windows, offset, size);
  if (*held != piece) {
    uint64_t left = windows->size - piece * PIECE;
    *held = UINT64_MAX;
    int result = out_file_read(windows->file, window, left < PIECE ? left : PIECE, piece * PIECE);
    if (result < 0)
      return fail(windows, result);
    *held = piece;
  }
  return window + within;
}
