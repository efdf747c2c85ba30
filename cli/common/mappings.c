/* Reads /proc/PID/maps, and the memory behind it. */
#include "cli/common/mappings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "cli/common/maps_line.h"

#define REMOVED " (deleted)"

/* Takes one line of the file apart. False when it is none. */
static bool parse_line(pid_t pid, char *line, struct cli_memory_mapping *mapping)
{
  char *next, path[PATH_MAX];
  line[strcspn(line, "\n")] = '\0';
  mapping->start = strtoull(line, &next, 16);
  if (*next != '-')
    return false;
  mapping->end = strtoull(next + 1, &next, 16);
  if (strlen(next) < 6)
    return false;
  mapping->readable = next[1] == 'r';
  mapping->writable = next[2] == 'w';
  mapping->executable = next[3] == 'x';
  mapping->offset = strtoull(next + 5, &next, 16);
  /* The device and the inode. */
  for (unsigned field = 0; field < 2; field++) {
    next += strspn(next, " ");
    next += strcspn(next, " ");
  }
  next += strspn(next, " ");
  mapping->path = strdup(next[0] == '/' && cli_maps_line_path(pid, line, path) ? path : next);
  return true;
}

int cli_mappings_read(pid_t pid, struct cli_mappings *mappings)
{
  char path[64], *line = NULL;
  size_t size = 0;
  int error = 0;
  mappings->list = (struct base_vector)BASE_VECTOR_OF(struct cli_memory_mapping);
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return -errno;
  while (error == 0 && getline(&line, &size, file) >= 0) {
    struct cli_memory_mapping mapping = {0};
    if (!parse_line(pid, line, &mapping))
      continue;
    struct cli_memory_mapping *added = mapping.path != NULL ? base_vector_add(&mappings->list, 1) : NULL;
    if (added != NULL)
      *added = mapping;
    else
      error = -ENOMEM;
    if (error < 0)
      free(mapping.path);
  }
  if (error == 0 && ferror(file))
    error = -EIO;
  free(line);
  fclose(file);
  return error;
}

static const struct cli_memory_mapping *entry(const struct cli_mappings *mappings, uint32_t index)
{
  return base_vector_at(&mappings->list, index);
}

void cli_mappings_free(struct cli_mappings *mappings)
{
  for (uint32_t i = 0; i < mappings->list.count; i++)
    free(entry(mappings, i)->path);
  base_vector_free(&mappings->list);
}

const struct cli_memory_mapping *cli_mappings_at(const struct cli_mappings *mappings, uint64_t address)
{
  for (uint32_t i = 0; i < mappings->list.count; i++)
    if (address >= entry(mappings, i)->start && address < entry(mappings, i)->end)
      return entry(mappings, i);
  return NULL;
}

const struct cli_memory_mapping *cli_mappings_of_file(const struct cli_mappings *mappings, const char *name)
{
  for (uint32_t i = 0; i < mappings->list.count; i++) {
    const char *slash = strrchr(entry(mappings, i)->path, '/');
    if (cli_mapping_is_file(entry(mappings, i)) && strncmp(slash + 1, name, strlen(name)) == 0)
      return entry(mappings, i);
  }
  return NULL;
}

const struct cli_memory_mapping *cli_mappings_named(const struct cli_mappings *mappings, const char *path)
{
  for (uint32_t i = 0; i < mappings->list.count; i++)
    if (strcmp(entry(mappings, i)->path, path) == 0)
      return entry(mappings, i);
  return NULL;
}

bool cli_mapping_is_file(const struct cli_memory_mapping *mapping)
{
  return mapping->path[0] == '/' && mapping->path[1] != '/' && strncmp(mapping->path, "/memfd:", 7) != 0;
}

bool cli_mapping_is_removed(const struct cli_memory_mapping *mapping)
{
  size_t length = strlen(mapping->path);
  return length > strlen(REMOVED) && strcmp(mapping->path + length - strlen(REMOVED), REMOVED) == 0;
}

/* Reads or writes a whole range. */
static int transfer(pid_t pid, uint64_t address, void *data, size_t size, bool write)
{
  struct iovec here = {data, size}, there = {(void *)(uintptr_t)address, size};
  ssize_t done = write ? process_vm_writev(pid, &here, 1, &there, 1, 0) : process_vm_readv(pid, &here, 1, &there, 1, 0);
  return done == (ssize_t)size ? 0 : done < 0 ? -errno : -EFAULT;
}

int cli_memory_read(pid_t pid, uint64_t address, void *data, size_t size)
{
  return transfer(pid, address, data, size, false);
}

int cli_memory_write(pid_t pid, uint64_t address, const void *data, size_t size)
{
  return transfer(pid, address, (void *)(uintptr_t)data, size, true);
}

int cli_memory_read_text(pid_t pid, uint64_t address, char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    int error = cli_memory_read(pid, address + i, text + i, 1);
    if (error < 0 || text[i] == '\0')
      return error;
  }
  return -ENAMETOOLONG;
}
