/* Folds the recordings of a run's processes while it runs, and makes one of them at its end. */
#include "cli/run/family.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/common/subcommand.h"
#include "cli/run/child_files.h"
#include "cli/run/coming_processes.h"
#include "output/monitor/monitor_children.h"

enum {
  BATCH = 16,            /* recordings that are folded, where they are a share of what was ... */
  SHARE = 4,             /* ... a fourth: each time all that was is written again */
  MOST = 32,             /* recordings that are folded in any case, and at once */
  SOONEST = 5,           /* milliseconds from one look at the folder to the next */
  LATEST = 320,          /* the same, while processes live long */
  AGAIN = 500,           /* milliseconds after a failure, doubled with each one that follows ... */
  MOST_DOUBLED = 7,      /* ... so many times */
  LITTLE_ROOM = 4 << 20, /* bytes for each of those that are folded at once */
  LAST_LOOKS = 4,        /* at the end: for what ended while the others were folded */
  MUCH = 64 << 20,       /* bytes of those that have ended, which are folded as BATCH are, however few they are */
};

struct cli_family {
  const struct cli_recording_place *place;
  char path[PATH_MAX]; /* of the folded recordings */
  bool is_there;       /* it is */
  bool is_one;         /* all that has ended is the run's own recording by now */
  unsigned failures;   /* one after the other: what there is stays meanwhile */
  bool was_told;       /* why; no more is said of it */
  bool is_foreign;     /* something else lies there, which is left alone */
  unsigned processes;  /* in it */
  char **unread;       /* names of recordings that cannot be read, and stay. Owned */
  unsigned unread_count;
  struct callsig_monitor *monitor;    /* reads them too; NULL: there is none */
  struct cli_trigger_watch *triggers; /* the same */
  int watch;                          /* inotify, of the folder; -1: none is to be had */
  int stop;                           /* eventfd */
  pthread_t thread;
  bool is_running;
};

/* The family that the calling thread folds at this moment; NULL: none. What the library says then is of the folding. */
static _Thread_local const struct cli_family *folding;

/* Paths of recordings, owned. */
struct paths {
  const struct cli_family *family;
  char *list[MOST];
  unsigned count;
  unsigned beyond; /* that had no place in the list */
  uint64_t bytes;  /* on disk, of all that have ended */
  unsigned live;
  uint32_t own; /* process whose recordings stay; 0: those of all may go */
};

static void paths_free(struct paths *paths)
{
  for (unsigned i = 0; i < paths->count; i++)
    free(paths->list[i]);
  paths->count = 0;
}

static bool is_unread(const struct cli_family *family, const char *name)
{
  for (unsigned i = 0; i < family->unread_count; i++)
    if (strcmp(family->unread[i], name) == 0)
      return true;
  return false;
}

static uint64_t bytes_on_disk(int folder, const char *name)
{
  struct stat facts;
  return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)facts.st_blocks * 512 : 0;
}

/* A recording of this run: one to fold, if its process has ended. */
static int collect(const struct cli_child_file *file, void *data)
{
  struct paths *paths = data;
  const char *path = paths->family->place->path, *base = strrchr(path, '/') + 1;
  if (file->header->run != paths->family->place->run || is_unread(paths->family, file->name))
    return 0;
  if (!file->has_ended || file->header->pid == paths->own) {
    paths->live++;
    return 0;
  }
  paths->bytes += bytes_on_disk(file->folder, file->name);
  if (paths->count == MOST)
    paths->beyond++;
  else if (asprintf(&paths->list[paths->count], "%.*s%s", (int)(base - path), path, file->name) >= 0)
    paths->count++;
  else
    return -ENOMEM;
  return 0;
}

/* While the program runs, what its own process left before it executed another program stays: its beginning is the end
 * of what came before. */
static struct paths find(const struct cli_family *family, bool running)
{
  struct paths paths = {.family = family};
  struct fmt_rec_header header;
  if (running && cli_recording_place_header(family->place, &header) == 0)
    paths.own = header.pid;
  cli_child_files_each(family->place->path, collect, &paths);
  return paths;
}

/* What the library says of the folding: once, however often it is tried again. */
static void tell(const char *line, void *data)
{
  (void)data;
  if (folding == NULL || !folding->was_told)
    cli_error("%s", line);
}

/* Passes over a recording from now on: it cannot be read, which was said. */
static int pass_over(struct cli_family *family, const char *path)
{
  char *name = strdup(strrchr(path, '/') + 1);
  char **more = name ? realloc(family->unread, (family->unread_count + 1u) * sizeof *more) : NULL;
  if (more == NULL) {
    free(name);
    return -ENOMEM;
  }
  more[family->unread_count++] = name;
  family->unread = more;
  return -EAGAIN;
}

/* Adds the recordings to the object. -EAGAIN: one of them is not to be added again; or another negative errno. */
static int add_all(struct callsig_stats *stats, struct cli_family *family, const struct paths *paths, bool is_end)
{
  int error = is_end ? callsig_stats_add(stats, family->place->path) : 0;
  if (error == 0 && family->is_there)
    error = callsig_stats_add(stats, family->path);
  for (unsigned i = 0; i < paths->count && error == 0; i++)
    if ((error = callsig_stats_add(stats, paths->list[i])) < 0 && error != -ENOMEM)
      error = pass_over(family, paths->list[i]);
  return error;
}

static int write_folded(struct cli_family *family, const struct paths *paths, const char *to, bool is_end)
{
  struct callsig_stats *stats = NULL;
  int error = callsig_stats_new(
      &(struct callsig_stats_options){.size = sizeof(struct callsig_stats_options), .timeline = 1}, &stats);
  if (error == 0)
    error = add_all(stats, family, paths, is_end);
  if (error == 0)
    error = callsig_stats_fold_processes(stats);
  if (error == 0)
    error = callsig_stats_dump_family(stats, to, family->place->run);
  callsig_stats_free(stats);
  return error;
}

/* Writes the family and the recordings of `paths` as one to `to`, the run's own recording first if that is where, and
 * removes what they were. -EAGAIN: one of them is to be left out. */
static int fold(struct cli_family *family, const struct paths *paths, const char *to)
{
  const bool is_end = strcmp(to, family->place->path) == 0;
  folding = family;
  int error = write_folded(family, paths, to, is_end);
  folding = NULL;
  if (error == -EAGAIN)
    return error;
  family->failures = error < 0 ? family->failures + 1 : 0;
  family->was_told |= error < 0;
  if (error < 0)
    return error;
  if (is_end && family->is_there)
    unlink(family->path);
  for (unsigned i = 0; i < paths->count; i++)
    unlink(paths->list[i]);
  family->processes += paths->count + (is_end && !family->is_one);
  family->is_there = !is_end;
  family->is_one |= is_end;
  return 0;
}

/* May the family be written: is there nothing yet, or what this run wrote? Else it is said once. */
static bool may_write(struct cli_family *family)
{
  struct fmt_rec_header header;
  const uint32_t flags = FMT_REC_MERGED | FMT_REC_FAMILY;
  int fd = cli_recording_open(AT_FDCWD, family->path, &header);
  const bool is_own = fd >= 0 && memcmp(header.magic, FMT_RECORDING_MAGIC, sizeof header.magic) == 0 &&
                      (header.flags & flags) == flags && header.run == family->place->run;
  if (fd >= 0)
    close(fd);
  if (fd == -ENOENT || is_own)
    return true;
  if (!family->is_foreign)
    cli_error("%s: exists and is not of this run, so it is left alone: what the program's processes record is put "
              "together at the end alone",
              family->path);
  return !(family->is_foreign = true);
}

/* Has the disk little room? */
static bool is_short(const struct cli_family *family)
{
  struct statvfs disk;
  return statvfs(family->place->path, &disk) == 0 &&
         (uint64_t)disk.f_bavail * disk.f_frsize < BATCH * (uint64_t)LITTLE_ROOM;
}

/* How many recordings are folded at least: one already where the disk has little room for more of them. */
static unsigned least(const struct cli_family *family)
{
  return is_short(family) ? 1 : BATCH;
}

/* What lies beside the run's own recording, as far as it is known. */
struct amount {
  unsigned recordings;
  uint64_t bytes; /* of those that have ended */
};

static bool is_much(const struct cli_family *family, struct amount there)
{
  return there.recordings >= least(family) || there.bytes >= MUCH;
}

/* Are those that have ended, so much, worth the writing of all that was folded? Else a long run of large processes that
 * are no two alike would write it again and again. */
static bool is_due(const struct cli_family *family, struct amount ended)
{
  const uint64_t folded = family->is_there ? bytes_on_disk(AT_FDCWD, family->path) : 0;
  return is_much(family, ended) && (ended.bytes >= folded / SHARE || ended.recordings >= MOST || is_short(family));
}

/* Folds while there is so much that has ended. What there is. */
static struct amount fold_many(struct cli_family *family, bool *folded)
{
  *folded = false;
  for (;;) {
    struct paths paths = find(family, true);
    const struct amount there = {.recordings = paths.count + paths.beyond + paths.live, .bytes = paths.bytes};
    const bool many = is_due(family, (struct amount){.recordings = paths.count, .bytes = paths.bytes}) &&
                      may_write(family) && (family->monitor == NULL || out_monitor_settle_children(family->monitor));
    if (many)
      cli_trigger_watch_settle(family->triggers);
    const int error = many ? fold(family, &paths, family->path) : 0;
    paths_free(&paths);
    if (!many || (error < 0 && error != -EAGAIN))
      return there;
    *folded |= error == 0;
  }
}

/* Bytes of a recording in the run's folder. */
static uint64_t bytes_of(const struct cli_family *family, const char *name)
{
  char path[PATH_MAX];
  const int folder = (int)(strrchr(family->place->path, '/') + 1 - family->place->path);
  const int length = snprintf(path, sizeof path, "%.*s%s", folder, family->place->path, name);
  return (size_t)length < sizeof path ? bytes_on_disk(AT_FDCWD, path) : 0;
}

/* What came to there since it was asked last: recordings that were made, and the bytes of those that their process has
 * closed, as it does when it ends at the latest. How many were made. */
static unsigned add_new(const struct cli_family *family, struct amount *there)
{
  char buffer[16384] __attribute__((aligned(8)));
  const char *base = strrchr(family->place->path, '/') + 1;
  unsigned count = 0;
  for (ssize_t length; (length = read(family->watch, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < length;) {
      const struct inotify_event *event = (const struct inotify_event *)(const void *)(buffer + at);
      if (event->mask & IN_Q_OVERFLOW)
        count += BATCH;
      else if (event->len > 0 && cli_child_files_is_name(event->name, base)) {
        count += event->mask & IN_CREATE ? 1 : 0;
        there->bytes += event->mask & IN_CLOSE_WRITE ? bytes_of(family, event->name) : 0;
      }
      at += (ssize_t)(sizeof *event + event->len);
    }
  }
  there->recordings += count;
  return count;
}

/* Looks at the folder when recordings were made or ended in it, and while there is much: seldom, where none ends. */
static void *fold_while_running(void *data)
{
  struct cli_family *family = data;
  struct pollfd wait[] = {{.fd = family->stop, .events = POLLIN}, {.fd = family->watch, .events = POLLIN}};
  struct amount there = {0};
  unsigned pause = SOONEST;
  while (!family->is_foreign) {
    const bool looks = family->watch < 0 || is_much(family, there);
    if (family->failures > 0)
      poll(wait, 1, AGAIN << (family->failures < MOST_DOUBLED ? family->failures - 1 : MOST_DOUBLED));
    else
      poll(wait, 2, looks ? (int)pause : -1);
    if (family->failures == 0 && looks && !(wait[0].revents & POLLIN) && wait[1].revents & POLLIN)
      poll(wait, 1, SOONEST);
    if (wait[0].revents & POLLIN)
      break;
    unsigned added = family->watch >= 0 ? add_new(family, &there) : 0;
    if (!looks && !is_much(family, there))
      continue;
    bool folded;
    there = fold_many(family, &folded);
    pause = folded || added > 0 || family->watch < 0 ? SOONEST : pause < LATEST ? 2 * pause : LATEST;
  }
  return NULL;
}

static int start_thread(struct cli_family *family)
{
  char folder[PATH_MAX];
  const char *base = strrchr(family->place->path, '/') + 1;
  sigset_t all, before;
  snprintf(folder, sizeof folder, "%.*s", (int)(base - family->place->path), family->place->path);
  family->stop = eventfd(0, EFD_CLOEXEC);
  if (family->stop < 0)
    return -errno;
  family->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (family->watch >= 0 && inotify_add_watch(family->watch, folder, IN_CREATE | IN_CLOSE_WRITE) < 0) {
    close(family->watch);
    family->watch = -1;
  }
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int error = -pthread_create(&family->thread, NULL, fold_while_running, family);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  family->is_running = error == 0;
  return error;
}

struct cli_family *cli_family_start(const struct cli_recording_place *place, struct callsig_monitor *monitor,
                                    struct cli_trigger_watch *triggers, bool apart)
{
  struct cli_family *family = calloc(1, sizeof *family);
  if (family == NULL) {
    cli_error("run: out of memory");
    return NULL;
  }
  *family = (struct cli_family){.place = place, .monitor = monitor, .triggers = triggers, .watch = -1, .stop = -1};
  callsig_stats_set_message(tell, NULL);
  int length = snprintf(family->path, sizeof family->path, "%s" CLI_FAMILY_SUFFIX, place->path);
  /* Where no thread is to be had, all is folded at the end. */
  if (length >= 0 && (size_t)length < sizeof family->path && !apart)
    start_thread(family);
  return family;
}

void cli_family_rest(struct cli_family *family)
{
  const uint64_t one = 1;
  if (family == NULL)
    return;
  if (family->is_running && write(family->stop, &one, sizeof one) == (ssize_t)sizeof one)
    pthread_join(family->thread, NULL);
  family->is_running = false;
}

static void release(struct cli_family *family)
{
  callsig_stats_set_message(NULL, NULL);
  if (family->watch >= 0)
    close(family->watch);
  if (family->stop >= 0)
    close(family->stop);
  for (unsigned i = 0; i < family->unread_count; i++)
    free(family->unread[i]);
  free(family->unread);
  free(family);
}

/* Does nobody write to the run's own recording any more? */
static bool is_own_ended(const struct cli_recording_place *place)
{
  const bool ended = !cli_recording_is_locked(place->fd);
  flock(place->fd, LOCK_SH | LOCK_NB);
  return ended;
}

static void list_file(struct cli_family_end *end, const char *path)
{
  char *copy = strdup(path), **more = copy ? realloc(end->files, (end->count + 1u) * sizeof *more) : NULL;
  if (more == NULL) {
    free(copy);
    cli_error("run: out of memory: %s is not in the table", path);
    return;
  }
  more[end->count++] = copy;
  end->files = more;
}

/* What cli_child_files_each() is told of files that stay. */
struct staying {
  const struct cli_recording_place *place;
  struct cli_family_end *end;
  struct cli_coming_processes coming;
};

/* Seals a recording that stays by itself, if its process has ended. Where it cannot be sealed, it stays as it is. */
static int keep(const struct cli_child_file *file, void *data)
{
  struct staying *staying = data;
  const char *path = staying->place->path, *base = strrchr(path, '/') + 1;
  char whole[PATH_MAX];
  if (file->header->run != staying->place->run)
    return 0;
  cli_coming_processes_remove(&staying->coming, file->header->pid);
  if (!file->has_ended) {
    staying->end->live++;
    return 0;
  }
  flock(file->fd, LOCK_UN);
  int fd = openat(file->folder, file->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    callsig_stats_seal(fd, file->name);
    close(fd);
  }
  staying->end->apart++;
  staying->end->processes++;
  snprintf(whole, sizeof whole, "%.*s%s", (int)(base - path), path, file->name);
  list_file(staying->end, whole);
  return 0;
}

/* Makes all that has ended one recording: the run's own, or the family's where the run's own is still written. What
 * ends meanwhile is of it too, but for that of a program that goes on and starts others without end. */
static void fold_rest(struct cli_family *family)
{
  struct fmt_rec_header header;
  const bool joins = cli_recording_place_header(family->place, &header) == 0 && is_own_ended(family->place);
  const char *to = joins ? family->place->path : family->path;
  unsigned looks = LAST_LOOKS;
  for (bool goes_on = joins || may_write(family); goes_on;) {
    struct paths paths = find(family, false);
    const bool is_more = paths.beyond > 0, is_any = paths.count > 0 || (family->is_there && joins);
    const int error = is_any ? fold(family, &paths, to) : 0;
    goes_on = error == -EAGAIN || (error == 0 && (is_more || (paths.count > 0 && --looks > 0)));
    paths_free(&paths);
  }
}

struct cli_family_end cli_family_finish(struct cli_family *family, bool apart)
{
  struct cli_family_end end = {0};
  struct fmt_rec_header header;
  if (family == NULL)
    return end;
  cli_family_rest(family);
  end.is_doubtful = cli_recording_place_header(family->place, &header) == 0 && header.loss[FMT_LOSS_PROCESSES] > 0;
  if (!apart)
    fold_rest(family);
  struct staying staying = {.place = family->place, .end = &end};
  const bool is_own = !family->is_one && cli_recording_place_header(family->place, &header) == 0;
  end.processes = family->processes + is_own;
  if (family->is_one || is_own)
    list_file(&end, family->place->path);
  if (family->is_there)
    list_file(&end, family->path);
  int error = cli_coming_processes_list(family->place, &staying.coming);
  if (error == 0)
    error = cli_child_files_each(family->place->path, keep, &staying);
  end.live += staying.coming.count;
  cli_coming_processes_free(&staying.coming);
  if (error < 0)
    cli_error("%s: recordings of processes that the program started cannot be looked for beside it, and are not "
              "counted: %s",
              family->place->path, strerror(-error));
  release(family);
  return end;
}

void cli_family_end_free(struct cli_family_end *end)
{
  for (unsigned i = 0; i < end->count; i++)
    free(end->files[i]);
  free(end->files);
  *end = (struct cli_family_end){0};
}
