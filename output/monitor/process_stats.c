/* Reads what a process has used from its files in /proc. */
#include "output/monitor/process_stats.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/monitor/proc_files.h"

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

/* False when the process is gone, or another one has its number. */
static bool read_stat(struct out_process *process)
{
  struct out_proc_stat stat;
  if (!out_proc_stat(process->pid, &stat) || (process->known && process->birth != stat.birth))
    return false;
  process->known = true;
  process->birth = stat.birth;
  process->alive = stat.alive;
  process->stats.minor_faults = stat.minor_faults;
  process->stats.major_faults = stat.major_faults;
  process->stats.user_time = stat.user_time;
  process->stats.system_time = stat.system_time;
  if (process->alive) {
    process->stats.threads = stat.threads;
    process->stats.resident_bytes = stat.resident_bytes;
  }
  return true;
}

static void read_io(struct out_process *process)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/io", process->pid);
  bool readable = out_proc_read(path, text, sizeof text);
  unsigned long long in = readable ? out_proc_field(text, "read_bytes") : UINT64_MAX;
  unsigned long long out = readable ? out_proc_field(text, "write_bytes") : UINT64_MAX;
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
  if (!out_proc_read(path, text, sizeof text))
    return 0;
  unsigned long long voluntary = out_proc_field(text, "voluntary_ctxt_switches");
  unsigned long long involuntary = out_proc_field(text, "nonvoluntary_ctxt_switches");
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
