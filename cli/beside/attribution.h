/* Whose code the samples are in: modules, functions, and functions inlined into these. */
#ifndef CALLSIG_CLI_BESIDE_ATTRIBUTION_H
#define CALLSIG_CLI_BESIDE_ATTRIBUTION_H

#include "base/vector.h"
#include "cli/beside/samples.h"

/* A place as fmt_rec_place has it, names as strings of the samples. */
struct cli_place {
  uint32_t name, file; /* file 0: a module, or a function that is known by its symbol alone */
  uint32_t line, parent;
  uint64_t samples;
};

/* Finds the places (struct cli_place, parents first) of the samples, which are sorted. Code of a module whose functions
 * `is_wanted` does not ask for, or whose file cannot be read any more, is of the module alone. Instructions that call
 * hooks are of the module FMT_OWN_CODE. -ENOMEM. */
int cli_attribute(const struct cli_samples *samples, bool (*is_wanted)(const char *module, void *data), void *data,
                  struct base_vector *places);

#endif
