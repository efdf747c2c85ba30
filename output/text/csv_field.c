/* A field of CSV (RFC 4180): quoted where it has to be. */
#include "output/text/csv_field.h"

#include <stdlib.h>
#include <string.h>

/* Would a spreadsheet take the cell for a formula? What is a number is none, nor is a sign alone. */
static bool is_formula(const char *field)
{
  char *end;
  if (!field[0] || !strchr("=+-@\t\r", field[0]) || !field[1])
    return false;
  strtod(field, &end);
  return *end != '\0';
}

/* What stands before the text. A text that begins with an apostrophe gets another, so that who reads the cell takes one
 * away wherever there is one. */
static const char *guard_of(const char *field)
{
  return is_formula(field) || field[0] == '\'' ? "'" : "";
}

void out_csv_field(struct out_text *line, const char *field)
{
  if (line->length > 0)
    out_text_putc(line, ',');
  if (!field)
    return;
  const char *guard = guard_of(field);
  if (!field[strcspn(field, ",\"\r\n")]) {
    out_text_puts(line, guard);
    out_text_puts(line, field);
    return;
  }
  out_text_putc(line, '"');
  out_text_puts(line, guard);
  for (; *field; field++) {
    if (*field == '"')
      out_text_putc(line, '"');
    out_text_putc(line, *field);
  }
  out_text_putc(line, '"');
}
