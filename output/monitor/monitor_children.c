/* Finds the recordings of a program's processes, and has each monitored while it is written. */
#define _GNU_SOURCE
#include "output/monitor/monitor_children.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/recording.h"
#include "output/recording/live.h"
#include "output/text/message.h"

/* A recording that was met. */
struct out_child {
  char *path;                      /* owned */
  uint64_t start_realtime_ns;      /* a later process may get the number, and so the path, of one that has ended */
  struct callsig_monitor *monitor; /* NULL: it is not read any more */
  unsigned pid;
};

void out_children_init(struct out_children *children, const struct out_child_calls *calls,
                       const struct callsig_monitor_options *options)
{
  *children = (struct out_children){.calls = calls, .options = *options, .known = BASE_VECTOR_OF(struct out_child)};
  pthread_mutex_init(&children->lock, NULL);
}

static struct out_child *child_at(const struct out_children *children, uint32_t index)
{
  return base_vector_at(&children->known, index);
}

/* Opens a recording of this run, whose header is complete. -1: it is none. */
static int open_recording(const char *path, uint64_t run, struct fmt_rec_header *header)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (file < 0)
    return -1;
  if (pread(file, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
      memcmp(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) == 0 && header->run == run)
    return file;
  close(file);
  return -1;
}

static bool is_known(const struct out_children *children, const char *path, const struct fmt_rec_header *header)
{
  for (uint32_t i = 0; i < children->known.count; i++)
    if (child_at(children, i)->start_realtime_ns == header->start_realtime_ns &&
        strcmp(child_at(children, i)->path, path) == 0)
      return true;
  return false;
}

/* Has a monitor read a recording that is being written; one that is not is read at once. */
static int add(struct out_children *children, char *path, int file, const struct fmt_rec_header *header)
{
  const bool live = out_recording_is_live(file, header->pid);
  struct out_child *child = base_vector_add(&children->known, 1);
  if (!child) {
    free(path);
    return out_stats_no_memory();
  }
  *child = (struct out_child){.path = path, .start_realtime_ns = header->start_realtime_ns, .pid = header->pid};
  struct callsig_monitor_options options = children->options;
  options.path = path;
  options.children = 0;
  if (live)
    return children->calls->start(&options, &child->monitor);
  int result = children->calls->complete(path, options.database);
  return result < 0 ? result : 0;
}

/* "BASE." and digits and dots behind it. */
static bool is_child_name(const char *name, const char *base)
{
  const size_t length = strlen(base);
  return strncmp(name, base, length) == 0 && name[length] == '.' && name[length + 1] >= '0' &&
         name[length + 1] <= '9' && name[length + 1 + strspn(name + length + 1, "0123456789.")] == '\0';
}

static int find(struct out_children *children, uint64_t run)
{
  char *copy = strdup(children->options.path), *again = strdup(children->options.path);
  const char *folder_path = copy ? dirname(copy) : NULL, *base = again ? basename(again) : NULL;
  DIR *folder = folder_path && base ? opendir(folder_path) : NULL;
  int result = copy && again ? 0 : out_stats_no_memory();
  for (struct dirent *entry; folder && result != -ENOMEM && (entry = readdir(folder));) {
    char *path = NULL;
    struct fmt_rec_header header;
    if (!is_child_name(entry->d_name, base))
      continue;
    if (asprintf(&path, "%s/%s", folder_path, entry->d_name) < 0) {
      result = out_stats_no_memory();
      break;
    }
    int file = open_recording(path, run, &header);
    if (file < 0 || is_known(children, path, &header)) {
      free(path);
      if (file >= 0)
        close(file);
      continue;
    }
    int added = add(children, path, file, &header);
    result = added < 0 ? added : result;
    close(file);
  }
  if (folder)
    closedir(folder);
  free(copy);
  free(again);
  return result;
}

static bool has_ended(const struct out_child *child)
{
  int file = open(child->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const bool live = file >= 0 && out_recording_is_live(file, child->pid);
  if (file >= 0)
    close(file);
  return !live;
}

void out_children_look(struct out_children *children, uint64_t run)
{
  pthread_mutex_lock(&children->lock);
  const bool is_short = find(children, run) == -ENOMEM;
  for (uint32_t i = 0; i < children->known.count && !is_short; i++) {
    struct out_child *child = child_at(children, i);
    if (!child->monitor || !has_ended(child))
      continue;
    children->calls->stop(child->monitor);
    child->monitor = NULL;
  }
  pthread_mutex_unlock(&children->lock);
}

int out_children_stop(struct out_children *children, uint64_t run)
{
  int result = run ? find(children, run) : 0;
  for (uint32_t i = 0; i < children->known.count; i++) {
    struct out_child *child = child_at(children, i);
    int stopped = 0;
    if (child->monitor)
      stopped = has_ended(child) ? children->calls->stop(child->monitor) : children->calls->leave(child->monitor);
    result = stopped < 0 ? stopped : result;
    free(child->path);
  }
  base_vector_free(&children->known);
  pthread_mutex_destroy(&children->lock);
  return result < 0 ? -EIO : 0;
}
