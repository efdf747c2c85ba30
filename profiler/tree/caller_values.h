/*
 * What the caller of a function says that it passed, for arguments that the function itself no longer has.
 */
#ifndef CALLSIG_PROFILER_TREE_CALLER_VALUES_H
#define CALLSIG_PROFILER_TREE_CALLER_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
#include "profiler/module/site.h"

/* Where a call of the site's physical function that has this canonical frame address returns to, `stack` being its
 * stack pointer; 0 when that is unknown, cannot be read, or is in another module. */
uintptr_t prof_capture_return(const struct prof_site *site, uintptr_t cfa, uintptr_t stack);

/* Where the site's frame keeps its return address, from the canonical frame address. False: that is not known. */
bool prof_capture_return_offset(const struct prof_site *site, int32_t *offset);

/* What the caller that returns to `return_pc` passed to the site's physical function in register `reg`, or NULL.
 * Anywhere. */
const struct fmt_index_call_value *prof_capture_passed(const struct prof_site *site, uintptr_t return_pc, uint8_t reg);

/* Where the site's frame keeps what callee-saved register `reg` held on entry; NULL: the register still holds it. */
const struct fmt_index_saved *prof_capture_saved(const struct prof_site *site, uint8_t reg);

#endif
