/* callsig_stats_dump(): all that an object has loaded, as one recording. */
#define _GNU_SOURCE
#include "dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "object.h"
#include "output_file.h"

/* Where the file begins in the address space that its references are of. Not 0, which refers to nothing. */
#define BASE UINT64_C(0x10000)

struct cs_dump_name {
  uint32_t string;
  uint64_t address;
};

uint64_t cs_dump_put(struct cs_dump *dump, const void *data, size_t size)
{
  static const char nothing[8];
  uint64_t address = dump->next;
  size_t padding = (8 - size % 8) % 8;
  errno = 0;
  if (dump->error == 0 &&
      (fwrite(data, 1, size, dump->out) != size || fwrite(nothing, 1, padding, dump->out) != padding))
    dump->error = errno ? -errno : -EIO;
  dump->next += size + padding;
  return address;
}

uint64_t cs_dump_bytes(struct cs_dump *dump, const void *bytes, size_t length)
{
  struct cs_rec_name name = {.length = (uint32_t)length};
  name.tag = (struct cs_rec_tag){.tag = CS_TAG_NAME, .size = (uint32_t)((sizeof name + length + 8) & ~(size_t)7)};
  uint64_t address = cs_dump_put(dump, &name, sizeof name);
  char end[16] = {0};
  size_t whole = length & ~(size_t)7;
  if (whole > 0)
    cs_dump_put(dump, bytes, whole);
  memcpy(end, (const char *)bytes + whole, length - whole);
  cs_dump_put(dump, end, 8);
  return address;
}

static bool equal_name(const void *owner, uint32_t number, const void *key)
{
  const struct cs_dump *dump = owner;
  return ((struct cs_dump_name *)cs_vector_at(&dump->names, number))->string == *(const uint32_t *)key;
}

uint64_t cs_dump_string(struct cs_dump *dump, uint32_t string)
{
  const char *text = cs_profile_string(dump->profile, string);
  uint64_t hash = cs_hash_mix(0, string);
  uint32_t known = cs_idset_find(&dump->name_set, hash, dump, &string, equal_name);
  if (known != UINT32_MAX)
    return ((struct cs_dump_name *)cs_vector_at(&dump->names, known))->address;
  uint64_t address = cs_dump_bytes(dump, text, strlen(text));
  struct cs_dump_name *added = cs_vector_add(&dump->names, 1);
  if (added)
    *added = (struct cs_dump_name){.string = string, .address = address};
  if ((!added || cs_idset_add(&dump->name_set, hash, dump->names.count - 1) < 0) && dump->error == 0)
    dump->error = -ENOMEM;
  return address;
}

/* The header is written twice: to keep its place, and when everything is known. */
static void put_header(struct cs_dump *dump)
{
  struct cs_rec_header *header = &dump->header;
  memcpy(header->magic, CS_RECORDING_MAGIC, sizeof CS_RECORDING_MAGIC);
  header->version = CS_RECORDING_VERSION;
  header->header_size = sizeof *header;
  header->base = BASE;
  header->flags = CS_REC_MERGED;
  header->exit_status = -1;
  header->next = header->reserved_size = dump->end - BASE;
  header->timeline_min = UINT64_MAX;
  cs_dump_put(dump, header, sizeof *header);
}

void cs_dump_again(struct cs_dump *dump, uint64_t address)
{
  if (dump->error == 0 && fseeko(dump->out, (off_t)(address - BASE), SEEK_SET) != 0)
    dump->error = -errno;
  if (dump->end < dump->next)
    dump->end = dump->next;
  dump->next = address;
}

static int put_all(struct cs_dump *dump)
{
  int (*const parts[])(struct cs_dump *) = {
      cs_dump_processes,  cs_dump_modules, cs_dump_stages, cs_dump_functions, cs_dump_signatures, cs_dump_contexts,
      cs_dump_histograms, cs_dump_edges,   cs_dump_uses,   cs_dump_rings,     cs_dump_threads,    cs_dump_innermost};
  put_header(dump);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && dump->error == 0; i++) {
    int result = parts[i](dump);
    if (dump->error == 0)
      dump->error = result;
  }
  cs_dump_again(dump, BASE);
  put_header(dump);
  return dump->error;
}

static void release(struct cs_dump *dump)
{
  free(dump->modules);
  free(dump->stages);
  free(dump->kept_stages);
  free(dump->kept_queues);
  free(dump->kept_events);
  free(dump->edges);
  free(dump->rings);
  free(dump->functions);
  free(dump->signatures);
  free(dump->times);
  free(dump->first_edges);
  free(dump->first_tasks);
  free(dump->first_uses);
  free(dump->commands);
  cs_vector_free(&dump->names);
  cs_idset_free(&dump->name_set);
}

int cs_dump_write(struct cs_profile *profile, FILE *out)
{
  struct cs_dump dump = {
      .profile = profile, .out = out, .next = BASE, .end = BASE, .names = CS_VECTOR_OF(struct cs_dump_name)};
  int result = put_all(&dump);
  release(&dump);
  return result;
}

/* A recording, or empty: what may be replaced by a recording. */
static bool is_recording(const char *path)
{
  char magic[sizeof CS_RECORDING_MAGIC];
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return false;
  ssize_t length = read(file, magic, sizeof magic);
  close(file);
  return length == 0 || (length == (ssize_t)sizeof magic && memcmp(magic, CS_RECORDING_MAGIC, sizeof magic) == 0);
}

/* Only an older recording is replaced, and only a file can be written: the header comes last. */
static int check_place(const char *path)
{
  struct stat status;
  if (lstat(path, &status) != 0 || S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode))
    return 0;
  if (!S_ISREG(status.st_mode) || !is_recording(path))
    return cs_stats_fail(-EEXIST, "%s: exists and is not a recording, so it is left alone; name another file", path);
  return 0;
}

int callsig_stats_dump(struct callsig_stats *stats, const char *path)
{
  struct cs_output_file file;
  int result = check_place(path);
  if (result == 0)
    result = cs_output_file_open_private(&file, path);
  if (result < 0)
    return result;
  result = cs_dump_write(&stats->profile, file.stream);
  if (result == -ENOMEM)
    cs_stats_fail(-ENOMEM, "%s: out of memory while it was written", path);
  else if (result < 0)
    errno = -result;
  return cs_output_file_close(&file, result < 0 && result != -ENOMEM ? -EIO : result);
}
