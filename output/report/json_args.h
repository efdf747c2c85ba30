/*
 * The arguments of a signature as JSON.
 */
#ifndef CALLSIG_OUTPUT_REPORT_JSON_ARGS_H
#define CALLSIG_OUTPUT_REPORT_JSON_ARGS_H

#include "output/profile/profile.h"
#include "output/profile/signature.h"
#include "output/text/json_writer.h"

/* Writes a list of {name, type, state, value} for a signature whose arguments were recorded. A group's value is such a
 * list of its fields. What the function returned follows as the key "returned", where that was asked for. */
void out_json_args(struct out_json *json, const struct out_profile *profile, uint32_t signature,
                   struct out_arguments *scratch);

#endif
