/* Appends to a growing text: strings, numbers, printable forms of any bytes. */
#include "output/text/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

void out_text_free(struct out_text *text)
{
  free(text->data);
  memset(text, 0, sizeof *text);
}

void out_text_clear(struct out_text *text)
{
  text->length = 0;
  if (text->data)
    text->data[0] = '\0';
}

const char *out_text_string(const struct out_text *text)
{
  return text->data ? text->data : "";
}

char *out_text_grow(struct out_text *text, size_t length)
{
  if (text->failed || length > SIZE_MAX / 2 - text->length - 1) {
    text->failed = true;
    return NULL;
  }
  size_t capacity = (text->length + length + 1) * 2;
  if (capacity < 256)
    capacity = 256;
  char *data = realloc(text->data, capacity);
  if (!data) {
    text->failed = true;
    return NULL;
  }
  text->data = data;
  text->capacity = capacity;
  return data + text->length;
}

void out_text_printf(struct out_text *text, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t room = text->capacity - text->length;
  int length = vsnprintf(text->data ? text->data + text->length : NULL, text->data ? room : 0, format, arguments);
  if (length >= 0 && (!text->data || (size_t)length >= room)) {
    if (out_text_room(text, (size_t)length))
      vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
  }
  if (length < 0)
    text->failed = true;
  else if (!text->failed)
    text->length += (size_t)length;
  va_end(again);
  va_end(arguments);
}

/* The C library writes the decimal separator of whatever locale is set: makes it '.'. */
static void point(char *number)
{
  const char *separator = localeconv()->decimal_point;
  char *found = strcmp(separator, ".") == 0 ? NULL : strstr(number, separator);
  if (found) {
    *found = '.';
    memmove(found + 1, found + strlen(separator), strlen(found + strlen(separator)) + 1);
  }
}

/* Writes `value` with the fewest digits that read back as the same number. */
static void shortest(char *number, size_t size, double value, bool single)
{
  int digits = single ? FLT_DIG : DBL_DIG;
  int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
  for (; digits <= most; digits++) {
    snprintf(number, size, "%.*g", digits, value);
    double back = strtod(number, NULL);
    if (single ? (float)back == (float)value : back == value)
      break;
  }
  point(number);
}

/* The decimal digits of 0 to 99, two each. */
static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

/* Writes decimal digits backwards from `end`; the result is where they begin. */
static char *put_digits(char *end, uint64_t value)
{
  for (; value >= 10; value /= 100)
    memcpy(end -= 2, &pairs[value % 100 * 2], 2);
  if (value > 0)
    *--end = (char)('0' + value);
  return end;
}

/* A number in the making: digits are written backwards from the middle, where spaces were. */
enum { NUMBER_MAX = 64 };
struct number {
  char bytes[2 * NUMBER_MAX];
};

static char *begin_number(struct number *number)
{
  memset(number, ' ', sizeof *number);
  return number->bytes + NUMBER_MAX;
}

/* Appends the number that begins at `at`, right-justified in `width`. Copies more than that is, so that it is done
 * without a loop. */
static void add_number(struct out_text *text, const struct number *number, const char *at, int width)
{
  const char *end = number->bytes + NUMBER_MAX;
  if (end - at < width)
    at = end - (width < NUMBER_MAX ? width : NUMBER_MAX);
  char *room = out_text_room(text, NUMBER_MAX);
  if (room) {
    memcpy(room, at, NUMBER_MAX);
    out_text_added(text, (size_t)(end - at));
  }
}

void out_text_integer(struct out_text *text, uint64_t value, int width)
{
  struct number number;
  char *end = begin_number(&number), *at = put_digits(end, value);
  if (at == end)
    *--at = '0';
  add_number(text, &number, at, width);
}

enum { BIAS = 1023 + 52, MANTISSA = 52 };

/* A value from 0 on and below 1e15 in thousandths, rounded as printf() rounds it: halves to even numbers. The product
 * of its 53 bits and 1000 has 63 at most, and is divided by a power of two. */
static uint64_t to_thousandths(double value)
{
  uint64_t bits, implicit = UINT64_C(1) << MANTISSA;
  memcpy(&bits, &value, sizeof bits);
  unsigned exponent = (unsigned)(bits >> MANTISSA);
  uint64_t product = (bits & (implicit - 1)) * 1000;
  if (exponent > 0)
    product += implicit * 1000;
  unsigned shift = BIAS - (exponent > 0 ? exponent : 1);
  /* Less than half a thousandth. */
  if (shift > 63)
    return 0;
  uint64_t whole = product >> shift, half = UINT64_C(1) << shift >> 1, rest = product & (2 * half - 1);
  return whole + (rest > half || (rest == half && whole & 1));
}

static bool put_thousandths(struct out_text *text, double value, int width)
{
  const double limit = 1e15;
  if (signbit(value) || !(value < limit))
    return false;
  uint64_t thousandths = to_thousandths(value);
  unsigned rest = (unsigned)(thousandths % 1000);
  struct number number;
  char *at = begin_number(&number) - 4;
  at[0] = '.';
  at[1] = (char)('0' + rest / 100);
  memcpy(at + 2, &pairs[rest % 100 * 2], 2);
  at = put_digits(at, thousandths / 1000);
  if (*at == '.')
    *--at = '0';
  add_number(text, &number, at, width);
  return true;
}

void out_text_decimals(struct out_text *text, double value, int width, int decimals)
{
  char number[512]; /* the largest double has 309 digits before the point */
  snprintf(number, sizeof number, "%*.*f", width, decimals, value);
  point(number);
  out_text_puts(text, number);
}

void out_text_fixed(struct out_text *text, double value, int width)
{
  if (!put_thousandths(text, value, width))
    out_text_decimals(text, value, width, 3);
}

void out_text_signed(struct out_text *text, double value, int width, int decimals)
{
  char number[512];
  snprintf(number, sizeof number, "%+*.*f", width, decimals, value);
  point(number);
  out_text_puts(text, number);
}

void out_text_double(struct out_text *text, double value, bool single)
{
  if (isnan(value) || isinf(value)) {
    out_text_puts(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  char number[64];
  shortest(number, sizeof number, value, single);
  char *exponent = strchr(number, 'e');
  /* repr() keeps positional notation up to 1e16; %g leaves it at its number of digits. */
  if (exponent && fabs(value) >= 1 && fabs(value) < 1e16) {
    snprintf(number, sizeof number, "%.0f", value);
    exponent = NULL;
  }
  out_text_puts(text, number);
  if (!exponent && !strchr(number, '.'))
    out_text_puts(text, ".0");
}

size_t out_text_utf8(const char *bytes, size_t length)
{
  return base_utf8(bytes, length);
}

static void escape(struct out_text *text, unsigned char byte)
{
  static const char letters[] = "abtnvfr";
  if (byte >= 7 && byte <= 13)
    out_text_printf(text, "\\%c", letters[byte - 7]);
  else
    out_text_printf(text, "\\x%02x", byte);
}

void out_text_quoted(struct out_text *text, const char *bytes, size_t length, char quote)
{
  out_text_putc(text, quote);
  for (size_t i = 0; i < length;) {
    size_t character = out_text_utf8(bytes + i, length - i);
    if (quote == '\'' && bytes[i] == '\0') {
      out_text_puts(text, "\\0");
    } else if (character == 0 || !base_prints(bytes + i, character)) {
      escape(text, (unsigned char)bytes[i]);
      character = 1;
    } else {
      if (bytes[i] == quote || bytes[i] == '\\')
        out_text_putc(text, '\\');
      out_text_add(text, bytes + i, character);
    }
    i += character;
  }
  out_text_putc(text, quote);
}

/* How many bytes from `bytes` on are printing characters of ASCII. */
static size_t plain(const char *bytes, size_t length)
{
  size_t count = 0;
  while (count < length && bytes[count] >= 0x20 && bytes[count] < 0x7F)
    count++;
  return count;
}

void out_text_printable(struct out_text *text, const char *bytes, size_t length)
{
  for (size_t i = 0; i < length;) {
    size_t run = plain(bytes + i, length - i);
    out_text_add(text, bytes + i, run);
    i += run;
    size_t character = out_text_utf8(bytes + i, length - i);
    if (i < length && (character == 0 || !base_prints(bytes + i, character))) {
      out_text_printf(text, "\\x%02x", (unsigned char)bytes[i]);
      character = 1;
    } else {
      out_text_add(text, bytes + i, character);
    }
    i += character;
  }
}

size_t out_text_width(const char *string, size_t length)
{
  size_t width = 0;
  for (size_t i = 0; i < length; i++)
    width += ((unsigned char)string[i] & 0xC0) != 0x80;
  return width;
}
