/*
 * Signatures as text: dot(a:float[16], b:float[16], n=16). docs/reports.md lists every form.
 */
#ifndef CALLSIG_OUTPUT_STATS_RENDER_H
#define CALLSIG_OUTPUT_STATS_RENDER_H

#include "output/profile/profile.h"
#include "output/profile/signature.h"
#include "output/text/text.h"

/* Appends the parenthesis of a signature: "(a:float[16], n=16)", "(...)" for any, "(?)" when parameters are unknown.
 * `scratch` is reused from call to call. An argument list beyond OUT_RENDER_MAX bytes ends in "...". */
void out_render_signature(const struct out_profile *profile, uint32_t signature, struct out_arguments *scratch,
                          struct out_text *text);

#define OUT_RENDER_MAX (64u * 1024)

/* Appends what stands after the name of argument `number`: "16", "float[16]", "?", without the separator. */
void out_render_value(const struct out_profile *profile, const struct fmt_index *index,
                      const struct out_arguments *arguments, uint32_t number, struct out_text *text);

#endif
