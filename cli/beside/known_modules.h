/* Whose code the samples of a run are in, where its recording has rows. */
#ifndef CALLSIG_CLI_BESIDE_KNOWN_MODULES_H
#define CALLSIG_CLI_BESIDE_KNOWN_MODULES_H

#include "base/vector.h"
#include "cli/beside/samples.h"

/* Finds the places (struct cli_place) of the samples of `program`, by function in its own file and in those of the
 * modules that the recording at `output` has rows of. 0, or a negative errno after a message. */
int cli_attribute_known(const struct cli_samples *samples, const char *program, const char *output,
                        struct base_vector *places);

#endif
