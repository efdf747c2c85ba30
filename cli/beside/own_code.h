/* Which of a program's memory the runtime wrote machine code into, as the program's recording tells. */
#ifndef CALLSIG_CLI_BESIDE_OWN_CODE_H
#define CALLSIG_CLI_BESIDE_OWN_CODE_H

#include <sys/types.h>

#include "cli/beside/samples.h"

/* Gives the samples in such memory, and in libcallsig.so, the module FMT_OWN_CODE. The samples are sorted, also
 * afterwards. Returns 0, -ENOENT when there is no recording of process `pid` at `path`, -ENOMEM, or the error of
 * reading it. */
int cli_own_code_find(const char *path, pid_t pid, struct cli_samples *samples);

#endif
