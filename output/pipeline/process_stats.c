/* Reads what a process has used from its files in /proc. */
#include "output/pipeline/process_stats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A thread's switches so far; a number that another thread gets begins again. */
struct out_thread_switches {
  unsigned tid;
  unsigned long long voluntary, involuntary;
};

void out_process_init(struct out_process *process, unsigned pid)
{
  *process = (struct out_process){.pid = pid, .threads = BASE_VECTOR_OF(struct out_thread_switches)};
  process->stats.size = sizeof process->stats;
}

void out_process_free(struct out_process *process)
{
  base_vector_free(&process->threads);
}

/* Reads a small file of /proc whole, NUL-terminated. False when it cannot be read. */
static bool read_small(const char *path, char *text, size_t size)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  size_t length = 0;
  for (ssize_t got; length < size - 1 && (got = read(file, text + length, size - 1 - length)) > 0;)
    length += (size_t)got;
  close(file);
  text[length] = '\0';
  return length > 0;
}

/* Fields of /proc/PID/stat behind the name, as proc(5) numbers them less 4: the state is before the first. */
enum {
  STAT_MINOR_FAULTS = 10 - 4,
  STAT_MAJOR_FAULTS = 12 - 4,
  STAT_USER = 14 - 4,
  STAT_SYSTEM = 15 - 4,
  STAT_THREADS = 20 - 4,
  STAT_BIRTH = 22 - 4,
  STAT_RESIDENT = 24 - 4,
  STAT_FIELDS
};

/* Reads /proc/PID/stat. False when the process is gone. */
static bool read_fields(unsigned pid, char *state, unsigned long long fields[STAT_FIELDS])
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  /* The name in parentheses may hold anything. */
  char *at = read_small(path, text, sizeof text) ? strrchr(text, ')') : NULL;
  if (!at || at[1] != ' ' || at[2] == '\0')
    return false;
  *state = at[2];
  at += 3;
  for (unsigned i = 0; i < STAT_FIELDS; i++) {
    char *end;
    fields[i] = strtoull(at, &end, 10);
    if (end == at)
      return false;
    at = end;
  }
  return true;
}

/* False when the process is gone, or another one has its number. */
static bool read_stat(struct out_process *process)
{
  char state;
  unsigned long long fields[STAT_FIELDS];
  if (!read_fields(process->pid, &state, fields) || (process->known && process->birth != fields[STAT_BIRTH]))
    return false;
  const double tick = (double)sysconf(_SC_CLK_TCK);
  process->known = true;
  process->birth = fields[STAT_BIRTH];
  process->alive = state != 'Z' && state != 'X';
  process->stats.minor_faults = fields[STAT_MINOR_FAULTS];
  process->stats.major_faults = fields[STAT_MAJOR_FAULTS];
  process->stats.user_time = (double)fields[STAT_USER] / tick;
  process->stats.system_time = (double)fields[STAT_SYSTEM] / tick;
  if (process->alive) {
    process->stats.threads = fields[STAT_THREADS];
    process->stats.resident_bytes = fields[STAT_RESIDENT] * (unsigned long long)sysconf(_SC_PAGESIZE);
  }
  return true;
}

/* The number behind "NAME:" at the beginning of a line; UINT64_MAX when there is none. */
static unsigned long long field(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, length) == 0 && line[length] == ':')
      return strtoull(line + length + 1, NULL, 10);
    if (*line == '\0')
      break;
  }
  return UINT64_MAX;
}

static void read_io(struct out_process *process)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/io", process->pid);
  bool readable = read_small(path, text, sizeof text);
  unsigned long long in = readable ? field(text, "read_bytes") : UINT64_MAX;
  unsigned long long out = readable ? field(text, "write_bytes") : UINT64_MAX;
  /* It may be forbidden from some moment on: what was known stays. */
  if (in != UINT64_MAX || !process->stats.read_bytes)
    process->stats.read_bytes = in;
  if (out != UINT64_MAX || !process->stats.written_bytes)
    process->stats.written_bytes = out;
}

static struct out_thread_switches *thread_of(struct out_process *process, unsigned tid)
{
  uint32_t low = 0, high = process->threads.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (((struct out_thread_switches *)base_vector_at(&process->threads, middle))->tid < tid)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < process->threads.count &&
      ((struct out_thread_switches *)base_vector_at(&process->threads, low))->tid == tid)
    return base_vector_at(&process->threads, low);
  if (!base_vector_add(&process->threads, 1))
    return NULL;
  struct out_thread_switches *place = base_vector_at(&process->threads, low);
  memmove(place + 1, place, (process->threads.count - 1 - low) * sizeof *place);
  *place = (struct out_thread_switches){.tid = tid};
  return place;
}

static int read_thread(struct out_process *process, unsigned tid)
{
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%u/task/%u/status", process->pid, tid);
  if (!read_small(path, text, sizeof text))
    return 0;
  unsigned long long voluntary = field(text, "voluntary_ctxt_switches");
  unsigned long long involuntary = field(text, "nonvoluntary_ctxt_switches");
  if (voluntary == UINT64_MAX || involuntary == UINT64_MAX)
    return 0;
  struct out_thread_switches *thread = thread_of(process, tid);
  if (!thread)
    return -ENOMEM;
  if (voluntary < thread->voluntary || involuntary < thread->involuntary)
    thread->voluntary = thread->involuntary = 0;
  process->stats.voluntary_switches += voluntary - thread->voluntary;
  process->stats.involuntary_switches += involuntary - thread->involuntary;
  thread->voluntary = voluntary;
  thread->involuntary = involuntary;
  return 0;
}

static int read_threads(struct out_process *process)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/task", process->pid);
  DIR *folder = opendir(path);
  int result = 0;
  for (struct dirent *entry; folder && result == 0 && (entry = readdir(folder));)
    if (entry->d_name[0] != '.')
      result = read_thread(process, (unsigned)strtoul(entry->d_name, NULL, 10));
  if (folder)
    closedir(folder);
  return result;
}

int out_process_read(struct out_process *process)
{
  if (!read_stat(process)) {
    process->alive = false;
    return 0;
  }
  read_io(process);
  return read_threads(process);
}
