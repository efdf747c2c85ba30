/*
 * The process's mappings: /proc/self/maps, read a line at a time.
 */
#include "profiler/base/proc_maps.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "profiler/base/own_memory.h"
#include "profiler/base/settings.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

/* The kernel's PROCMAP_QUERY, which older headers do not have. */
struct query {
  uint64_t size, flags, address;
  uint64_t low, high, protection, page_size, offset, inode;
  uint32_t device_major, device_minor, name_size, build_id_size;
  uint64_t name, build_id;
};
#define QUERY _IOWR('f', 17, struct query)

#define BUFFER_SIZE (4 * (size_t)PROF_MAX_PATH) /* longer than any line */

static const char *read_hex(const char *text, uint64_t *value)
{
  *value = 0;
  for (;; text++) {
    unsigned digit;
    if (*text >= '0' && *text <= '9')
      digit = (unsigned)(*text - '0');
    else if (*text >= 'a' && *text <= 'f')
      digit = (unsigned)(*text - 'a') + 10;
    else
      return text;
    *value = *value << 4 | digit;
  }
}

static const char *read_decimal(const char *text, uint64_t *value)
{
  *value = 0;
  for (; *text >= '0' && *text <= '9'; text++)
    *value = *value * 10 + (uint64_t)(*text - '0');
  return text;
}

/* "low-high rwxp offset major:minor inode    path", terminated in place of its newline. */
static void parse_line(const char *line, struct prof_mapping *mapping)
{
  uint64_t low, high, major, minor;
  line = read_hex(line, &low);
  line = read_hex(line + 1, &high);
  mapping->readable = line[1] == 'r';
  mapping->writable = line[2] == 'w';
  mapping->executable = line[3] == 'x';
  line = read_hex(line + 6, &mapping->offset);
  line = read_hex(line + 1, &major);
  line = read_hex(line + 1, &minor);
  line = read_decimal(line + 1, &mapping->inode);
  while (*line == ' ')
    line++;
  mapping->low = low;
  mapping->high = high;
  mapping->device = major << 32 | minor;
  mapping->path = line;
}

/* Visits the whole lines of buffer[0, *used) and moves the rest to its front. False when the visitor had enough. */
static bool visit_lines(char *buffer, size_t *used, prof_mapping_fn visit, void *data)
{
  size_t begin = 0;
  for (size_t i = 0; i < *used; i++) {
    if (buffer[i] != '\n')
      continue;
    buffer[i] = '\0';
    struct prof_mapping mapping;
    parse_line(buffer + begin, &mapping);
    if (!visit(&mapping, data))
      return false;
    begin = i + 1;
  }
  for (size_t i = begin; i < *used; i++)
    buffer[i - begin] = buffer[i];
  *used -= begin;
  return true;
}

int prof_proc_maps_walk(prof_mapping_fn visit, void *data)
{
  long fd = prof_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return (int)fd;
  char *buffer = prof_scratch_take(BUFFER_SIZE);
  if (!buffer) {
    prof_sys_close(fd);
    return -ENOMEM;
  }
  size_t used = 0;
  long got = 0;
  while (used < BUFFER_SIZE && (got = prof_sys_read(fd, buffer + used, BUFFER_SIZE - used)) > 0) {
    used += (size_t)got;
    if (!visit_lines(buffer, &used, visit, data)) {
      got = 0;
      break;
    }
  }
  prof_scratch_give(buffer, BUFFER_SIZE);
  prof_sys_close(fd);
  return got < 0 ? (int)got : 0;
}

bool prof_mapping_path_is_escaped(const struct prof_mapping *mapping)
{
  const char *path = mapping->path;
  while (*path && *path != '\\')
    path++;
  return *path != '\0';
}

void prof_mapping_path(const struct prof_mapping *mapping, char *path, size_t size)
{
  char link[64];
  long length = 0;
  if (prof_mapping_path_is_escaped(mapping)) {
    struct prof_text name = prof_text_begin(link, sizeof link);
    prof_text_add(&name, "/proc/self/map_files/");
    prof_text_add_number(&name, mapping->low, 16);
    prof_text_add(&name, "-");
    prof_text_add_number(&name, mapping->high, 16);
    length = PROF_SYSCALL4(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
  }
  if (length > 0) {
    path[length] = '\0';
    return;
  }
  struct prof_text text = prof_text_begin(path, size);
  prof_text_add(&text, mapping->path);
}

bool prof_proc_maps_at(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
  char name[128] = "";
  struct query query = {.size = sizeof query, .address = address, .name_size = sizeof name, .name = (uintptr_t)name};
  long fd = prof_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return false;
  long error = PROF_SYSCALL3(SYS_ioctl, fd, QUERY, &query);
  prof_sys_close(fd);
  if (error != 0 || prof_equal(name, "[stack]"))
    return false;
  *low = query.low;
  *high = query.high;
  return true;
}
