/*
 * The hooks of sleds: entered in assembly, by the code that the runtime puts into a program.
 */
#ifndef CALLSIG_PROFILER_HOOK_SLED_HOOKS_H
#define CALLSIG_PROFILER_HOOK_SLED_HOOKS_H

#include <stdint.h>

#include "profiler/tree/capture.h"

/* Called by sleds through their stubs, and by nothing else: they keep every register. */
void prof_sled_enter(void);
void prof_sled_exit(void);
/* Where the code of a site goes on, rax the edge whose site, caller and arguments are this call's, r10 the control
 * block; rax, rdx, r10 and r11 are saved as the hook saves them. Found: no frame is open yet. Timed and sample: frame
 * rdx is reserved, and the call is timed; for a sample the next one is drawn first. */
void prof_sled_found(void);
void prof_sled_timed(void);
void prof_sled_sample(void);

/* An entry beyond the fast path, with the registers as they were at the sled. */
void prof_sled_entered(const struct prof_registers *registers);
/* An exit beyond it, with the return address of the sled's call, rsp at the sled, and the time if it was read. */
void prof_sled_left(uintptr_t pc, uintptr_t sp, uint64_t ticks);

#endif
