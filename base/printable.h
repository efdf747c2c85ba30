/*
 * What of any bytes may be shown to people as it is: names and paths come from programs and files that nobody vouches
 * for.
 */
#ifndef CALLSIG_BASE_PRINTABLE_H
#define CALLSIG_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How many bytes the character of UTF-8 at `bytes` has, of which `length` may be read; 0: there is none. */
size_t base_utf8(const char *bytes, size_t length);

/* Whether a character of so many bytes prints where it stands: it is no control character of ASCII or of Latin 1, ends
 * no line and does not change the direction of other text. */
bool base_prints(const char *bytes, size_t length);

/* Copies a line of which every other byte becomes \xNN, and what has no place in `room` bytes is left out. */
void base_printable_line(char *line, size_t room, const char *text);

/* Prints as fprintf() does, but every such byte of what is printed as \xNN, for a newline at its end. */
void base_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
