/* Writes single words of signatures as text. */
#include "output/stats/render_number.h"

#include <string.h>

#include "output/profile/argument_value.h"

/* Enumerators ascend by value. */
const char *out_enumerator_name(const struct fmt_index *index, const struct fmt_index_type *type, int64_t value)
{
  const struct fmt_index_enumerator *list = &index->enumerators[type->first_enumerator];
  uint32_t low = 0, high = type->enumerator_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list[middle].value < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low < type->enumerator_count && list[low].value == value ? fmt_index_string(index, list[low].name) : NULL;
}

static void render_integer(const struct fmt_index_type *type, uint64_t word, struct out_text *text)
{
  if (type->kind == FMT_TYPE_POINTER)
    out_text_printf(text, "0x%llx", (unsigned long long)word);
  else if (type->kind == FMT_TYPE_UNSIGNED || (!type->is_signed && type->kind != FMT_TYPE_SIGNED) || word >> 63 == 0)
    out_text_integer(text, word, 0);
  else
    out_text_printf(text, "%lld", (long long)word);
}

static void put_name(struct out_text *text, const char *name)
{
  out_text_printable(text, name, strlen(name));
}

/* A|B|0x10: the enumerators whose bits are all set, then the bits that none of them names. */
static void render_flags(const struct fmt_index *index, const struct fmt_index_type *type, uint64_t word,
                         struct out_text *text)
{
  uint64_t rest = word;
  const char *separator = "";
  for (uint32_t i = 0; i < type->enumerator_count; i++) {
    const struct fmt_index_enumerator *one = &index->enumerators[type->first_enumerator + i];
    uint64_t bits = (uint64_t)one->value;
    if (bits == 0 || (word & bits) != bits || (rest & bits) == 0)
      continue;
    out_text_puts(text, separator);
    put_name(text, fmt_index_string(index, one->name));
    rest &= ~bits;
    separator = "|";
  }
  if (rest)
    out_text_printf(text, "%s0x%llx", separator, (unsigned long long)rest);
  else if (word == 0)
    out_text_putc(text, '0');
}

void out_render_number(const struct fmt_index *index, const struct fmt_index_type *type, uint64_t word,
                       struct out_text *text)
{
  const char *name = NULL;
  char byte = (char)word;
  switch (type->kind) {
  case FMT_TYPE_CHAR:
    if (type->size <= 1)
      out_text_quoted(text, &byte, 1, '\'');
    else
      render_integer(type, word, text);
    break;
  case FMT_TYPE_BOOL:
    if (word <= 1)
      out_text_puts(text, word ? "true" : "false");
    else
      render_integer(type, word, text);
    break;
  case FMT_TYPE_ENUM:
  case FMT_TYPE_FLAGS:
    name = out_enumerator_name(index, type, (int64_t)word);
    if (name)
      put_name(text, name);
    else if (type->kind == FMT_TYPE_FLAGS)
      render_flags(index, type, word, text);
    else
      render_integer(type, word, text);
    break;
  default:
    render_integer(type, word, text);
  }
}

void out_render_float(const struct fmt_index_type *type, uint64_t bits, struct out_text *text)
{
  out_text_double(text, out_float_value(type, bits), type->size == sizeof(float));
}

void out_render_log2(int64_t bucket, struct out_text *text)
{
  if (bucket == 0)
    out_text_putc(text, '0');
  else if (bucket > 0)
    out_text_printf(text, "2^%lld..2^%lld", (long long)bucket - 1, (long long)bucket);
  else
    out_text_printf(text, "-2^%lld..-2^%lld", -(long long)bucket, -(long long)bucket - 1);
}

/* The rule's lower bounds: their count, then the bounds. */
static const int64_t *bounds_of(const struct fmt_index *index, const struct out_argument *argument, uint64_t *count)
{
  const int64_t *list = &index->ranges[argument->arg->aux];
  *count = (uint64_t)list[0];
  return list + 1;
}

bool out_render_range_is_open(const struct fmt_index *index, const struct out_argument *argument)
{
  uint64_t count;
  bounds_of(index, argument, &count);
  return argument->words[0] == 0 || argument->words[0] >= count;
}

void out_render_range(const struct fmt_index *index, const struct out_argument *argument, struct out_text *text)
{
  uint64_t count, range = argument->words[0];
  const int64_t *bounds = bounds_of(index, argument, &count);
  if (count == 0 || range > count)
    out_text_putc(text, '?');
  else if (range == 0)
    out_text_printf(text, "<%lld", (long long)bounds[0]);
  else if (range == count)
    out_text_printf(text, ">=%lld", (long long)bounds[count - 1]);
  else if ((uint64_t)bounds[range] - (uint64_t)bounds[range - 1] == 1)
    out_text_printf(text, "%lld", (long long)bounds[range - 1]);
  else
    out_text_printf(text, "%lld..%lld", (long long)bounds[range - 1], (long long)((uint64_t)bounds[range] - 1));
}
