/* Changes entries of a signature index, field by field; the target puts the checksum right. */
#include <stddef.h>

#include "format/index.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/random.h"

enum { CHANGES_MAX = 4 };

/* A section that has entries inside of the file; false: none was found. */
static int choose(const uint8_t *data, size_t size, struct fmt_index_section *section, uint64_t *random)
{
  uint32_t count;
  memcpy(&count, data + offsetof(struct fmt_index_header, section_count), sizeof count);
  for (unsigned tries = 0; tries < 32 && count > 0 && count <= FMT_SECTION_COUNT; tries++) {
    size_t at = offsetof(struct fmt_index_header, sections) + fuzz_random(random) % count * sizeof *section;
    if (at + sizeof *section > size)
      return 0;
    memcpy(section, data + at, sizeof *section);
    if (section->count && section->entry_size && section->entry_size < size && section->offset < size &&
        section->count <= (size - section->offset) / section->entry_size)
      return 1;
  }
  return 0;
}

size_t fuzz_mutate_index(uint8_t *data, size_t size, size_t room, uint64_t seed)
{
  struct fmt_index_section section;
  (void)room;
  if (size < FMT_INDEX_HEADER_MIN || memcmp(data, FMT_INDEX_MAGIC, sizeof FMT_INDEX_MAGIC) != 0)
    return 0;
  for (uint64_t i = fuzz_random(&seed) % CHANGES_MAX + 1; i > 0; i--) {
    static const size_t widths[] = {1, 2, 4, 8};
    if (!choose(data, size, &section, &seed))
      return 0;
    size_t width = widths[fuzz_random(&seed) % 4];
    while (section.entry_size % width != 0)
      width /= 2;
    size_t place = fuzz_random(&seed) % (section.entry_size / width) * width;
    uint8_t *entries = data + section.offset + place;
    uint8_t *field = entries + fuzz_random(&seed) % section.count * section.entry_size;
    if (fuzz_random(&seed) % 4 == 0)
      memmove(field, entries + fuzz_random(&seed) % section.count * section.entry_size, width);
    else
      fuzz_change_field(field, width, &seed);
  }
  return size;
}
