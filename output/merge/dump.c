/* callsig_stats_dump() and callsig_stats_dump_family(): all that an object has loaded, as one recording. */
#define _GNU_SOURCE
#include "output/merge/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/profile/sums.h"
#include "output/recording/seal.h"
#include "output/stats/stats_object.h"
#include "output/text/message.h"
#include "output/text/output_file.h"

/* The header is written twice: to keep its place, and when everything is known. */
static void put_header(struct out_dump *dump)
{
  struct fmt_rec_header *header = &dump->header;
  memcpy(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC);
  header->version = FMT_RECORDING_VERSION;
  header->header_size = sizeof *header;
  header->base = OUT_DUMP_BASE;
  header->flags |= FMT_REC_MERGED;
  header->exit_status = -1;
  header->next = header->reserved_size = dump->end - OUT_DUMP_BASE;
  header->timeline_min = UINT64_MAX;
  out_dump_put(dump, header, sizeof *header);
}

/* What the recordings that it is made of are known by. */
static int put_files(struct out_dump *dump)
{
  if (dump->files)
    dump->header.command = out_dump_bytes(dump, dump->files->data, dump->files->count * sizeof(struct fmt_rec_taken));
  return 0;
}

static int put_all(struct out_dump *dump)
{
  int (*const parts[])(struct out_dump *) = {
      out_dump_processes, out_dump_samples,    out_dump_modules,    out_dump_call_places,
      out_dump_stages,    out_dump_functions,  out_dump_signatures, out_dump_rank_rows,
      out_dump_contexts,  out_dump_histograms, out_dump_edges,      out_dump_uses,
      out_dump_rings,     put_files,           out_dump_threads,    out_dump_innermost};
  put_header(dump);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && dump->error == 0; i++) {
    int result = parts[i](dump);
    if (dump->error == 0)
      dump->error = result;
  }
  out_dump_again(dump, OUT_DUMP_BASE);
  put_header(dump);
  return dump->error;
}

static void release(struct out_dump *dump)
{
  free(dump->modules);
  free(dump->call_places);
  free(dump->stages);
  free(dump->stage_records);
  free(dump->queue_records);
  free(dump->event_records);
  free(dump->edges);
  free(dump->rings);
  free(dump->rank_rows);
  free(dump->functions);
  free(dump->signatures);
  free(dump->times);
  free(dump->first_edges);
  free(dump->first_tasks);
  free(dump->first_uses);
  free(dump->first_counter_uses);
  free(dump->counter_records);
  free(dump->process_parts);
  base_vector_free(&dump->names);
  out_idset_free(&dump->name_set);
}

int out_dump_write(struct out_profile *profile, const struct out_dump_family *family, FILE *out)
{
  struct out_dump dump = {.profile = profile,
                          .out = out,
                          .next = OUT_DUMP_BASE,
                          .end = OUT_DUMP_BASE,
                          .names = BASE_VECTOR_OF(struct out_dump_name)};
  if (family) {
    dump.files = family->files;
    dump.header.flags = FMT_REC_FAMILY;
    dump.header.run = family->run;
    dump.header.pid = family->pid;
    dump.header.start_realtime_ns = family->written_ns;
  }
  int result = put_all(&dump);
  release(&dump);
  return result;
}

/* A recording, or empty: what may be replaced by a recording. */
static bool is_recording(const char *path)
{
  char magic[sizeof FMT_RECORDING_MAGIC];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return false;
  ssize_t length = read(file, magic, sizeof magic);
  close(file);
  return length == 0 || (length == (ssize_t)sizeof magic && memcmp(magic, FMT_RECORDING_MAGIC, sizeof magic) == 0);
}

/* Only an older recording is replaced, and only a file can be written: the header comes last. */
static int check_place(const char *path)
{
  struct stat status;
  if (lstat(path, &status) != 0 || S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode))
    return 0;
  if (!S_ISREG(status.st_mode) || !is_recording(path))
    return out_stats_fail(-EEXIST, "%s: exists and is not a recording, so it is left alone; name another file", path);
  return 0;
}

static int dump_stats(struct callsig_stats *stats, const struct out_dump_family *family, const char *path)
{
  struct out_output_file file = {0};
  int result = out_stats_not_empty(stats);
  if (result == 0)
    result = out_sums_fit(&stats->profile, out_stats_finest_tick(stats));
  if (result == 0)
    result = check_place(path);
  if (result == 0)
    result = out_output_file_open_recording(&file, path);
  if (result < 0)
    return result;
  /* Only the run writes a family, which holds the place of its own recording. */
  file.is_own_place = family != NULL;
  result = out_dump_write(&stats->profile, family, file.stream);
  if (result == 0 && file.temporary)
    result = fflush(file.stream) == 0 ? out_seal_file(fileno(file.stream)) : -errno;
  if (result == -ENOMEM)
    out_stats_fail(-ENOMEM, "%s: out of memory while it was written", path);
  else if (result < 0)
    errno = -result;
  return out_output_file_close(&file, result < 0 && result != -ENOMEM ? -EIO : result);
}

int callsig_stats_dump(struct callsig_stats *stats, const char *path)
{
  return dump_stats(stats, NULL, path);
}

int callsig_stats_dump_family(struct callsig_stats *stats, const char *path, uint64_t run)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const struct out_dump_family family = {.files = &stats->files.read,
                                         .run = run,
                                         .pid = (uint32_t)getpid(),
                                         .written_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec};
  return dump_stats(stats, &family, path);
}
