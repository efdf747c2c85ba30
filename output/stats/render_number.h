/*
 * Single words as text: integers, chars, bools, enumerators, flags, floats and buckets.
 */
#ifndef CALLSIG_OUTPUT_STATS_RENDER_NUMBER_H
#define CALLSIG_OUTPUT_STATS_RENDER_NUMBER_H

#include "output/profile/signature.h"
#include "output/text/text.h"

/* A value by its type: 16, -1, 'a', true, FAST, A|B|0x10. */
void out_render_number(const struct fmt_index *index, const struct fmt_index_type *type, uint64_t word,
                       struct out_text *text);

/* The enumerator of `type` with this value, or NULL. */
const char *out_enumerator_name(const struct fmt_index *index, const struct fmt_index_type *type, int64_t value);

/* A float's or double's bits: the shortest decimal that reads back as the same. */
void out_render_float(const struct fmt_index_type *type, uint64_t bits, struct out_text *text);

/* A log2 bucket: 0, 2^20..2^21, -2^3..-2^2. */
void out_render_log2(int64_t bucket, struct out_text *text);

/* A bucket of a range rule: 64..1023, <0, >=1024 (inclusive bounds). */
void out_render_range(const struct fmt_index *index, const struct out_argument *argument, struct out_text *text);

/* True for the first and the last range, which print with an operator in place of "=". */
bool out_render_range_is_open(const struct fmt_index *index, const struct out_argument *argument);

#endif
