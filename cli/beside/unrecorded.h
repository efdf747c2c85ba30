/*
 * Processes of a run that executed an instrumented program without the runtime: one that was started without the
 * variables of callsig's environment (env -i, sudo), whose calls are in no recording.
 */
#ifndef CALLSIG_CLI_BESIDE_UNRECORDED_H
#define CALLSIG_CLI_BESIDE_UNRECORDED_H

#include <stdint.h>

#include "base/strings.h"
#include "base/vector.h"
#include "symbols/base/addressmap.h"

/* Zero-initialise; free with cli_unrecorded_free(). */
struct cli_unrecorded {
  struct base_vector processes;      /* struct executing: what each is executing, as far as it was told */
  struct sym_address_map numbers;    /* pid -> its number in `processes` */
  struct sym_address_map is_without; /* string, of a program -> 1: it has hooks and not the runtime; 0: else */
  unsigned ended;                    /* programs without the runtime that others came in the place of */
  uint32_t last;                     /* string: one of all those; 0: there is none */
};

/* Code of the file `path`, a string, was mapped into the process; 0: it executes a program from now on. NULL is
 * nothing. -ENOMEM. */
int cli_unrecorded_note(struct cli_unrecorded *unrecorded, const struct base_strings *strings, uint32_t pid,
                        uint32_t path);

/* How many there were until now; `*program` is one of them, a string. */
unsigned cli_unrecorded_count(struct cli_unrecorded *unrecorded, const struct base_strings *strings, uint32_t *program);

void cli_unrecorded_free(struct cli_unrecorded *unrecorded);

#endif
