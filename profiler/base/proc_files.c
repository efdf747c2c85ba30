/*
 * What the kernel tells in short files.
 */
#include "profiler/base/proc_files.h"

#include "profiler/base/syscall.h"
#include "profiler/base/text.h"

/* Numbers of fields of /proc/PID/stat, by proc(5). The name of the command, which is the second, may have blanks and
 * parentheses in it: what follows the last one is the third. */
#define STAT_STATE     3u
#define STAT_ARG_START 48u
#define STAT_ARG_END   49u
#define STAT_ENV_END   51u
#define STAT_SIZE      1024u

long prof_small_file_read(const char *path, char *text, size_t size)
{
  long fd = prof_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
  long length = fd < 0 ? 0 : prof_sys_read(fd, text, size - 1);
  if (fd >= 0)
    prof_sys_close(fd);
  length = length > 0 ? length : 0;
  text[length] = '\0';
  return length;
}

long prof_link_read(const char *path, char *text, size_t size)
{
  return PROF_SYSCALL4(SYS_readlinkat, AT_FDCWD, path, text, size);
}

long prof_task_file_read(uint32_t tid, const char *name, char *text, size_t size)
{
  char path[64];
  struct prof_text building = prof_text_begin(path, sizeof path);
  prof_text_add(&building, "/proc/self/task/");
  prof_text_add_number(&building, tid, 10);
  prof_text_add(&building, "/");
  prof_text_add(&building, name);
  return prof_small_file_read(path, text, size);
}

struct prof_schedstat prof_schedstat_parse(const char *text)
{
  uint64_t numbers[3];
  for (unsigned i = 0; i < 3; i++) {
    text = prof_read_number(text, &numbers[i]);
    text += *text == ' ';
  }
  return (struct prof_schedstat){.ran_ns = numbers[0], .waited_ns = numbers[1], .turns = numbers[2]};
}

struct prof_argument_area prof_argument_area_find(void)
{
  char text[STAT_SIZE];
  prof_small_file_read("/proc/self/stat", text, sizeof text);
  const char *at = text;
  for (const char *look = text; *look; look++)
    if (*look == ')')
      at = look + 1;
  uint64_t fields[STAT_ENV_END + 1] = {0};
  for (unsigned field = STAT_STATE; field <= STAT_ENV_END && *at; field++) {
    at += *at == ' ';
    at = prof_read_number(at, &fields[field]);
    while (*at && *at != ' ')
      at++;
  }
  if (!fields[STAT_ENV_END])
    return (struct prof_argument_area){0};
  return (struct prof_argument_area){fields[STAT_ARG_START], fields[STAT_ARG_END], fields[STAT_ENV_END]};
}
