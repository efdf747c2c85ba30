/*
 * Are the parameters of two functions laid out alike? Then their signatures' words mean the same and can be compared.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_LAYOUT_H
#define CALLSIG_OUTPUT_PROFILE_LAYOUT_H

#include <stdbool.h>

#include "format/index.h"
#include "format/open.h"

/* True when every argument of the two has the same name, kind, join, rule and type (by name and enumerators): equal
 * words then print as equal text. Either index may be of another module. */
bool out_layout_equal(const struct fmt_index *a, const struct fmt_index_function *a_entry, const struct fmt_index *b,
                      const struct fmt_index_function *b_entry);

/* Do groups lie inside each other as brackets do, at most OUT_LAYOUT_DEPTH deep? */
bool out_layout_nests(const struct fmt_index *index, const struct fmt_index_function *entry);

#define OUT_LAYOUT_DEPTH 16u

#endif
