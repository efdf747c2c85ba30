/*
 * Signatures as text: dot(a:float[16], b:float[16], n=16). docs/reports.md lists every form.
 */
#ifndef CALLSIG_OUTPUT_RENDER_H
#define CALLSIG_OUTPUT_RENDER_H

#include "profile.h"
#include "signature.h"
#include "text.h"

/* Appends the parenthesis of a signature: "(a:float[16], n=16)", "(...)" for any, "(?)" when parameters are unknown.
 * `scratch` is reused from call to call. An argument list beyond CS_RENDER_MAX bytes ends in "...". */
void cs_render_signature(const struct cs_profile *profile, uint32_t signature, struct cs_arguments *scratch,
                         struct cs_text *text);

#define CS_RENDER_MAX (64u * 1024)

/* Appends what stands after the name of argument `number`: "16", "float[16]", "?", without the separator. */
void cs_render_value(const struct cs_profile *profile, const struct cs_index *index,
                     const struct cs_arguments *arguments, uint32_t number, struct cs_text *text);

/* The name of a type without "struct ", "union ", "class ", "enum " and cv: what a group is called. */
void cs_render_type_word(const struct cs_index *index, uint32_t type, struct cs_text *text);

#endif
