/*
 * The arguments of a signature as JSON.
 */
#ifndef CALLSIG_OUTPUT_JSON_ARGS_H
#define CALLSIG_OUTPUT_JSON_ARGS_H

#include "json_writer.h"
#include "profile.h"
#include "signature.h"

/* Writes a list of {name, type, state, value} for a signature whose arguments were recorded. A group's value is such a
 * list of its fields. */
void cs_json_args(struct cs_json *json, const struct cs_profile *profile, uint32_t signature,
                  struct cs_arguments *scratch);

#endif
