/*
 * The string section of an index while it is being made: every text once, offset 0 the empty string.
 *
 * Not thread-safe; a table belongs to the build that made it.
 */
#ifndef CALLSIG_BASE_STRINGS_H
#define CALLSIG_BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_strings;

/* A table that holds the empty string. NULL when memory is short. */
struct base_strings *base_strings_new(void);
void base_strings_free(struct base_strings *strings);

/* From now on there may be `most` bytes of text, at most 4 GiB as without a limit. */
void base_strings_limit(struct base_strings *strings, size_t most);

/* Was a text refused because there would have been more than there may be? */
bool base_strings_is_full(const struct base_strings *strings);

/* Writes the offset of `text` (copied, NUL-terminated) into `offset`. -ENOMEM; -E2BIG beyond the limit. */
int base_strings_add(struct base_strings *strings, const char *text, uint32_t *offset);

/* The text at an offset that base_strings_add() gave; valid until the next base_strings_add(). */
const char *base_strings_at(const struct base_strings *strings, uint32_t offset);

/* The whole section: bytes and, in `size`, how many. Valid until the next base_strings_add(). */
const char *base_strings_data(const struct base_strings *strings, size_t *size);

#endif
