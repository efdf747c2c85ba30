/*
 * The instructions of sleds on x86-64: what lies there while one is off, and the call that it is turned into.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_SLED_SLED_TEXT_H
#define CALLSIG_PROFILER_ARCH_X86_64_SLED_SLED_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/sled.h"

#define PROF_SLED_REACH 0x7fff0000u /* bytes between a sled and what it may call */

/* Does a sled of this shape (enum fmt_sled_shape) lie there, off or a call of `target`, maybe taken out
 * (format/sled_idle.h), so that it may be switched? */
bool prof_sled_is(uintptr_t address, unsigned shape, uintptr_t target);
/* What the sled of this shape there calls, or called before its call was taken out; 0: it is off, or something else
 * lies there. */
uintptr_t prof_sled_called(uintptr_t address, unsigned shape);
/* Was its call taken out? */
bool prof_sled_is_idle(uintptr_t address, unsigned shape);
/* Is a sled of this shape that begins with these bytes on, or its call taken out? */
bool prof_sled_is_call(const uint8_t text[FMT_SLED_CALL], unsigned shape);
/* Makes the sled a call of `target`, which is within reach, or (`target` 0) a no-op again. Its memory is writable.
 * Threads may be running through it: each takes it as it was or as it is now. */
void prof_sled_switch(uintptr_t address, unsigned shape, uintptr_t target);

/* Does a function lie there that only returns, with room behind it, in the same aligned 8 bytes, for a jump? */
bool prof_text_is_empty_function(uintptr_t address);
/* Makes it a jump to `target`, which is within reach. Its memory is writable. */
void prof_text_jump(uintptr_t address, uintptr_t target);

#endif
