/*
 * The processors that the process may use: its affinity, and the limits of the cgroups that it is in.
 */
#include "profiler/pipeline/processors.h"

#include <stdbool.h>

#include "profiler/base/proc_files.h"
#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

enum {
  MOST_PROCESSORS = 8192,
  GROUPS_SIZE = 4096, /* of /proc/self/cgroup: a dozen lines, which may have long paths */
  LIMIT_SIZE = 64     /* of a file with one or two numbers */
};

static uint32_t count_allowed(void)
{
  uint64_t mask[MOST_PROCESSORS / 64];
  long bytes = PROF_SYSCALL3(SYS_sched_getaffinity, 0, sizeof mask, mask);
  uint32_t count = 0;
  for (long i = 0; i < bytes / (long)sizeof mask[0]; i++)
    for (uint64_t word = mask[i]; word; word &= word - 1)
      count++;
  return count;
}

/* The number at the text's beginning; 0 when there is none. */
static uint64_t number_at(const char *text)
{
  uint64_t number;
  prof_read_number(text, &number);
  return number;
}

/* Thousandths of a processor; 0: no limit. */
static uint32_t share_of(uint64_t quota, uint64_t period)
{
  return quota && period && quota < UINT64_MAX / 1000 ? (uint32_t)(quota * 1000 / period) : 0;
}

static bool read_file_of(const char *root, const char *group, size_t length, const char *name, char text[LIMIT_SIZE])
{
  char path[GROUPS_SIZE + LIMIT_SIZE];
  struct prof_text building = prof_text_begin(path, sizeof path);
  prof_text_add(&building, root);
  prof_text_add_bytes(&building, group, length);
  prof_text_add(&building, name);
  return !building.cut && prof_small_file_read(path, text, LIMIT_SIZE) > 0;
}

/* What the group whose path is group[0, length) allows; 0: no limit. */
static uint32_t limit_of(const char *group, size_t length, bool unified)
{
  char text[LIMIT_SIZE], period[LIMIT_SIZE];
  if (!unified) {
    bool both = read_file_of("/sys/fs/cgroup/cpu", group, length, "/cpu.cfs_quota_us", text) &&
                read_file_of("/sys/fs/cgroup/cpu", group, length, "/cpu.cfs_period_us", period);
    return both ? share_of(number_at(text), number_at(period)) : 0;
  }
  if (!read_file_of("/sys/fs/cgroup", group, length, "/cpu.max", text))
    return 0;
  const char *second = text;
  while (*second && *second != ' ')
    second++;
  return share_of(number_at(text), *second ? number_at(second + 1) : 0);
}

/* The least of what the group and those around it allow. */
static uint32_t least_limit(const char *group, size_t length, bool unified)
{
  uint32_t least = 0;
  for (;;) {
    uint32_t limit = limit_of(group, length, unified);
    least = limit && (!least || limit < least) ? limit : least;
    if (length == 0)
      return least;
    while (length > 0 && group[--length] != '/')
      ;
  }
}

/* A line of /proc/self/cgroup, "NUMBER:CONTROLLERS:PATH": of the unified hierarchy, or of the processor's. */
static uint32_t limit_of_line(const char *line, const char *end)
{
  const char *controllers = line, *path;
  while (controllers < end && *controllers++ != ':')
    ;
  for (path = controllers; path < end && *path != ':'; path++)
    ;
  const bool unified = path == controllers;
  bool processor = unified;
  for (const char *word = controllers; word < path && !processor; word++)
    processor =
        (word == controllers || word[-1] == ',') && prof_starts_with(word, "cpu") && (word[3] == ',' || word[3] == ':');
  if (!processor || path >= end)
    return 0;
  path++;
  size_t length = (size_t)(end - path);
  return least_limit(path, length == 1 ? 0 : length, unified);
}

static uint32_t read_quota(void)
{
  char text[GROUPS_SIZE];
  uint32_t least = 0;
  if (prof_small_file_read("/proc/self/cgroup", text, sizeof text) == 0)
    return 0;
  for (const char *line = text; *line;) {
    const char *end = line;
    while (*end && *end != '\n')
      end++;
    uint32_t limit = limit_of_line(line, end);
    least = limit && (!least || limit < least) ? limit : least;
    line = *end ? end + 1 : end;
  }
  return least;
}

uint32_t prof_processors_allowed(void)
{
  const uint32_t allowed = count_allowed() * 1000, quota = read_quota();
  return quota && quota < allowed ? quota : allowed;
}
