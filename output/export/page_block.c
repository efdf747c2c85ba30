/* Writes the data of a page: sections, numbers, texts, all of it compressed and in letters. */
#include "output/export/page_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/gzip.h"

static const char magic[8] = "callsig1";

void out_page_block_init(struct out_page_block *block)
{
  *block = (struct out_page_block){.strings = base_strings_new(), .offsets = BASE_VECTOR_OF(uint32_t)};
  block->failed = !block->strings || !base_vector_add(&block->offsets, 1);
}

void out_page_block_free(struct out_page_block *block)
{
  out_text_free(&block->sections);
  out_text_free(&block->section);
  if (block->strings)
    base_strings_free(block->strings);
  base_vector_free(&block->offsets);
}

void out_page_section(struct out_page_block *block, const char *name)
{
  memcpy(block->name, name, sizeof block->name);
}

static void put_little(struct out_text *text, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    out_text_putc(text, (char)(value >> (8 * i)));
}

void out_page_section_end(struct out_page_block *block)
{
  block->failed |= block->section.failed || block->section.length > UINT32_MAX;
  out_text_add(&block->sections, block->name, sizeof block->name);
  put_little(&block->sections, block->section.length, 4);
  if (block->section.length > 0)
    out_text_add(&block->sections, block->section.data, block->section.length);
  out_text_clear(&block->section);
}

void out_page_number(struct out_page_block *block, uint64_t value)
{
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[count++] = (char)(value | 0x80);
  bytes[count++] = (char)value;
  out_text_add(&block->section, bytes, count);
}

void out_page_signed(struct out_page_block *block, int64_t value)
{
  out_page_number(block, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void out_page_double(struct out_page_block *block, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_little(&block->section, bits, sizeof bits);
}

void out_page_single(struct out_page_block *block, double value)
{
  const float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  put_little(&block->section, bits, sizeof bits);
}

uint32_t out_page_text(struct out_page_block *block, const char *text)
{
  uint32_t offset, low = 0, high = block->offsets.count;
  if (block->failed || base_strings_add(block->strings, text, &offset) < 0) {
    block->failed = true;
    return 0;
  }
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (*(const uint32_t *)base_vector_at(&block->offsets, middle) < offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == block->offsets.count) {
    uint32_t *added = base_vector_add(&block->offsets, 1);
    block->failed |= !added;
    if (added)
      *added = offset;
  }
  return low;
}

/* Bytes as letters, in one line. */
static int write_letters(const unsigned char *bytes, size_t size, FILE *out)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i < 3 ? size - i : 3;
    const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0u) |
                           (left > 2 ? (uint32_t)bytes[i + 2] : 0u);
    const char four[4] = {letters[group >> 18], letters[group >> 12 & 63], left > 1 ? letters[group >> 6 & 63] : '=',
                          left > 2 ? letters[group & 63] : '='};
    if (fwrite(four, 1, sizeof four, out) != sizeof four)
      return -EIO;
  }
  return 0;
}

static int pack(const struct out_page_block *block, FILE *out)
{
  struct out_gzip gzip;
  int result = out_gzip_begin(&gzip, out);
  if (result < 0)
    return result;
  result = out_gzip_write(&gzip, magic, sizeof magic);
  if (result == 0)
    result = out_gzip_write(&gzip, block->sections.data, block->sections.length);
  return out_gzip_end(&gzip, result);
}

int out_page_block_write(struct out_page_block *block, FILE *out)
{
  size_t size = 0;
  char *data = NULL;
  if (block->failed)
    return -ENOMEM;
  const char *texts = base_strings_data(block->strings, &size);
  out_page_section(block, "text");
  out_text_add(&block->section, texts, size);
  out_page_section_end(block);
  if (block->failed || block->sections.failed)
    return -ENOMEM;
  FILE *memory = open_memstream(&data, &size);
  if (!memory)
    return -ENOMEM;
  int result = pack(block, memory);
  if (fclose(memory) != 0 || result < 0 || !data)
    result = -ENOMEM;
  if (result == 0)
    result = write_letters((const unsigned char *)data, size, out);
  free(data);
  return result;
}
