#define _GNU_SOURCE
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callsig/format/index.h"
#include "message.h"

/* The size that the first version wrote: what every recording has. */
#define HEADER_SIZE sizeof(struct cs_rec_header)

/* Bytes that an attached recording reads at a time. */
#define PIECE UINT64_C(16384)

static int check_header(struct cs_recording *recording)
{
  if (recording->size < HEADER_SIZE || memcmp(recording->data, CS_RECORDING_MAGIC, sizeof CS_RECORDING_MAGIC) != 0)
    return cs_stats_fail(-EINVAL, "%s: not a callsig recording%s", recording->path,
                         recording->size == 0 ? ": the file is empty" : "");
  memcpy(&recording->header, recording->data, HEADER_SIZE);
  if (recording->header.version > CS_RECORDING_VERSION)
    return cs_stats_fail(-ENOTSUP, "%s: written by a newer callsig (recording version %u, this one reads up to %u)",
                         recording->path, recording->header.version, CS_RECORDING_VERSION);
  if (recording->header.version == 0 || recording->header.header_size < HEADER_SIZE)
    return cs_stats_fail(-EINVAL, "%s: damaged: its header makes no sense", recording->path);
  recording->budget = recording->size * 16;
  return 0;
}

/* Reads [from, to) of the file. A file that shrinks meanwhile leaves zeros. */
static int read_extent(int file, struct cs_recording *recording, off_t from, off_t to)
{
  while (from < to) {
    ssize_t got = pread(file, recording->data + from, (size_t)(to - from), from);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cs_stats_fail(-errno, "%s: cannot read: %s", recording->path, strerror(errno));
    if (got == 0)
      break;
    from += got;
  }
  return 0;
}

/* A recording is never sparse as the runtime writes it, but a copy may be: holes are stepped over, so that a huge file
 * of nothing costs nothing. */
static int read_all(int file, struct cs_recording *recording, const struct stat *status)
{
  off_t size = (off_t)recording->size;
  if (status->st_blocks * 512 >= size)
    return read_extent(file, recording, 0, size);
  for (off_t at = 0; at < size;) {
    off_t from = lseek(file, at, SEEK_DATA);
    if (from < 0 && errno == ENXIO)
      break;
    off_t to = from < 0 ? -1 : lseek(file, from, SEEK_HOLE);
    if (to < 0)
      return read_extent(file, recording, at, size);
    if (to > size)
      to = size;
    int result = read_extent(file, recording, from, to);
    if (result < 0)
      return result;
    at = to;
  }
  return 0;
}

static int allocate(struct cs_recording *recording, size_t size)
{
  recording->size = size;
  if (size == 0)
    return 0;
  void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return cs_stats_fail(-ENOMEM, "%s: too large to read: %zu bytes", recording->path, size);
  recording->data = data;
  /* Fewer page faults; without huge pages it is read all the same. */
  madvise(data, size, MADV_HUGEPAGE);
  return 0;
}

/* Makes room for the file. */
static int prepare(int file, struct cs_recording *recording, struct stat *status)
{
  if (fstat(file, status) < 0)
    return cs_stats_fail(-errno, "%s: cannot read: %s", recording->path, strerror(errno));
  if (!S_ISREG(status->st_mode))
    return cs_stats_fail(-EINVAL, "%s: not a callsig recording: not a regular file", recording->path);
  return allocate(recording, (size_t)status->st_size);
}

int cs_recording_read_file(int file, const char *path, struct cs_recording *recording)
{
  struct stat status;
  *recording = (struct cs_recording){.path = path};
  int result = prepare(file, recording, &status);
  if (result == 0)
    result = read_all(file, recording, &status);
  if (result == 0)
    result = check_header(recording);
  if (result < 0)
    cs_recording_close(recording);
  return result;
}

int cs_recording_open(const char *path)
{
  /* O_NONBLOCK: a FIFO of that name must not make this wait. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  return file < 0 ? cs_stats_fail(-errno, "%s: cannot open: %s", path, strerror(errno)) : file;
}

int cs_recording_read(const char *path, struct cs_recording *recording)
{
  *recording = (struct cs_recording){.path = path};
  int file = cs_recording_open(path);
  if (file < 0)
    return file;
  int result = cs_recording_read_file(file, path, recording);
  close(file);
  return result;
}

/* Reads the pieces that hold [offset, offset + size), which is inside the file, and were not read yet. */
static bool fetch(struct cs_recording *recording, uint64_t offset, uint64_t size)
{
  for (uint64_t piece = offset / PIECE; size > 0 && piece <= (offset + size - 1) / PIECE; piece++) {
    if (recording->present[piece])
      continue;
    uint64_t from = piece * PIECE, to = from + PIECE;
    if (to > recording->size)
      to = recording->size;
    for (uint64_t at = from; at < to;) {
      ssize_t got = pread(recording->file, recording->data + at, (size_t)(to - at), (off_t)at);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return false;
      if (got == 0)
        break;
      at += (uint64_t)got;
    }
    recording->present[piece] = 1;
  }
  return true;
}

int cs_recording_attach(int file, const char *path, struct cs_recording *recording)
{
  struct stat status;
  *recording = (struct cs_recording){.path = path, .file = file};
  int result = prepare(file, recording, &status);
  if (result == 0) {
    recording->present = calloc(recording->size / PIECE + 1, 1);
    result = recording->present ? 0 : cs_stats_no_memory();
  }
  if (result == 0 && !fetch(recording, 0, recording->size < HEADER_SIZE ? recording->size : HEADER_SIZE))
    result = cs_stats_fail(-EIO, "%s: cannot read: %s", path, strerror(errno));
  if (result == 0)
    result = check_header(recording);
  if (result < 0)
    cs_recording_close(recording);
  return result;
}

int cs_recording_from_memory(const char *path, const void *data, size_t size, struct cs_recording *recording)
{
  *recording = (struct cs_recording){.path = path};
  int result = allocate(recording, size);
  if (result < 0)
    return result;
  if (size > 0)
    memcpy(recording->data, data, size);
  result = check_header(recording);
  if (result < 0)
    cs_recording_close(recording);
  return result;
}

void cs_recording_close(struct cs_recording *recording)
{
  if (recording->data)
    munmap(recording->data, recording->size);
  free(recording->present);
  recording->data = NULL;
  recording->present = NULL;
}

void *cs_recording_bytes(struct cs_recording *recording, uint64_t address, uint64_t size)
{
  uint64_t offset = address - recording->header.base;
  if (address < recording->header.base || offset % 8 != 0 || offset > recording->size ||
      size > recording->size - offset)
    return NULL;
  if (recording->present && !fetch(recording, offset, size))
    return NULL;
  return recording->data + offset;
}

void *cs_recording_record(struct cs_recording *recording, uint64_t address, uint32_t tag, size_t size)
{
  struct cs_rec_tag *record = cs_recording_bytes(recording, address, sizeof *record);
  if (!record || record->tag != tag || record->size < size)
    return NULL;
  return cs_recording_bytes(recording, address, record->size);
}

bool cs_recording_spend(struct cs_recording *recording, uint64_t bytes)
{
  if (bytes > recording->budget)
    return false;
  recording->budget -= bytes;
  return true;
}

const char *cs_recording_name(struct cs_recording *recording, uint64_t address, size_t *length)
{
  struct cs_rec_name *name = cs_recording_record(recording, address, CS_TAG_NAME, sizeof *name);
  if (!name || name->length > name->tag.size - sizeof *name || !cs_recording_spend(recording, name->length))
    return NULL;
  *length = name->length;
  return name->text;
}

/* No tag that the format knows. */
static uint32_t mark_of(uint32_t tag)
{
  return ~tag;
}

int cs_recording_next(struct cs_recording *recording, struct cs_vector *list, uint64_t address, uint32_t tag,
                      void *record, size_t size)
{
  uint32_t number;
  struct cs_record found;
  if (!address)
    return 0;
  int result = cs_recording_number(recording, list, address, tag, size, &number, &found);
  if (result != CS_RECORD_NEW)
    return result < 0 ? result : 0;
  memcpy(record, found.data, size);
  return 1;
}

uint32_t cs_recording_known(struct cs_recording *recording, const struct cs_vector *list, uint64_t address,
                            uint32_t tag)
{
  struct cs_rec_tag *record = cs_recording_bytes(recording, address, sizeof *record);
  if (!record || record->tag != mark_of(tag) || record->size >= list->count ||
      *(uint64_t *)cs_vector_at(list, record->size) != address)
    return CS_NONE;
  return record->size;
}

int cs_recording_number(struct cs_recording *recording, struct cs_vector *list, uint64_t address, uint32_t tag,
                        size_t size, uint32_t *number, struct cs_record *record)
{
  *number = cs_recording_known(recording, list, address, tag);
  if (*number != CS_NONE)
    return CS_RECORD_KNOWN;
  struct cs_rec_tag *found = cs_recording_record(recording, address, tag, size);
  if (!found) {
    recording->damaged++;
    return CS_RECORD_BAD;
  }
  uint64_t *added = cs_vector_add(list, 1);
  if (!added)
    return -ENOMEM;
  *added = address;
  *number = list->count - 1;
  *record = (struct cs_record){.data = found, .size = found->size};
  found->tag = mark_of(tag);
  found->size = *number;
  return CS_RECORD_NEW;
}
