/* Finds the recordings of a run's processes, and keeps them open until all of them was looked at. */
#include "cli/run/trigger_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callsig/stats.h"
#include "cli/common/subcommand.h"
#include "cli/run/child_files.h"

static void source_free(struct cli_trigger_source *source)
{
  if (source->path != NULL)
    close(source->rings.fd);
  free(source->path);
  cli_span_rings_free(&source->rings);
  base_vector_free(&source->known);
}

static struct cli_trigger_source *add_source(struct cli_trigger_sources *sources, int fd, char *path,
                                             const struct stat *status)
{
  struct cli_trigger_source *added = base_vector_add(&sources->list, 1);
  if (added != NULL)
    *added = (struct cli_trigger_source){.rings = cli_span_rings_of(fd),
                                         .known = BASE_VECTOR_OF(struct cli_known_edge),
                                         .device = status->st_dev,
                                         .inode = status->st_ino,
                                         .path = path};
  return added;
}

int cli_trigger_sources_open(struct cli_trigger_sources *sources, const struct cli_recording_place *place)
{
  const struct stat none = {0};
  *sources = (struct cli_trigger_sources){.place = place, .list = BASE_VECTOR_OF(struct cli_trigger_source)};
  return add_source(sources, place->fd, NULL, &none) != NULL ? 0 : -ENOMEM;
}

void cli_trigger_sources_close(struct cli_trigger_sources *sources)
{
  for (uint32_t i = 0; i < sources->list.count; i++)
    source_free(cli_trigger_source_at(sources, i));
  base_vector_free(&sources->list);
}

/* Opens a recording for as long as it is watched, however often its file is opened and locked meanwhile. */
static int open_source(struct cli_trigger_sources *sources, const struct cli_child_file *file,
                       const struct stat *status, struct cli_trigger_source **source)
{
  const char *path = sources->place->path;
  struct fmt_rec_header header;
  char *whole = NULL;
  const int fd = cli_recording_open(file->folder, file->name, &header);
  *source = NULL;
  if (fd < 0)
    return fd;
  if (asprintf(&whole, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, file->name) >= 0)
    *source = add_source(sources, fd, whole, status);
  if (*source != NULL)
    return 0;
  free(whole);
  close(fd);
  return -ENOMEM;
}

/* A cli_child_files_each() visit: a process's recording of this run is watched from now on. */
static int visit(const struct cli_child_file *file, void *data)
{
  struct cli_trigger_sources *sources = data;
  struct cli_trigger_source *found = NULL;
  struct stat status;
  if (file->header->run != sources->place->run || fstat(file->fd, &status) < 0)
    return 0;
  for (uint32_t i = 1; i < sources->list.count && found == NULL; i++) {
    struct cli_trigger_source *source = cli_trigger_source_at(sources, i);
    found = source->inode == status.st_ino && source->device == status.st_dev ? source : NULL;
  }
  const int error = found == NULL ? open_source(sources, file, &status, &found) : 0;
  if (error < 0)
    return error;
  found->is_there = true;
  found->has_ended |= file->has_ended;
  return 0;
}

void cli_trigger_sources_find(struct cli_trigger_sources *sources)
{
  for (uint32_t i = 1; i < sources->list.count; i++)
    cli_trigger_source_at(sources, i)->is_there = false;
  const int error = cli_child_files_each(sources->place->path, visit, sources);
  if (error < 0 && !sources->was_told)
    cli_error("run: triggers do not watch all processes that the program started: %s", strerror(-error));
  sources->was_told |= error < 0;
  /* What is gone was folded, which is done with what has ended alone. */
  for (uint32_t i = 1; i < sources->list.count && error == 0; i++)
    cli_trigger_source_at(sources, i)->has_ended |= !cli_trigger_source_at(sources, i)->is_there;
}

void cli_trigger_sources_drop(struct cli_trigger_sources *sources)
{
  for (uint32_t i = sources->list.count; i-- > 1;) {
    struct cli_trigger_source *source = cli_trigger_source_at(sources, i);
    if (!source->is_done || source->is_there)
      continue;
    source_free(source);
    *source = *cli_trigger_source_at(sources, --sources->list.count);
  }
}

bool cli_trigger_source_header(const struct cli_trigger_sources *sources, const struct cli_trigger_source *source,
                               struct fmt_rec_header *header)
{
  if (source->path == NULL)
    return cli_recording_place_header(sources->place, header) == 0;
  return pread(source->rings.fd, header, sizeof *header, 0) == (ssize_t)sizeof *header;
}

struct callsig_stats *cli_trigger_source_load(const struct cli_trigger_sources *sources,
                                              const struct cli_trigger_source *source)
{
  const struct callsig_stats_options options = {.size = sizeof options, .timeline = 1};
  const char *path = source->path != NULL ? source->path : sources->place->path;
  struct callsig_stats *stats = NULL;
  struct stat status;
  char open_file[64];
  /* One that was folded meanwhile has no name any more. */
  if (source->path != NULL && stat(path, &status) < 0) {
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", source->rings.fd);
    path = open_file;
  }
  int result = callsig_stats_new(&options, &stats);
  if (result == 0)
    result = callsig_stats_add(stats, path);
  if (result == 0)
    return stats;
  callsig_stats_free(stats);
  return NULL;
}
