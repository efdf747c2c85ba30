/* Measures text in a terminal's cells, and shortens lines to fit. */
#define _GNU_SOURCE
#include "output/text/width.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

void out_width_init(struct out_width *width)
{
  width->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

void out_width_free(struct out_width *width)
{
  if (width->locale)
    freelocale(width->locale);
  width->locale = (locale_t)0;
}

/* The code point of a valid sequence. */
static wchar_t decode(const char *bytes, size_t length)
{
  static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  wchar_t point = (unsigned char)bytes[0] & masks[length];
  for (size_t i = 1; i < length; i++)
    point = point << 6 | ((unsigned char)bytes[i] & 0x3F);
  return point;
}

/* The bytes of what is printed as one at `text`, and the cells it takes. */
static size_t measure(const struct out_width *width, const char *text, size_t left, size_t *cells)
{
  *cells = 0;
  if (text[0] == '\033' && left > 1 && text[1] == '[') {
    const char *end = memchr(text, 'm', left);
    return end ? (size_t)(end - text) + 1 : left;
  }
  size_t length = out_text_utf8(text, left);
  *cells = 1;
  if (length <= 1 || !width->locale)
    return length ? length : 1;
  int known = wcwidth(decode(text, length));
  *cells = known < 0 ? 1 : (size_t)known;
  return length;
}

size_t out_width_of(const struct out_width *width, const char *text, size_t length)
{
  locale_t before = width->locale ? uselocale(width->locale) : (locale_t)0;
  size_t total = 0, cells;
  for (size_t at = 0; at < length; total += cells)
    at += measure(width, text + at, length - at, &cells);
  if (before)
    uselocale(before);
  return total;
}

void out_width_shorten(const struct out_width *width, struct out_text *line, size_t limit)
{
  static const char dots[] = "...";
  const size_t dots_width = sizeof dots - 1;
  if (line->failed || limit < dots_width || out_width_of(width, line->data, line->length) <= limit)
    return;
  locale_t before = width->locale ? uselocale(width->locale) : (locale_t)0;
  size_t at = 0, used = 0;
  while (at < line->length) {
    size_t cells, bytes = measure(width, line->data + at, line->length - at, &cells);
    if (used + cells > limit - dots_width)
      break;
    at += bytes;
    used += cells;
  }
  if (before)
    uselocale(before);
  line->length = at;
  out_text_puts(line, dots);
}
