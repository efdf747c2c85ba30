/*
 * The calls in the sleds of a process that runs: taken out of its text, and put back, one byte each
 * (format/sled_idle.h).
 *
 * Its text is written by /proc/PID/mem, as a debugger writes breakpoints; but the process is not stopped or traced, and
 * gets no signal.
 */
#ifndef CALLSIG_CLI_IDLE_SLEDS_H
#define CALLSIG_CLI_IDLE_SLEDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

struct cli_sled {
  uint64_t address; /* in the process */
  uint8_t shape;    /* enum fmt_sled_shape */
  bool is_entry;
};

/* Adds the sleds of the modules that stay (fmt_rec_module.stays), as the recording open at `file` has them, to `sleds`,
 * struct cli_sled. Returns 0; or a negative errno: it cannot be read, which a message of `path` tells, or memory is
 * short. */
int cli_sleds_read(int file, const char *path, struct base_vector *sleds);

/* Takes the calls of the runtime's own code out of these sleds of the process, or puts them back; others stay as they
 * are. Exits have their calls for longer than entries. Before each that is taken out `goes_on` is asked with `data`,
 * and when it says no the rest is left: -ECANCELED. Returns 0; -EBUSY where a debugger's breakpoint keeps some from
 * being put back; or the negative errno of writing its text: then some may have been switched. Gives no message. */
int cli_sleds_switch(pid_t pid, const struct base_vector *sleds, bool out, bool (*goes_on)(const void *data),
                     const void *data);

#endif
