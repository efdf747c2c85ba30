#include "text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cs_text_free(struct cs_text *text)
{
  free(text->data);
  memset(text, 0, sizeof *text);
}

void cs_text_clear(struct cs_text *text)
{
  text->length = 0;
  text->failed = false;
  if (text->data)
    text->data[0] = '\0';
}

const char *cs_text_string(const struct cs_text *text)
{
  return text->data ? text->data : "";
}

static bool reserve(struct cs_text *text, size_t length)
{
  if (text->failed || length > SIZE_MAX / 2 - text->length - 1) {
    text->failed = true;
    return false;
  }
  if (text->capacity - text->length > length)
    return true;
  size_t capacity = (text->length + length + 1) * 2;
  if (capacity < 256)
    capacity = 256;
  char *data = realloc(text->data, capacity);
  if (!data) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

void cs_text_add(struct cs_text *text, const char *bytes, size_t length)
{
  if (!reserve(text, length))
    return;
  memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void cs_text_puts(struct cs_text *text, const char *string)
{
  cs_text_add(text, string, strlen(string));
}

void cs_text_putc(struct cs_text *text, char byte)
{
  cs_text_add(text, &byte, 1);
}

void cs_text_printf(struct cs_text *text, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t room = text->capacity - text->length;
  int length = vsnprintf(text->data ? text->data + text->length : NULL, text->data ? room : 0, format, arguments);
  if (length >= 0 && (!text->data || (size_t)length >= room)) {
    if (reserve(text, (size_t)length))
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

/* Writes decimal digits backwards from `end`; the result is where they begin. */
static char *put_digits(char *end, uint64_t value)
{
  do
    *--end = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  return end;
}

void cs_text_integer(struct cs_text *text, uint64_t value, int width)
{
  char digits[64];
  char *end = digits + sizeof digits, *at = put_digits(end, value);
  while (end - at < width && at > digits)
    *--at = ' ';
  cs_text_add(text, at, (size_t)(end - at));
}

/* A long double holds a double times 1000 without rounding: what it is rounded to is what printf() rounds to. */
_Static_assert(LDBL_MANT_DIG >= DBL_MANT_DIG + 10, "a double times 1000 in full");

static bool put_thousandths(struct cs_text *text, double value, int width)
{
  const double limit = 1e15;
  if (signbit(value) || !(value < limit))
    return false;
  long double exact = (long double)value * 1000;
  uint64_t thousandths = (uint64_t)exact;
  long double rest = exact - (long double)thousandths;
  if (rest > 0.5L || (rest == 0.5L && thousandths & 1))
    thousandths++;
  char digits[64];
  char *end = digits + sizeof digits, *at = end;
  for (int i = 0; i < 3; i++, thousandths /= 10)
    *--at = (char)('0' + thousandths % 10);
  *--at = '.';
  at = put_digits(at, thousandths);
  while (end - at < width && at > digits)
    *--at = ' ';
  cs_text_add(text, at, (size_t)(end - at));
  return true;
}

void cs_text_decimals(struct cs_text *text, double value, int width, int decimals)
{
  char number[512]; /* the largest double has 309 digits before the point */
  snprintf(number, sizeof number, "%*.*f", width, decimals, value);
  point(number);
  cs_text_puts(text, number);
}

void cs_text_fixed(struct cs_text *text, double value, int width)
{
  if (!put_thousandths(text, value, width))
    cs_text_decimals(text, value, width, 3);
}

void cs_text_signed(struct cs_text *text, double value, int width, int decimals)
{
  char number[512];
  snprintf(number, sizeof number, "%+*.*f", width, decimals, value);
  point(number);
  cs_text_puts(text, number);
}

void cs_text_double(struct cs_text *text, double value, bool single)
{
  if (isnan(value) || isinf(value)) {
    cs_text_puts(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
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
  cs_text_puts(text, number);
  if (!exponent && !strchr(number, '.'))
    cs_text_puts(text, ".0");
}

size_t cs_text_utf8(const char *bytes, size_t length)
{
  const unsigned char *at = (const unsigned char *)bytes;
  if (length == 0)
    return 0;
  if (at[0] < 0x80)
    return 1;
  size_t need = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
  if (at[0] < 0xC2 || at[0] > 0xF4 || length < need)
    return 0;
  for (size_t i = 1; i < need; i++) {
    if ((at[i] & 0xC0) != 0x80)
      return 0;
  }
  /* Overlong forms, surrogates and code points beyond the last one. */
  if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF0 && at[1] < 0x90) ||
      (at[0] == 0xF4 && at[1] > 0x8F))
    return 0;
  return need;
}

/* Printing as it is: not a control character of ASCII or of Latin 1. */
static bool prints(const char *bytes, size_t length)
{
  const unsigned char *at = (const unsigned char *)bytes;
  if (length == 1)
    return at[0] >= 0x20 && at[0] != 0x7F;
  return !(length == 2 && at[0] == 0xC2 && at[1] < 0xA0);
}

static void escape(struct cs_text *text, unsigned char byte)
{
  static const char letters[] = "abtnvfr";
  if (byte >= 7 && byte <= 13)
    cs_text_printf(text, "\\%c", letters[byte - 7]);
  else
    cs_text_printf(text, "\\x%02x", byte);
}

void cs_text_quoted(struct cs_text *text, const char *bytes, size_t length, char quote)
{
  cs_text_putc(text, quote);
  for (size_t i = 0; i < length;) {
    size_t character = cs_text_utf8(bytes + i, length - i);
    if (quote == '\'' && bytes[i] == '\0') {
      cs_text_puts(text, "\\0");
    } else if (character == 0 || !prints(bytes + i, character)) {
      escape(text, (unsigned char)bytes[i]);
      character = 1;
    } else {
      if (bytes[i] == quote || bytes[i] == '\\')
        cs_text_putc(text, '\\');
      cs_text_add(text, bytes + i, character);
    }
    i += character;
  }
  cs_text_putc(text, quote);
}

void cs_text_printable(struct cs_text *text, const char *bytes, size_t length)
{
  for (size_t i = 0; i < length;) {
    size_t character = cs_text_utf8(bytes + i, length - i);
    if (character == 0 || !prints(bytes + i, character)) {
      cs_text_printf(text, "\\x%02x", (unsigned char)bytes[i]);
      character = 1;
    } else {
      cs_text_add(text, bytes + i, character);
    }
    i += character;
  }
}

size_t cs_text_width(const char *string, size_t length)
{
  size_t width = 0;
  for (size_t i = 0; i < length; i++)
    width += ((unsigned char)string[i] & 0xC0) != 0x80;
  return width;
}
