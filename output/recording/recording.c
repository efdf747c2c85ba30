/* Opens a recording, and checks every address before anything behind it is used. */
#define _GNU_SOURCE
#include "output/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/index.h"
#include "output/recording/live.h"
#include "output/recording/steady_copy.h"
#include "output/text/message.h"
#include "output/text/text.h"

/* Every numbered record takes this many bytes at least. */
#define NUMBERED_SIZE 32
_Static_assert(sizeof(struct fmt_rec_variant) >= NUMBERED_SIZE && sizeof(struct fmt_rec_signature) >= NUMBERED_SIZE &&
                   sizeof(struct fmt_rec_context) >= NUMBERED_SIZE && sizeof(struct fmt_rec_event) >= NUMBERED_SIZE,
               "the smallest records that are numbered");

/* Of this many bytes it is asked whether the file has any, before they are searched; a power of two. */
#define SKIPPED (UINT64_C(1) << 20)

/* Before its checksums are compared, nothing is known to be wrong. */
#define UNCHECKED ((struct out_seal_check){.first = UINT64_MAX})

static int check_header(struct out_recording *recording)
{
  if (recording->header.version > FMT_RECORDING_VERSION)
    return out_stats_fail(-ENOTSUP, "%s: written by a newer callsig (recording version %u, this one reads up to %u)",
                          recording->path, recording->header.version, FMT_RECORDING_VERSION);
  if (recording->header.version == 0 || recording->header.header_size < FMT_REC_HEADER_LEAST)
    return out_stats_fail(-EINVAL, "%s: damaged: its header makes no sense", recording->path);
  recording->budget = recording->size * 16;
  return 0;
}

static const void *bytes_at(struct out_recording *recording, uint64_t offset, uint64_t size)
{
  if (recording->copy)
    return (const char *)recording->copy + offset;
  return out_file_windows_at(&recording->windows, offset, size);
}

static int read_header(struct out_recording *recording)
{
  const size_t whole = sizeof recording->header, known = recording->size < whole ? recording->size : whole;
  const void *bytes = known < FMT_REC_HEADER_LEAST ? NULL : bytes_at(recording, 0, known);
  int result = out_recording_failed(recording);
  if (result < 0)
    return result;
  memset(&recording->header, 0, whole);
  if (bytes)
    memcpy(&recording->header, bytes, known);
  const size_t written = recording->header.header_size;
  if (!bytes || memcmp(bytes, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) != 0 ||
      known < (written < whole ? written : whole))
    return out_stats_fail(-EINVAL, "%s: not a callsig recording%s", recording->path,
                          recording->size == 0 ? ": the file is empty" : "");
  /* Behind a header that an older version wrote lies something else. */
  if (written >= FMT_REC_HEADER_LEAST && written < whole)
    memset((char *)&recording->header + written, 0, whole - written);
  return check_header(recording);
}

/* Room for the records' numbers. Only what is used of it becomes memory, so that a huge file of nothing costs nothing.
 */
static int make_numbers(struct out_recording *recording)
{
  size_t size = (recording->size / NUMBERED_SIZE + 1) * sizeof *recording->numbers;
  void *numbers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (numbers == MAP_FAILED)
    return out_stats_fail(-ENOMEM, "%s: too large to read: %zu bytes", recording->path, recording->size);
  recording->numbers = numbers;
  recording->numbers_size = size;
  return 0;
}

/* The file's size now, with room for the numbers of what was added. False: it is as it was, or memory is short. */
static bool take_size(struct out_recording *recording)
{
  struct stat status;
  if (recording->copy || fstat(recording->windows.file, &status) < 0 || (size_t)status.st_size <= recording->size)
    return false;
  size_t size = ((size_t)status.st_size / NUMBERED_SIZE + 1) * sizeof *recording->numbers;
  void *numbers = mremap(recording->numbers, recording->numbers_size, size, MREMAP_MAYMOVE);
  if (numbers == MAP_FAILED)
    return false;
  recording->budget += ((size_t)status.st_size - recording->size) * 16;
  recording->numbers = numbers;
  recording->numbers_size = size;
  recording->size = recording->windows.size = (size_t)status.st_size;
  return true;
}

bool out_recording_grow(struct out_recording *recording)
{
  bool grown = take_size(recording);
  if (grown)
    out_file_windows_forget(&recording->windows);
  return grown;
}

static int attach(int file, const char *path, struct out_recording *recording)
{
  struct stat status;
  *recording = (struct out_recording){.path = path, .file = -1, .first_damage = UINT64_MAX, .check = UNCHECKED};
  if (fstat(file, &status) < 0)
    return out_stats_fail(-errno, "%s: cannot read: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return out_stats_fail(-EINVAL, "%s: not a callsig recording: not a regular file", path);
  recording->size = (size_t)status.st_size;
  if (out_file_windows_open(&recording->windows, file, recording->size) < 0)
    return out_stats_no_memory();
  int result = read_header(recording);
  if (result == 0)
    recording->is_live = !recording->header.seal && out_recording_is_live(file, recording->header.pid);
  /* A process that has ended since may have written to its header meanwhile. */
  if (result == 0 && !recording->is_live && !recording->header.seal) {
    out_file_windows_forget(&recording->windows);
    result = read_header(recording);
  }
  if (result == 0)
    result = make_numbers(recording);
  /* What the header leads to is inside the file as it is now. */
  if (result == 0)
    (void)out_recording_grow(recording);
  return result;
}

/* Takes a copy of a recording that is being written, so that the threads that end meanwhile are in it once. */
static int hold_still(int file, struct out_recording *recording)
{
  void *copy;
  if (!recording->is_live)
    return 0;
  int error = out_steady_copy(file, recording->size, &copy);
  if (error < 0)
    return error == -ENOMEM ? out_stats_no_memory()
                            : out_stats_fail(error, "%s: cannot read: %s", recording->path, strerror(-error));
  if (!copy) {
    out_stats_message(
        "%s: threads end all the time while it is read: calls of theirs may be missing, or be there twice",
        recording->path);
    return 0;
  }
  recording->copy = copy;
  return read_header(recording);
}

/* out_seal_read_fn */
static int read_for_check(void *source, void *bytes, size_t size, uint64_t offset)
{
  struct out_recording *recording = source;
  if (!recording->copy)
    return out_file_read(recording->windows.file, bytes, size, offset);
  uint64_t there = offset >= recording->size ? 0 : recording->size - offset;
  size_t known = there < size ? (size_t)there : size;
  memset((char *)bytes + known, 0, size - known);
  memcpy(bytes, (const char *)recording->copy + (known > 0 ? offset : 0), known);
  return 0;
}

int out_recording_check(struct out_recording *recording)
{
  int error = out_seal_check(read_for_check, recording, &recording->header, recording->size, &recording->check);
  if (error == -ENOMEM)
    return out_stats_no_memory();
  if (error < 0)
    return out_stats_fail(error, "%s: cannot read: %s", recording->path, strerror(-error));
  if (recording->check.first < FMT_REC_HEADER_LEAST)
    return out_stats_fail(-EINVAL, "%s: damaged: its header is not as it was written, so that nothing can be read",
                          recording->path);
  return 0;
}

uint64_t out_recording_lost(const struct out_recording *recording)
{
  return recording->check.bad ? recording->check.records : recording->damaged;
}

/* Where a record may lie next, from the offset on: not in what the file has nothing of. */
static uint64_t next_place(const struct out_recording *recording, uint64_t at)
{
  if (recording->copy || at % SKIPPED != 0)
    return at;
  return out_file_next_data(recording->windows.file, at, recording->size) & ~UINT64_C(7);
}

void out_recording_count_unread(struct out_recording *recording)
{
  const uint64_t least = sizeof(struct fmt_rec_edge);
  recording->unread = 0;
  for (uint64_t at = FMT_REC_HEADER_LEAST; at + least <= recording->size; at = next_place(recording, at + 8)) {
    const struct fmt_rec_tag *record = bytes_at(recording, at, sizeof *record);
    if (record && record->tag == FMT_TAG_EDGE && record->size >= least && recording->numbers[at / NUMBERED_SIZE] == 0 &&
        out_seal_is_good(&recording->check, at, least))
      recording->unread++;
  }
}

/* "cut off at byte 8192 of 16384" */
static void say_where(const struct out_recording *recording, struct out_text *line)
{
  const struct out_seal_check *check = &recording->check;
  uint64_t first = check->first < recording->first_damage ? check->first : recording->first_damage;
  out_text_printf(line, "%s: ", recording->path);
  if (check->whole > recording->size)
    out_text_printf(line, "cut off at byte %llu of %llu", (unsigned long long)recording->size,
                    (unsigned long long)check->whole);
  else if (first != UINT64_MAX)
    out_text_printf(line, "damaged at byte %llu", (unsigned long long)first);
  else
    out_text_puts(line, "damaged");
}

static void say_how_many(const struct out_recording *recording, struct out_text *line)
{
  uint64_t records = out_recording_lost(recording);
  if (records == 0) {
    out_text_puts(line, ": all of its records are there");
    return;
  }
  out_text_printf(line, ": %llu record%s not read", (unsigned long long)records, records == 1 ? " is" : "s are");
  if (recording->unread > 0)
    out_text_printf(line, ", nor up to %llu of calls that only %s to", (unsigned long long)recording->unread,
                    records == 1 ? "it leads" : "they lead");
  out_text_puts(line, "; what is shown lacks them");
}

uint64_t out_recording_tell_damage(const struct out_recording *recording)
{
  const struct out_seal_check *check = &recording->check;
  if ((check->first == UINT64_MAX && recording->damaged == 0) || recording->is_live)
    return 0;
  struct out_text line = {0};
  say_where(recording, &line);
  say_how_many(recording, &line);
  out_stats_message("%s", line.failed ? "out of memory while damage of a recording was told" : out_text_string(&line));
  out_text_free(&line);
  uint64_t records = out_recording_lost(recording);
  return records > 0 ? records : 1;
}

int out_recording_attach(int file, const char *path, struct out_recording *recording)
{
  int result = attach(file, path, recording);
  if (result < 0)
    out_recording_close(recording);
  return result;
}

int out_recording_read_file(int file, const char *path, struct out_recording *recording)
{
  int result = out_recording_attach(file, path, recording);
  if (result < 0)
    return result;
  result = hold_still(file, recording);
  if (result == 0)
    result = out_recording_check(recording);
  if (result < 0) {
    out_recording_close(recording);
    return result;
  }
  /* Records are followed from the newest one back, which no file system expects. */
  posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
  /* Fewer page faults; without huge pages it works all the same. */
  madvise(recording->numbers, recording->numbers_size, MADV_HUGEPAGE);
  return 0;
}

int out_recording_open(const char *path)
{
  /* O_NONBLOCK: a FIFO of that name must not make this wait. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  return file < 0 ? out_stats_fail(-errno, "%s: cannot open: %s", path, strerror(errno)) : file;
}

int out_recording_read(const char *path, struct out_recording *recording)
{
  *recording = (struct out_recording){.path = path, .file = -1, .check = UNCHECKED};
  int file = out_recording_open(path);
  if (file < 0)
    return file;
  int result = out_recording_read_file(file, path, recording);
  if (result < 0)
    close(file);
  else
    recording->file = file;
  return result;
}

int out_recording_from_memory(const char *path, const void *data, size_t size, struct out_recording *recording)
{
  *recording =
      (struct out_recording){.path = path, .file = -1, .size = size, .first_damage = UINT64_MAX, .check = UNCHECKED};
  void *copy = malloc(size + 1);
  if (!copy)
    return out_stats_no_memory();
  if (size > 0)
    memcpy(copy, data, size);
  recording->copy = copy;
  int result = read_header(recording);
  if (result == 0)
    result = make_numbers(recording);
  if (result == 0)
    result = out_recording_check(recording);
  if (result < 0)
    out_recording_close(recording);
  return result;
}

void out_recording_close(struct out_recording *recording)
{
  if (recording->numbers)
    munmap(recording->numbers, recording->numbers_size);
  if (recording->file >= 0)
    close(recording->file);
  free((void *)recording->copy);
  out_file_windows_close(&recording->windows);
  out_seal_check_free(&recording->check);
  recording->copy = NULL;
  recording->numbers = NULL;
  recording->file = -1;
}

bool out_recording_has(const struct out_recording *recording, uint64_t address, uint64_t size)
{
  uint64_t offset = address - recording->header.base;
  return address >= recording->header.base && offset % 8 == 0 && offset <= recording->size &&
         size <= recording->size - offset;
}

const void *out_recording_bytes(struct out_recording *recording, uint64_t address, uint64_t size)
{
  if (!out_recording_has(recording, address, size) ||
      !out_seal_is_good(&recording->check, address - recording->header.base, size))
    return NULL;
  return bytes_at(recording, address - recording->header.base, size);
}

bool out_recording_read_again(const struct out_recording *recording, uint64_t address, void *bytes, size_t size)
{
  if (recording->copy || !out_recording_has(recording, address, size) ||
      !out_seal_is_good(&recording->check, address - recording->header.base, size))
    return false;
  return pread(recording->windows.file, bytes, size, (off_t)(address - recording->header.base)) == (ssize_t)size;
}

/* A record, as out_recording_record() finds it, and the size of all of it. */
static const void *find_record(struct out_recording *recording, uint64_t address, uint32_t tag, size_t size,
                               uint32_t *whole)
{
  const struct fmt_rec_tag *record = out_recording_bytes(recording, address, size);
  if (!record || record->tag != tag || record->size < size || !out_recording_has(recording, address, record->size))
    return NULL;
  *whole = record->size;
  return record;
}

const void *out_recording_record(struct out_recording *recording, uint64_t address, uint32_t tag, size_t size)
{
  uint32_t whole;
  return find_record(recording, address, tag, size, &whole);
}

int out_recording_failed(const struct out_recording *recording)
{
  int error = recording->windows.error;
  if (error == -ENOMEM)
    return out_stats_no_memory();
  return error < 0 ? out_stats_fail(error, "%s: cannot read: %s", recording->path, strerror(-error)) : 0;
}

bool out_recording_spend(struct out_recording *recording, uint64_t bytes)
{
  if (bytes > recording->budget)
    return false;
  recording->budget -= bytes;
  return true;
}

const char *out_recording_name(struct out_recording *recording, uint64_t address, size_t *length)
{
  uint32_t whole;
  const struct fmt_rec_name *name = find_record(recording, address, FMT_TAG_NAME, sizeof *name, &whole);
  if (!name || name->length > whole - sizeof *name || !out_recording_spend(recording, name->length))
    return NULL;
  *length = name->length;
  return out_recording_bytes(recording, address + sizeof *name, *length);
}

int out_recording_next(struct out_recording *recording, struct base_vector *list, uint64_t address, uint32_t tag,
                       void *record, size_t size)
{
  uint32_t number;
  struct out_record found;
  if (!address)
    return 0;
  int result = out_recording_number(recording, list, address, tag, size, &number, &found);
  if (result != OUT_RECORD_NEW)
    return result < 0 ? result : 0;
  memcpy(record, found.data, size);
  return 1;
}

/* Where the number of the record at `address`, which is inside the file, is kept: 0 for none, else one more than it. */
static uint32_t *number_at(const struct out_recording *recording, uint64_t address)
{
  return &recording->numbers[(address - recording->header.base) / NUMBERED_SIZE];
}

uint32_t out_recording_known(const struct out_recording *recording, const struct base_vector *list, uint64_t address)
{
  if (!out_recording_has(recording, address, sizeof(struct fmt_rec_tag)))
    return FMT_NONE;
  uint32_t number = *number_at(recording, address) - 1;
  return number < list->count && *(uint64_t *)base_vector_at(list, number) == address ? number : FMT_NONE;
}

void out_recording_forget_numbers(struct out_recording *recording)
{
  /* Pages that are given back are 0 when they are looked at next. */
  if (madvise(recording->numbers, recording->numbers_size, MADV_DONTNEED) != 0)
    memset(recording->numbers, 0, recording->numbers_size);
}

void out_recording_unnumber(struct out_recording *recording, struct base_vector *list)
{
  for (uint32_t i = 0; i < list->count; i++)
    *number_at(recording, *(uint64_t *)base_vector_at(list, i)) = 0;
  list->count = 0;
}

void out_recording_renew(struct out_recording *recording)
{
  out_recording_forget_numbers(recording);
  recording->damaged = 0;
  recording->first_damage = UINT64_MAX;
  recording->budget = recording->size * 16;
}

int out_recording_begin_anew(struct out_recording *recording)
{
  out_recording_renew(recording);
  out_file_windows_forget(&recording->windows);
  return read_header(recording);
}

int out_recording_number(struct out_recording *recording, struct base_vector *list, uint64_t address, uint32_t tag,
                         size_t size, uint32_t *number, struct out_record *record)
{
  uint32_t *slot = out_recording_has(recording, address, size) ? number_at(recording, address) : NULL;
  *number = slot ? *slot - 1 : FMT_NONE;
  if (*number < list->count && *(uint64_t *)base_vector_at(list, *number) == address)
    return OUT_RECORD_KNOWN;
  /* Something else begins so near that this cannot be a record, too. */
  bool taken = *number != FMT_NONE;
  *number = FMT_NONE;
  record->data = slot && !taken ? find_record(recording, address, tag, size, &record->size) : NULL;
  if (!record->data) {
    recording->damaged++;
    if (recording->first_damage == UINT64_MAX)
      recording->first_damage = slot ? address - recording->header.base : recording->size;
    return OUT_RECORD_BAD;
  }
  uint64_t *added = base_vector_add(list, 1);
  if (!added)
    return -ENOMEM;
  *added = address;
  *number = list->count - 1;
  *slot = list->count;
  return OUT_RECORD_NEW;
}
