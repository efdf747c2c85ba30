/*
 * Stubs: the code that sleds call, near the module, made when they are switched on.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_SLED_STUB_H
#define CALLSIG_PROFILER_ARCH_X86_64_SLED_STUB_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/module/module_find.h"

/* What the runtime knows of an entry sled by its stub: it lies directly before the code that the sled calls. */
struct prof_stub {
  uintptr_t function; /* this_fn of the sled's hooks */
  uintptr_t hook;     /* where the stub goes on when it does not know the edge */
};

/* The most bytes that a stub of this module's site (an index of its sites) takes, with its struct prof_stub. */
size_t prof_stub_bound(const struct prof_module *module, uint32_t site);
/* Writes the stub of an entry sled at `target`, 16-byte aligned. Gives its size, a multiple of 16; what the sled is to
 * call lies behind its struct prof_stub. */
size_t prof_stub_write(uint8_t *target, const struct prof_module *module, const struct fmt_index_sled *sled);
/* The same for all exit sleds of a module. */
size_t prof_stub_write_exit(uint8_t *target);

/* The stub whose code lies at `code`. */
static inline const struct prof_stub *prof_stub_of(uintptr_t code)
{
  return (const struct prof_stub *)code - 1;
}

#endif
