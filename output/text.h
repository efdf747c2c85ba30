/*
 * A growing text: what names, tables and numbers are written into before they go out.
 *
 * Zero-initialise; free with cs_text_free(). An addition that finds no memory sets `failed` and adds nothing, so that a
 * writer checks once, at its end. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_TEXT_H
#define CALLSIG_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cs_text {
  char *data; /* NUL-terminated once anything was added */
  size_t length, capacity;
  bool failed;
};

void cs_text_free(struct cs_text *text);

/* Empties the text; its memory stays. */
void cs_text_clear(struct cs_text *text);

/* The text so far, "" when nothing was added. Valid until the next addition. */
const char *cs_text_string(const struct cs_text *text);

/* Room for `length` bytes more and a NUL; NULL when memory is short. What is written there counts once cs_text_added()
 * was called. */
char *cs_text_grow(struct cs_text *text, size_t length);

static inline char *cs_text_room(struct cs_text *text, size_t length)
{
  if (text->capacity - text->length > length && !text->failed)
    return text->data + text->length;
  return cs_text_grow(text, length);
}

static inline void cs_text_added(struct cs_text *text, size_t length)
{
  text->length += length;
  text->data[text->length] = '\0';
}

static inline void cs_text_add(struct cs_text *text, const char *bytes, size_t length)
{
  char *room = cs_text_room(text, length);
  if (room) {
    memcpy(room, bytes, length);
    cs_text_added(text, length);
  }
}

static inline void cs_text_puts(struct cs_text *text, const char *string)
{
  cs_text_add(text, string, strlen(string));
}

static inline void cs_text_putc(struct cs_text *text, char byte)
{
  char *room = cs_text_room(text, 1);
  if (room) {
    *room = byte;
    cs_text_added(text, 1);
  }
}

void cs_text_printf(struct cs_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Decimal digits, right-justified in `width` (at most 63). */
void cs_text_integer(struct cs_text *text, uint64_t value, int width);

/* The shortest decimal that reads back as the same number, as Python's repr() writes it: "0.1", "1e+22", "16.0", "inf".
 * With `single`, as the same float. Independent of the locale. */
void cs_text_double(struct cs_text *text, double value, bool single);

/* Three decimals, right-justified in `width`, as "%8.3f". Independent of the locale. */
void cs_text_fixed(struct cs_text *text, double value, int width);
/* The same with any number of decimals. */
void cs_text_decimals(struct cs_text *text, double value, int width, int decimals);
/* The same with a plus before what is not negative. */
void cs_text_signed(struct cs_text *text, double value, int width, int decimals);

/* Bytes between `quote`s, C escapes for what would not print: \n, \", \x1b. UTF-8 stays as it is, other bytes are
 * escaped. */
void cs_text_quoted(struct cs_text *text, const char *bytes, size_t length, char quote);

/* Bytes as they are where they are printing UTF-8; every other byte becomes \xNN, so that a hostile name cannot drive a
 * terminal. */
void cs_text_printable(struct cs_text *text, const char *bytes, size_t length);

/* Characters (code points) of a UTF-8 string: the width that pstats pads by. */
size_t cs_text_width(const char *string, size_t length);

/* Bytes of the UTF-8 sequence that `bytes` starts with, 0 when it is not valid. */
size_t cs_text_utf8(const char *bytes, size_t length);

#endif
