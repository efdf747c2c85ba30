/*
 * Single words as text: integers, chars, bools, enumerators, flags, floats and buckets.
 */
#ifndef CALLSIG_OUTPUT_RENDER_NUMBER_H
#define CALLSIG_OUTPUT_RENDER_NUMBER_H

#include "signature.h"
#include "text.h"

/* A value by its type: 16, -1, 'a', true, FAST, A|B|0x10. */
void cs_render_number(const struct cs_index *index, const struct cs_index_type *type, uint64_t word,
                      struct cs_text *text);

/* The enumerator of `type` with this value, or NULL. */
const char *cs_enumerator_name(const struct cs_index *index, const struct cs_index_type *type, int64_t value);

/* A float's or double's bits: the shortest decimal that reads back as the same. */
void cs_render_float(const struct cs_index_type *type, uint64_t bits, struct cs_text *text);
double cs_float_value(const struct cs_index_type *type, uint64_t bits);

/* A log2 bucket: 0, 2^20..2^21, -2^3..-2^2. */
void cs_render_log2(int64_t bucket, struct cs_text *text);

/* A bucket of a range rule: 64..1023, <0, >=1024 (inclusive bounds). */
void cs_render_range(const struct cs_index *index, const struct cs_argument *argument, struct cs_text *text);

/* True for the first and the last range, which print with an operator in place of "=". */
bool cs_render_range_is_open(const struct cs_index *index, const struct cs_argument *argument);

#endif
