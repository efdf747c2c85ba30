/* Changes the records of a recording: their fields, what they refer to, their sizes and their order. */
#include <stdbool.h>
#include <stdlib.h>

#include "format/seal.h"
#include "output/recording/seal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/random.h"

enum { RECORDS_MAX = 1 << 16, CHANGES_MAX = 6 };

struct records {
  uint8_t *data;
  size_t size;
  uint64_t base;
  uint32_t count;
  uint32_t *at; /* offsets */
};

/* The size may have been changed: it is not more than there is. */
static struct fmt_rec_tag tag_at(const struct records *records, uint32_t number)
{
  struct fmt_rec_tag tag;
  uint64_t left = records->size - records->at[number];
  memcpy(&tag, records->data + records->at[number], sizeof tag);
  tag.size = tag.size < left ? tag.size : (uint32_t)left;
  return tag;
}

/* Every word that is a tag, behind the header. */
static void find_records(struct records *records)
{
  for (size_t at = sizeof(struct fmt_rec_header); at + 8 <= records->size && records->count < RECORDS_MAX; at += 8) {
    uint64_t word;
    memcpy(&word, records->data + at, sizeof word);
    if (fmt_rec_is_tag(word, records->size - at))
      records->at[records->count++] = (uint32_t)at;
  }
}

static uint32_t any(const struct records *records, uint64_t *random)
{
  return (uint32_t)(fuzz_random(random) % records->count);
}

/* Another record of the same kind, where the first tries find one. */
static uint32_t like(const struct records *records, uint32_t number, uint64_t *random)
{
  for (unsigned tries = 0; tries < 32; tries++) {
    uint32_t other = any(records, random);
    if (other != number && tag_at(records, other).tag == tag_at(records, number).tag)
      return other;
  }
  return any(records, random);
}

/* A word of the record behind its tag; its offset in the file. */
static size_t any_word(const struct records *records, uint32_t number, uint64_t *random)
{
  uint32_t words = tag_at(records, number).size / 8;
  /* Long records have what matters in front. */
  uint64_t limit = words > 24 && fuzz_random(random) % 4 ? 24 : words;
  return records->at[number] + (limit > 1 ? 1 + fuzz_random(random) % (limit - 1) : 0) * 8;
}

static void swap_records(const struct records *records, uint32_t one, uint32_t other)
{
  uint32_t size = tag_at(records, one).size, other_size = tag_at(records, other).size;
  uint8_t *a = records->data + records->at[one], *b = records->data + records->at[other];
  size_t distance = (size_t)(a > b ? a - b : b - a);
  for (uint32_t i = 8; i < size && i < other_size && i < distance; i++) {
    uint8_t kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

static void change_record(const struct records *records, uint64_t *random)
{
  uint32_t number = any(records, random), other = like(records, number, random);
  size_t word = any_word(records, number, random);
  uint64_t reference = records->base + records->at[fuzz_random(random) % 2 ? other : any(records, random)];
  struct fmt_rec_tag tag = tag_at(records, number);
  switch (fuzz_random(random) % 8) {
  case 0:
  case 1:
    memcpy(records->data + word, &reference, sizeof reference);
    break;
  case 2:
    fuzz_change_field(records->data + word + fuzz_random(random) % 2 * 4, 4, random);
    break;
  case 3:
    swap_records(records, number, other);
    break;
  case 4: /* the same as another, at the same field */
    memmove(records->data + word, records->data + any_word(records, other, random), 8);
    break;
  case 5:
    tag.size = fuzz_random(random) % 2 ? tag.size + 8 : tag.size - (tag.size > 8 ? 8 : 0);
    memcpy(records->data + records->at[number], &tag, sizeof tag);
    break;
  case 6:
    tag.tag = tag_at(records, any(records, random)).tag;
    memcpy(records->data + records->at[number], &tag, sizeof tag);
    break;
  default:
    fuzz_change_field(records->data + word, 8, random);
  }
}

/* A field of the header behind magic, version and size; rarely, and never what leads to all records at once. */
static void change_header(struct fmt_rec_header *header, const struct records *records, uint64_t *random)
{
  size_t words = (offsetof(struct fmt_rec_header, seal) - 40) / 8;
  uint8_t *at = (uint8_t *)header + 40 + fuzz_random(random) % words * 8;
  uint64_t reference = records->base + records->at[any(records, random)];
  if (fuzz_random(random) % 2)
    memcpy(at, &reference, sizeof reference);
  else
    fuzz_change_field(at, 8, random);
}

/* out_seal_read_fn */
static int read_bytes(void *source, void *bytes, size_t size, uint64_t offset)
{
  memcpy(bytes, (const uint8_t *)source + offset, size);
  return 0;
}

/* Gives it a seal that fits; its new size. */
static size_t seal_of(uint8_t *data, size_t size, size_t room, uint64_t base)
{
  struct fmt_rec_seal *made;
  size_t covered = size & ~(size_t)7, whole = covered + fmt_rec_seal_size(covered);
  uint64_t address = base + covered;
  if (whole > room || out_seal_make(read_bytes, data, address, covered, &made) < 0)
    return size;
  memcpy(data + offsetof(struct fmt_rec_header, seal), &address, sizeof address);
  memcpy(data + covered, made, made->tag.size);
  free(made);
  return whole;
}

size_t fuzz_mutate_recording(uint8_t *data, size_t size, size_t room, uint64_t seed)
{
  struct fmt_rec_header header;
  if (size < sizeof header || memcmp(data, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC) != 0)
    return 0;
  memcpy(&header, data, sizeof header);
  /* A seal of before would hide everything else. */
  if (header.seal && header.seal - header.base < size && header.seal - header.base >= sizeof header)
    size = (size_t)(header.seal - header.base);
  struct records records = {
      .data = data, .size = size, .base = header.base, .at = malloc(RECORDS_MAX * sizeof *records.at)};
  if (!records.at)
    return 0;
  find_records(&records);
  for (uint64_t i = records.count ? fuzz_random(&seed) % CHANGES_MAX + 1 : 0; i > 0; i--)
    change_record(&records, &seed);
  if (records.count && fuzz_random(&seed) % 8 == 0)
    change_header(&header, &records, &seed);
  header.next = size;
  header.seal = 0;
  memcpy(data, &header, sizeof header);
  bool found = records.count > 0;
  free(records.at);
  if (found && fuzz_random(&seed) % 16 == 0)
    size = seal_of(data, size, room, header.base);
  return found ? size : 0;
}
