/* Opens the recording of a process that has ended. */
#include "cli/beside/recording_end.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_recording_end(const char *path, pid_t pid, struct fmt_rec_header *header, uint64_t *end)
{
  struct stat status;
  int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return -errno;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      pread(file, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
      memcmp(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) != 0 ||
      header->version != FMT_RECORDING_VERSION || header->header_size < FMT_REC_HEADER_LEAST ||
      header->pid != (uint32_t)pid) {
    close(file);
    return -ENOENT;
  }
  const uint64_t size = (uint64_t)status.st_size;
  *end = ((header->next < sizeof *header || header->next > size ? size : header->next) + 7) & ~UINT64_C(7);
  return file;
}

bool cli_recording_read_at(int file, const struct fmt_rec_header *header, uint64_t address, void *bytes, size_t size)
{
  const uint64_t offset = address - header->base;
  return address >= header->base && offset <= (uint64_t)INT64_MAX - size &&
         pread(file, bytes, size, (off_t)offset) == (ssize_t)size;
}

bool cli_recording_read_name(int file, const struct fmt_rec_header *header, uint64_t address, char *text, size_t size)
{
  struct fmt_rec_name name;
  if (!cli_recording_read_at(file, header, address, &name, sizeof name) || name.tag.tag != FMT_TAG_NAME ||
      name.length >= size || !cli_recording_read_at(file, header, address + sizeof name, text, name.length))
    return false;
  text[name.length] = '\0';
  return true;
}
