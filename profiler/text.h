/*
 * Strings and bytes without the C library, which the program may have replaced. Safe anywhere.
 */
#ifndef CALLSIG_TEXT_H
#define CALLSIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t cs_length(const char *text)
{
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

static inline bool cs_equal_bytes(const void *a, const void *b, size_t size)
{
  const uint8_t *x = a, *y = b;
  for (size_t i = 0; i < size; i++)
    if (x[i] != y[i])
      return false;
  return true;
}

static inline bool cs_equal(const char *a, const char *b)
{
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

static inline bool cs_starts_with(const char *text, const char *prefix)
{
  while (*prefix && *text == *prefix) {
    text++;
    prefix++;
  }
  return *prefix == '\0';
}

static inline bool cs_ends_with(const char *text, const char *suffix)
{
  size_t length = cs_length(text), tail = cs_length(suffix);
  return length >= tail && cs_equal(text + length - tail, suffix);
}

/* What follows the last slash. */
static inline const char *cs_base_name(const char *path)
{
  const char *base = path;
  for (; *path; path++)
    if (*path == '/')
      base = path + 1;
  return base;
}

/* Text under construction in somebody's buffer: always terminated; `cut` tells that it did not fit. */
struct cs_text {
  char *start, *next, *end; /* end: one past the buffer */
  bool cut;
};

static inline struct cs_text cs_text_begin(char *buffer, size_t size)
{
  buffer[0] = '\0';
  return (struct cs_text){buffer, buffer, buffer + size, false};
}

static inline void cs_text_add_bytes(struct cs_text *text, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (text->next + 1 >= text->end) {
      text->cut = true;
      break;
    }
    *text->next++ = bytes[i];
  }
  *text->next = '\0';
}

static inline void cs_text_add(struct cs_text *text, const char *string)
{
  cs_text_add_bytes(text, string, cs_length(string));
}

/* `value` in `base` (2 to 16). */
static inline void cs_text_add_number(struct cs_text *text, uint64_t value, unsigned base)
{
  char digits[64];
  size_t first = sizeof digits;
  do {
    digits[--first] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value);
  cs_text_add_bytes(text, digits + first, sizeof digits - first);
}

#endif
