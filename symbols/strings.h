/*
 * The string section of an index while it is being made: every text once, offset 0 the empty string.
 *
 * Not thread-safe; a table belongs to the build that made it.
 */
#ifndef CALLSIG_SYMBOLS_STRINGS_H
#define CALLSIG_SYMBOLS_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct cs_strings;

/* A table that holds the empty string. NULL when memory is short. */
struct cs_strings *cs_strings_new(void);
void cs_strings_free(struct cs_strings *strings);

/* Writes the offset of `text` (copied, NUL-terminated) into `offset`. -ENOMEM; -E2BIG beyond 4 GiB of text. */
int cs_strings_add(struct cs_strings *strings, const char *text, uint32_t *offset);

/* The text at an offset that cs_strings_add() gave; valid until the next cs_strings_add(). */
const char *cs_strings_at(const struct cs_strings *strings, uint32_t offset);

/* The whole section: bytes and, in `size`, how many. Valid until the next cs_strings_add(). */
const char *cs_strings_data(const struct cs_strings *strings, size_t *size);

#endif
