/* Writes samples into a recording, behind all that is there. */
#include "cli/beside/samples_record.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/beside/recording_end.h"
#include "symbols/base/addressmap.h"

/* The bytes that are appended; references in them are addresses in the recorded process. */
struct writer {
  struct base_vector bytes; /* char */
  uint64_t address;         /* of the first of them */
  const struct cli_samples *samples;
  struct sym_address_map names; /* string -> offset of its record in `bytes` */
};

/* Appends zeroes, of which there are a multiple of 8: their offset. -ENOMEM; -E2BIG beyond 4 GiB. */
static int reserve(struct writer *writer, uint64_t size, uint32_t *offset)
{
  size = (size + 7) & ~UINT64_C(7);
  *offset = writer->bytes.count;
  if (size > UINT32_MAX - writer->bytes.count)
    return -E2BIG;
  return base_vector_add(&writer->bytes, (uint32_t)size) != NULL ? 0 : -ENOMEM;
}

static int put_text(struct writer *writer, const char *text, uint32_t *offset)
{
  size_t length = strlen(text);
  struct fmt_rec_name name = {.tag = {.tag = FMT_TAG_NAME, .size = (uint32_t)((sizeof name + length + 8) & ~(size_t)7)},
                              .length = (uint32_t)length};
  int error = length > UINT32_MAX / 2 ? -E2BIG : reserve(writer, name.tag.size, offset);
  if (error < 0)
    return error;
  char *at = base_vector_at(&writer->bytes, *offset);
  memcpy(at, &name, sizeof name);
  memcpy(at + sizeof name, text, length + 1);
  return 0;
}

/* The address of a string's record, written when it is new; 0 for string 0. */
static int put_string(struct writer *writer, uint32_t string, uint64_t *address)
{
  *address = 0;
  if (string == 0)
    return 0;
  uint32_t offset = sym_address_map_get(&writer->names, string);
  int error = 0;
  if (offset == UINT32_MAX) {
    error = put_text(writer, base_strings_at(writer->samples->strings, string), &offset);
    if (error == 0)
      error = sym_address_map_put(&writer->names, string, offset);
  }
  *address = writer->address + offset;
  return error;
}

static int put_places(struct writer *writer, const struct base_vector *places, struct fmt_rec_place *records)
{
  int error = 0;
  for (uint32_t i = 0; error == 0 && i < places->count; i++) {
    const struct cli_place *place = base_vector_at(places, i);
    records[i] = (struct fmt_rec_place){.samples = place->samples, .line = place->line, .parent = place->parent};
    error = put_string(writer, place->name, &records[i].name);
    if (error == 0)
      error = put_string(writer, place->file, &records[i].file);
  }
  return error;
}

/* CPU time without what the samples took. */
static uint64_t used_time(const struct cli_samples *samples, uint64_t accounted)
{
  const uint64_t taken = (samples->total + samples->others) * samples->price_ns;
  return accounted > taken ? accounted - taken : 0;
}

/* Makes all that is appended; *record is the address of the record that leads to the rest. */
static int make(struct writer *writer, const struct base_vector *places, const struct cli_sampled_run *run,
                uint64_t *record)
{
  uint64_t size = places->count * sizeof(struct fmt_rec_place);
  const struct cli_samples *samples = writer->samples;
  struct fmt_rec_samples head = {.tag = {.tag = FMT_TAG_SAMPLES},
                                 .period = samples->period_ns * 1024,
                                 .samples = samples->total,
                                 .unmapped = samples->unmapped,
                                 .others = samples->others,
                                 .lost = samples->lost,
                                 .used_ns = used_time(samples, run->used_ns),
                                 .method = samples->method,
                                 .exit_status = run->status,
                                 .flags = run->flags,
                                 .count = places->count};
  struct fmt_rec_place *records = size > UINT32_MAX - sizeof head ? NULL : malloc(size + 1);
  uint32_t offset = 0;
  if (records == NULL)
    return -ENOMEM;
  head.tag.size = (uint32_t)(sizeof head + size);
  int error = put_places(writer, places, records);
  if (error == 0)
    error = put_text(writer, run->program, &offset);
  head.program = writer->address + offset;
  if (error == 0)
    error = reserve(writer, head.tag.size, &offset);
  if (error == 0) {
    char *at = base_vector_at(&writer->bytes, offset);
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, records, size);
    *record = writer->address + offset;
  }
  free(records);
  return error;
}

static int write_all(int file, const void *data, size_t size, uint64_t offset)
{
  const char *next = data;
  while (size > 0) {
    ssize_t written = pwrite(file, next, size, (off_t)offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? -errno : -EIO;
    next += written;
    offset += (uint64_t)written;
    size -= (size_t)written;
  }
  return 0;
}

int cli_samples_write(const char *path, pid_t pid, const struct cli_samples *samples, const struct base_vector *places,
                      const struct cli_sampled_run *run)
{
  struct fmt_rec_header header = {0};
  uint64_t end = 0, record = 0;
  int file = cli_recording_end(path, pid, &header, &end);
  if (file < 0)
    return file;
  struct writer writer = {.bytes = BASE_VECTOR_OF(char), .address = header.base + end, .samples = samples};
  int error = make(&writer, places, run, &record);
  /* The reference comes last, so that a disk that is full leaves the recording as it was. */
  if (error == 0)
    error = write_all(file, writer.bytes.data, writer.bytes.count, end);
  const uint64_t next = end + writer.bytes.count;
  if (error == 0)
    error = write_all(file, &next, sizeof next, offsetof(struct fmt_rec_header, next));
  if (error == 0)
    error = write_all(file, &record, sizeof record, offsetof(struct fmt_rec_header, samples));
  if (close(file) != 0 && error == 0)
    error = -errno;
  base_vector_free(&writer.bytes);
  sym_address_map_free(&writer.names);
  return error;
}
