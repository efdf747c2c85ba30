/* Maps and checks one index file. */
#include "cli/run/index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/subcommand.h"

int cli_index_file_open(const char *path, struct cli_index_file *file)
{
  *file = (struct cli_index_file){0};
  struct stat status;
  int error = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat(fd, &status) != 0) {
    error = -errno;
    goto out;
  }
  void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) {
    error = -errno;
    goto out;
  }
  file->data = data;
  file->size = (size_t)status.st_size;
  error = fmt_index_open(file->data, file->size, &file->index);
out:
  if (error < 0) {
    cli_error("%s: the signature index cannot be read: %s; remove it, and it is made again", path, strerror(-error));
    cli_index_file_close(file);
  }
  if (fd >= 0)
    close(fd);
  return error;
}

void cli_index_file_close(struct cli_index_file *file)
{
  if (file->data != NULL)
    munmap(file->data, file->size);
  *file = (struct cli_index_file){0};
}
