/*
 * Stubs: what sleds call, near the module, and the code of a site that they go on to.
 *
 * A stub is a jump through a word. At first that leads to the hook; once the site's calls are known, to code that was
 * made for it, which finds the edge of a call by caller and arguments, compares them, and opens the frame, each without
 * a loop.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_STUB_STUB_H
#define CALLSIG_PROFILER_ARCH_X86_64_STUB_STUB_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/tree/fast_compare.h"

#define PROF_STUB_SIZE 8u

/* Writes the stub at `place` that jumps to where `target` says, within two gigabytes of it. */
void prof_stub_write(uint8_t *place, const uintptr_t *target);

/* Writes code for the calls of a sled's site whose arguments `compare` says all of. Gives its bytes, at most
 * `capacity`; 0 when they are not enough, or when it has an op that only the hook compares. It opens edges that have
 * `number`, not 0, in the upper half of their mode. */
size_t prof_site_code_write(uint8_t *target, size_t capacity, const struct prof_fast_compare *compare, uint16_t number);

#endif
