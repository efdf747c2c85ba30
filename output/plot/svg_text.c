/* Writes numbers of pixels and cut names into pictures. */
#include "output/plot/svg_text.h"

#include <string.h>

#include "output/text/xml.h"

void out_put_pixels(struct out_text *text, const char *before, double value)
{
  out_text_puts(text, before);
  out_text_decimals(text, value, 0, 2);
}

void out_put_cut(struct out_text *text, const char *string, size_t most)
{
  size_t length = strlen(string), at = 0;
  for (size_t letters = 0; at < length && letters < most; letters++) {
    size_t letter = out_text_utf8(string + at, length - at);
    at += letter ? letter : 1;
  }
  out_xml_text(text, string, at);
  if (at < length)
    out_text_puts(text, "\xE2\x80\xA6");
}
