/* Writes text so that XML can hold it. */
#include "output/text/xml.h"

#include <string.h>

static const char *reference_of(char byte)
{
  switch (byte) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return NULL;
  }
}

/* U+FFFE and U+FFFF are UTF-8, but no characters of XML. */
static bool is_noncharacter(const char *bytes, size_t length)
{
  return length == 3 && memcmp(bytes, "\xEF\xBF", 2) == 0 && (unsigned char)bytes[2] >= 0xBE;
}

void out_xml_text(struct out_text *text, const char *bytes, size_t length)
{
  for (size_t i = 0; i < length;) {
    size_t character = out_text_utf8(bytes + i, length - i);
    const char *reference = reference_of(bytes[i]);
    if (reference)
      out_text_puts(text, reference);
    else if (character == 0 || (character == 1 && (unsigned char)bytes[i] < 0x20) ||
             is_noncharacter(bytes + i, character))
      out_text_printf(text, "\\x%02x", (unsigned char)bytes[i]);
    else
      out_text_add(text, bytes + i, character);
    i += reference || character == 0 || is_noncharacter(bytes + i, character) ? 1 : character;
  }
}
