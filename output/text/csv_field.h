/*
 * Fields of CSV (RFC 4180), for whoever writes it.
 */
#ifndef CALLSIG_OUTPUT_TEXT_CSV_FIELD_H
#define CALLSIG_OUTPUT_TEXT_CSV_FIELD_H

#include "output/text/text.h"

/* Appends a field to a line, quoted where it has to be, after a comma unless the line is empty. NULL: an empty field.
 * What a spreadsheet would take for a formula has an apostrophe before it, and so has what begins with an apostrophe:
 * a reader has the text back by taking one apostrophe away. A failure stays in the text. */
void out_csv_field(struct out_text *line, const char *field);

#endif
