/* Reads what a process and its descendants use from their files in /proc. */
#include "output/monitor/process_group.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/monitor/proc_files.h"

/* Of a processor, that reading how memory is shared may take: the kernel walks all of it. */
#define MEMORY_SHARE 0.005

struct out_group_member {
  struct callsig_group_stats stats; /* its name is set when it is handed out */
  unsigned long long birth;
  char name[64];
  bool seen; /* in this reading */
};

void out_process_group_init(struct out_process_group *group)
{
  *group = (struct out_process_group){.members = BASE_VECTOR_OF(struct out_group_member)};
}

void out_process_group_free(struct out_process_group *group)
{
  base_vector_free(&group->members);
}

static double clock_seconds(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct out_group_member *member_at(const struct out_process_group *group, uint32_t index)
{
  return base_vector_at(&group->members, index);
}

/* The member with this number; a new one when there is none, or it was another process. */
static struct out_group_member *member_of(struct out_process_group *group, unsigned pid, unsigned long long birth)
{
  for (uint32_t i = 0; i < group->members.count; i++)
    if (member_at(group, i)->stats.pid == pid && member_at(group, i)->birth == birth)
      return member_at(group, i);
  struct out_group_member *member = base_vector_add(&group->members, 1);
  if (member)
    *member = (struct out_group_member){.birth = birth,
                                        .stats = {.size = sizeof member->stats,
                                                  .pid = pid,
                                                  .processes = 1,
                                                  .pss_bytes = UINT64_MAX,
                                                  .private_bytes = UINT64_MAX,
                                                  .read_bytes = UINT64_MAX,
                                                  .written_bytes = UINT64_MAX,
                                                  .received_bytes = UINT64_MAX,
                                                  .sent_bytes = UINT64_MAX}};
  return member;
}

static uint64_t kilobytes(const char *text, const char *name)
{
  const unsigned long long value = out_proc_field(text, name);
  return value > UINT64_MAX / 1024 ? UINT64_MAX : value * 1024;
}

static uint64_t sum_known(uint64_t one, uint64_t other)
{
  return one == UINT64_MAX || other == UINT64_MAX ? UINT64_MAX : one + other;
}

static void read_memory(struct out_process_group *group, struct callsig_group_stats *stats)
{
  char path[64], text[4096];
  stats->pss_bytes = stats->private_bytes = UINT64_MAX;
  const double begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  if (group->memory_spent > MEMORY_SHARE * (clock_seconds(CLOCK_MONOTONIC) - group->begin))
    return;
  snprintf(path, sizeof path, "/proc/%u/smaps_rollup", stats->pid);
  if (out_proc_read(path, text, sizeof text)) {
    stats->pss_bytes = kilobytes(text, "Pss");
    stats->private_bytes = sum_known(kilobytes(text, "Private_Clean"), kilobytes(text, "Private_Dirty"));
  }
  group->memory_spent += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* It may be forbidden from some moment on: what was known stays. */
static void read_storage(struct callsig_group_stats *stats)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/io", stats->pid);
  if (!out_proc_read(path, text, sizeof text))
    return;
  stats->read_bytes = out_proc_field(text, "read_bytes");
  stats->written_bytes = out_proc_field(text, "write_bytes");
}

/* Of an interface's counters the first is what it received, and the ninth what it sent. */
enum { RECEIVED = 0, SENT = 8, COUNTERS };

static bool read_counters(const char *text, uint64_t counters[COUNTERS])
{
  for (int i = 0; i < COUNTERS; i++) {
    char *end;
    counters[i] = strtoull(text, &end, 10);
    if (end == text)
      return false;
    text = end;
  }
  return true;
}

/* What the interfaces of the process's network namespace carried, but for loopback. */
static void read_network(unsigned pid, uint64_t *received, uint64_t *sent)
{
  char path[64], text[16384], *rest = text;
  *received = *sent = UINT64_MAX;
  snprintf(path, sizeof path, "/proc/%u/net/dev", pid);
  if (!out_proc_read(path, text, sizeof text))
    return;
  *received = *sent = 0;
  for (char *line; (line = strsep(&rest, "\n"));) {
    char *colon = strchr(line, ':');
    uint64_t counters[COUNTERS];
    if (!colon)
      continue;
    *colon = '\0';
    line += strspn(line, " ");
    if (strcmp(line, "lo") == 0 || !read_counters(colon + 1, counters))
      continue;
    *received += counters[RECEIVED];
    *sent += counters[SENT];
  }
}

/* Appends the processes that the threads of one have started. */
static int add_children(unsigned pid, struct base_vector *pids)
{
  char path[300], text[16384];
  int result = 0;
  snprintf(path, sizeof path, "/proc/%u/task", pid);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && result == 0 && (entry = readdir(folder));) {
    snprintf(path, sizeof path, "/proc/%u/task/%s/children", pid, entry->d_name);
    if (entry->d_name[0] == '.' || !out_proc_read(path, text, sizeof text))
      continue;
    char *end;
    for (const char *at = text; result == 0; at = end) {
      const unsigned child = (unsigned)strtoul(at, &end, 10);
      if (end == at)
        break;
      unsigned *added = base_vector_add(pids, 1);
      if (added)
        *added = child;
      else
        result = -ENOMEM;
    }
  }
  if (folder)
    closedir(folder);
  return result;
}

static int read_member(struct out_process_group *group, unsigned pid)
{
  struct out_proc_stat stat;
  if (!out_proc_stat(pid, &stat))
    return 0;
  struct out_group_member *member = member_of(group, pid, stat.birth);
  if (!member)
    return -ENOMEM;
  memcpy(member->name, stat.name, sizeof member->name);
  member->seen = true;
  member->stats.ppid = stat.ppid;
  member->stats.user_time = stat.user_time;
  member->stats.system_time = stat.system_time;
  if (!stat.alive)
    return 0;
  member->stats.threads = (unsigned)stat.threads;
  member->stats.resident_bytes = stat.resident_bytes;
  read_storage(&member->stats);
  read_memory(group, &member->stats);
  return 0;
}

/* What has an end counts on with the group. */
static void add_used(struct callsig_group_stats *sum, const struct callsig_group_stats *stats)
{
  sum->user_time += stats->user_time;
  sum->system_time += stats->system_time;
  if (stats->read_bytes != UINT64_MAX)
    sum->read_bytes += stats->read_bytes;
  if (stats->written_bytes != UINT64_MAX)
    sum->written_bytes += stats->written_bytes;
}

static void drop_unseen(struct out_process_group *group)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < group->members.count; i++) {
    struct out_group_member *member = member_at(group, i);
    if (member->seen)
      *member_at(group, kept++) = *member;
    else
      add_used(&group->gone, &member->stats);
  }
  group->members.count = kept;
}

static int compare_members(const void *one, const void *other)
{
  const struct out_group_member *a = one, *b = other;
  return (a->stats.pid > b->stats.pid) - (a->stats.pid < b->stats.pid);
}

int out_process_group_hand_out(const struct out_process_group *group, struct callsig_pipeline *pipeline)
{
  if (group->members.count == 0)
    return 0;
  struct callsig_group_stats sum = group->gone;
  sum.size = sizeof sum;
  sum.name = "";
  for (uint32_t i = 0; i < group->members.count; i++) {
    const struct out_group_member *member = member_at(group, i);
    struct callsig_group_stats *stats = base_vector_add(&pipeline->group, 1);
    const char *name = out_pipeline_copy_text(pipeline, member->name, strlen(member->name));
    if (!stats || !name)
      return -ENOMEM;
    *stats = member->stats;
    stats->name = name;
    add_used(&sum, stats);
    sum.processes++;
    sum.threads += stats->threads;
    sum.resident_bytes += stats->resident_bytes;
    sum.pss_bytes = sum_known(sum.pss_bytes, stats->pss_bytes);
    sum.private_bytes = sum_known(sum.private_bytes, stats->private_bytes);
  }
  sum.received_bytes = group->received_bytes;
  sum.sent_bytes = group->sent_bytes;
  struct callsig_group_stats *last = base_vector_add(&pipeline->group, 1);
  if (last)
    *last = sum;
  return last ? 0 : -ENOMEM;
}

int out_process_group_look(struct out_process_group *group, unsigned root)
{
  struct out_proc_stat stat;
  if (!out_proc_stat(root, &stat))
    return 0;
  struct base_vector pids = BASE_VECTOR_OF(unsigned);
  unsigned *first = base_vector_add(&pids, 1);
  int result = first ? 0 : -ENOMEM;
  if (first)
    *first = root;
  if (group->begin == 0)
    group->begin = clock_seconds(CLOCK_MONOTONIC);
  for (uint32_t i = 0; i < group->members.count; i++)
    member_at(group, i)->seen = false;
  for (uint32_t i = 0; i < pids.count && result == 0; i++) {
    const unsigned pid = *(const unsigned *)base_vector_at(&pids, i);
    result = read_member(group, pid);
    if (result == 0)
      result = add_children(pid, &pids);
  }
  base_vector_free(&pids);
  if (result < 0)
    return result;
  drop_unseen(group);
  if (group->members.count > 0)
    qsort(group->members.data, group->members.count, sizeof(struct out_group_member), compare_members);
  read_network(root, &group->received_bytes, &group->sent_bytes);
  return 0;
}
