/*
 * Strings and bytes without the C library, which the program may have replaced. Safe anywhere.
 */
#ifndef CALLSIG_PROFILER_BASE_TEXT_H
#define CALLSIG_PROFILER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t prof_length(const char *text)
{
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

static inline bool prof_equal_bytes(const void *a, const void *b, size_t size)
{
  const uint8_t *x = a, *y = b;
  for (size_t i = 0; i < size; i++)
    if (x[i] != y[i])
      return false;
  return true;
}

static inline bool prof_equal(const char *a, const char *b)
{
  for (; *a == *b; a++, b++)
    if (!*a)
      return true;
  return false;
}

static inline bool prof_starts_with(const char *text, const char *prefix)
{
  while (*prefix && *text == *prefix) {
    text++;
    prefix++;
  }
  return *prefix == '\0';
}

static inline bool prof_ends_with(const char *text, const char *suffix)
{
  size_t length = prof_length(text), tail = prof_length(suffix);
  return length >= tail && prof_equal(text + length - tail, suffix);
}

/* What follows the last slash. */
static inline const char *prof_base_name(const char *path)
{
  const char *base = path;
  for (; *path; path++)
    if (*path == '/')
      base = path + 1;
  return base;
}

/* Reads the decimal number at the beginning of a text, 0 when there is none, and gives what follows. */
static inline const char *prof_read_number(const char *text, uint64_t *number)
{
  *number = 0;
  for (; *text >= '0' && *text <= '9'; text++)
    *number = *number * 10 + (uint64_t)(*text - '0');
  return text;
}

/* Text under construction in somebody's buffer: always terminated; `cut` tells that it did not fit. */
struct prof_text {
  char *start, *next, *end; /* end: one past the buffer */
  bool cut;
};

static inline struct prof_text prof_text_begin(char *buffer, size_t size)
{
  buffer[0] = '\0';
  return (struct prof_text){buffer, buffer, buffer + size, false};
}

static inline void prof_text_add_bytes(struct prof_text *text, const char *bytes, size_t count)
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

static inline void prof_text_add(struct prof_text *text, const char *string)
{
  prof_text_add_bytes(text, string, prof_length(string));
}

/* `value` in `base` (2 to 16). */
static inline void prof_text_add_number(struct prof_text *text, uint64_t value, unsigned base)
{
  char digits[64];
  size_t first = sizeof digits;
  do {
    digits[--first] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value);
  prof_text_add_bytes(text, digits + first, sizeof digits - first);
}

#endif
