/*
 * Are the parameters of two functions laid out alike? Then their signatures' words mean the same and can be compared.
 */
#ifndef CALLSIG_OUTPUT_LAYOUT_H
#define CALLSIG_OUTPUT_LAYOUT_H

#include <stdbool.h>

#include "callsig/format/index.h"
#include "symbols.h"

/* True when every argument of the two has the same name, kind, join, rule and type (by name and enumerators): equal
 * words then print as equal text. Either index may be of another module. */
bool cs_layout_equal(const struct cs_index *a, const struct cs_index_function *a_entry, const struct cs_index *b,
                     const struct cs_index_function *b_entry);

/* Do groups lie inside each other as brackets do, at most CS_LAYOUT_DEPTH deep? */
bool cs_layout_nests(const struct cs_index *index, const struct cs_index_function *entry);

#define CS_LAYOUT_DEPTH 16u

#endif
