/*
 * Capture programs of an index, before they are run.
 */
#ifndef CALLSIG_FORMAT_PROGRAM_H
#define CALLSIG_FORMAT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"

/* Ops of one arg at most: DWARF expressions of compilers have a few, rarely thirty. */
#define FMT_PROGRAM_MAX 96u

/*
 * Is the program of one arg, ops[0, count), sound: known codes, registers and sizes that exist, branches that go
 * forward and stay inside, a stack that never underflows, never exceeds FMT_STACK_MAX and has one depth at every op, no
 * op that is never reached, and one EMIT that is the last op and finds exactly what it pops? Whether a range list is
 * there, and `arg` and `skip`, are for the caller to check. Anywhere.
 */
bool fmt_program_sound(const struct fmt_op *ops, uint32_t count);

#endif
