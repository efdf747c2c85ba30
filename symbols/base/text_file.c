/* Opens text files that a user names, without waiting for who would write to a FIFO. */
#include "symbols/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Waits from now on, if somebody writes. The first byte, which shows that, goes back into the stream. */
static int begin_pipe(int file, FILE *stream)
{
  unsigned char byte;
  ssize_t got = read(file, &byte, 1);
  if (got == 0)
    return -ENXIO;
  if (got < 0 && errno != EAGAIN)
    return -errno;
  int flags = fcntl(file, F_GETFL);
  if (flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) < 0)
    return -errno;
  return got == 1 && ungetc(byte, stream) == EOF ? -EIO : 0;
}

int sym_text_file_open(const char *path, FILE **file)
{
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return -errno;
  int error = fstat(descriptor, &status) == 0 ? 0 : -errno;
  if (error == 0 && S_ISDIR(status.st_mode))
    error = -EISDIR;
  else if (error == 0 && !S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    error = -ENXIO;
  *file = error == 0 ? fdopen(descriptor, "r") : NULL;
  if (!*file) {
    error = error != 0 ? error : -errno;
    close(descriptor);
    return error;
  }
  if (S_ISFIFO(status.st_mode))
    error = begin_pipe(descriptor, *file);
  if (error < 0)
    fclose(*file);
  return error;
}

const char *sym_text_file_problem(int error)
{
  return error == -ENXIO ? "it is a FIFO that nobody writes to, a socket or a device" : strerror(-error);
}
