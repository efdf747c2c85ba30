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

/* How far from the stack pointer, the register that the CFA follows from, or the CFA the program's own frame may reach:
 * loads from there are made without precautions. */
#define FMT_FRAME_REACH (1 << 24)

static inline bool fmt_frame_reaches(int64_t offset)
{
  return offset >= -FMT_FRAME_REACH && offset <= FMT_FRAME_REACH;
}

/*
 * Is the program of one arg, ops[0, count), sound: known codes, registers and sizes that exist, branches that go
 * forward and stay inside, a stack that never underflows, never exceeds FMT_STACK_MAX and has one depth at every op, no
 * op that is never reached, loads from the frame within FMT_FRAME_REACH of a register or the CFA that is pushed right
 * before them, and one EMIT that is the last op and finds exactly what it pops? Whether a range list is there, `arg`,
 * `skip` and fmt_frame_register() are for the caller to check. Anywhere.
 */
bool fmt_program_sound(const struct fmt_op *ops, uint32_t count);

/* The register from which ops[at] of a sound program loads of the frame; -1: none, it is no such op or takes the CFA.
 * Anywhere. */
int fmt_frame_register(const struct fmt_op *ops, uint32_t at);

#endif
