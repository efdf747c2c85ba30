/* What of any bytes may be shown to people as it is. */
#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t base_utf8(const char *bytes, size_t length)
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

/* Does a character of three bytes end a line, or change the direction of what follows? U+200E, U+200F, U+2028 to
 * U+202E, U+2066 to U+2069. */
static bool moves_text(const unsigned char *at)
{
  return at[0] == 0xE2 && ((at[1] == 0x80 && (at[2] == 0x8E || at[2] == 0x8F || (at[2] >= 0xA8 && at[2] <= 0xAE))) ||
                           (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9));
}

/* U+061C is the only one of two bytes that moves other text. */
bool base_prints(const char *bytes, size_t length)
{
  const unsigned char *at = (const unsigned char *)bytes;
  if (length == 1)
    return at[0] >= 0x20 && at[0] != 0x7F;
  if (length == 2)
    return !(at[0] == 0xC2 && at[1] < 0xA0) && !(at[0] == 0xD8 && at[1] == 0x9C);
  return length != 3 || !moves_text(at);
}

void base_printable_line(char *line, size_t room, const char *text)
{
  size_t length = strlen(text), used = 0, need;
  for (size_t at = 0; at < length; used += need) {
    size_t character = base_utf8(text + at, length - at);
    bool shown = character > 0 && base_prints(text + at, character);
    need = shown ? character : 4;
    if (used + need >= room)
      break;
    if (shown)
      memcpy(line + used, text + at, need);
    else
      snprintf(line + used, room - used, "\\x%02x", (unsigned char)text[at]);
    at += shown ? character : 1;
  }
  line[used] = '\0';
}

static void put(FILE *out, const char *text, size_t length)
{
  for (size_t at = 0; at < length;) {
    const size_t character = base_utf8(text + at, length - at);
    if (character > 0 && base_prints(text + at, character))
      fwrite(text + at, 1, character, out);
    else
      fprintf(out, "\\x%02x", (unsigned char)text[at]);
    at += character > 0 && base_prints(text + at, character) ? character : 1;
  }
}

void base_print(FILE *out, const char *format, ...)
{
  char some[1024], *text = some;
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int needed = vsnprintf(some, sizeof some, format, arguments);
  char *all = needed >= (int)sizeof some ? malloc((size_t)needed + 1) : NULL;
  if (all != NULL) {
    vsnprintf(all, (size_t)needed + 1, format, again);
    text = all;
  }
  va_end(again);
  va_end(arguments);
  const size_t length = needed < 0 ? 0 : strlen(text);
  const bool ends_line = length > 0 && text[length - 1] == '\n';
  put(out, text, length - ends_line);
  /* Without memory for all of it. */
  if (needed >= (int)sizeof some && text == some)
    fputs("...", out);
  if (ends_line)
    fputc('\n', out);
  free(all);
}
