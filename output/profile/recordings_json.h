/* The recordings of a profile in JSON. */
#ifndef CALLSIG_OUTPUT_PROFILE_RECORDINGS_JSON_H
#define CALLSIG_OUTPUT_PROFILE_RECORDINGS_JSON_H

#include "output/profile/profile.h"
#include "output/text/json_writer.h"

/* Writes the key "recordings" with what tells each: its file, and the program and the process that it is of. An error
 * stays in `json`. */
void out_recordings_json(struct out_json *json, const struct out_profile *profile);

#endif
