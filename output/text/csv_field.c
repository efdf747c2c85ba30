/* A field of CSV (RFC 4180): quoted where it has to be. */
#include "output/text/csv_field.h"

#include <string.h>

void out_csv_field(struct out_text *line, const char *field)
{
  if (line->length > 0)
    out_text_putc(line, ',');
  if (!field)
    return;
  if (!field[strcspn(field, ",\"\r\n")]) {
    out_text_puts(line, field);
    return;
  }
  out_text_putc(line, '"');
  for (; *field; field++) {
    if (*field == '"')
      out_text_putc(line, '"');
    out_text_putc(line, *field);
  }
  out_text_putc(line, '"');
}
