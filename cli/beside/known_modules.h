/* The files whose functions have rows in a recording, and what samples are in them. */
#ifndef CALLSIG_CLI_BESIDE_KNOWN_MODULES_H
#define CALLSIG_CLI_BESIDE_KNOWN_MODULES_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"
#include "cli/beside/samples.h"

/* Zero-initialised when none were read. */
struct cli_known_modules {
  struct base_vector names; /* char *, owned: without folders, as another build's libraries may lie elsewhere */
  char program[PATH_MAX];   /* what is sampled, its path resolved */
};

/* Reads those of the recording of process `pid` at `output`; `program`, which is sampled, is one of them. 0, or a
 * negative errno after a message. To be freed in either case. */
int cli_known_modules_read(struct cli_known_modules *known, const char *program, const char *output, pid_t pid);
void cli_known_modules_free(struct cli_known_modules *known);

/* Is the file of this path one of them? `data` is the struct cli_known_modules. */
bool cli_is_known_module(const char *path, void *data);

/* Finds the places (struct cli_place) of the samples, by function in those files. 0, or a negative errno after a
 * message. */
int cli_attribute_known(const struct cli_samples *samples, struct cli_known_modules *known, struct base_vector *places);

#endif
