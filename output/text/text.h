/*
 * A growing text: what names, tables and numbers are written into before they go out.
 *
 * Zero-initialise; free with out_text_free(). An addition that finds no memory sets `failed` and adds nothing, so that
 * a writer checks once, at its end. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_TEXT_TEXT_H
#define CALLSIG_OUTPUT_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct out_text {
  char *data; /* NUL-terminated once anything was added */
  size_t length, capacity;
  bool failed;
};

void out_text_free(struct out_text *text);

/* Empties the text; its memory stays, and so does `failed`: what was in it may have gone out already. */
void out_text_clear(struct out_text *text);

/* The text so far, "" when nothing was added. Valid until the next addition. */
const char *out_text_string(const struct out_text *text);

/* Room for `length` bytes more and a NUL; NULL when memory is short. What is written there counts once out_text_added()
 * was called. */
char *out_text_grow(struct out_text *text, size_t length);

static inline char *out_text_room(struct out_text *text, size_t length)
{
  if (text->capacity - text->length > length && !text->failed)
    return text->data + text->length;
  return out_text_grow(text, length);
}

static inline void out_text_added(struct out_text *text, size_t length)
{
  text->length += length;
  text->data[text->length] = '\0';
}

static inline void out_text_add(struct out_text *text, const char *bytes, size_t length)
{
  char *room = out_text_room(text, length);
  if (room) {
    memcpy(room, bytes, length);
    out_text_added(text, length);
  }
}

static inline void out_text_puts(struct out_text *text, const char *string)
{
  out_text_add(text, string, strlen(string));
}

static inline void out_text_putc(struct out_text *text, char byte)
{
  char *room = out_text_room(text, 1);
  if (room) {
    *room = byte;
    out_text_added(text, 1);
  }
}

void out_text_printf(struct out_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Decimal digits, right-justified in `width` (at most 63). */
void out_text_integer(struct out_text *text, uint64_t value, int width);

/* The shortest decimal that reads back as the same number, as Python's repr() writes it: "0.1", "1e+22", "16.0", "inf".
 * With `single`, as the same float. Independent of the locale. */
void out_text_double(struct out_text *text, double value, bool single);

/* Three decimals, right-justified in `width`, as "%8.3f". Independent of the locale. */
void out_text_fixed(struct out_text *text, double value, int width);
/* The same with any number of decimals. */
void out_text_decimals(struct out_text *text, double value, int width, int decimals);
/* The same with a plus before what is not negative. */
void out_text_signed(struct out_text *text, double value, int width, int decimals);

/* Bytes between `quote`s, C escapes for what would not print: \n, \", \x1b. UTF-8 stays as it is, other bytes are
 * escaped. */
void out_text_quoted(struct out_text *text, const char *bytes, size_t length, char quote);

/* Bytes as they are where they are printing UTF-8; every other byte becomes \xNN, so that a hostile name cannot drive a
 * terminal. */
void out_text_printable(struct out_text *text, const char *bytes, size_t length);

/* Characters (code points) of a UTF-8 string: the width that pstats pads by. */
size_t out_text_width(const char *string, size_t length);

/* Bytes of the UTF-8 sequence that `bytes` starts with, 0 when it is not valid. */
size_t out_text_utf8(const char *bytes, size_t length);

#endif
