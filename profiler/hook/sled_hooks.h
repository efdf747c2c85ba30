/*
 * The hooks of sleds: entered in assembly, by the code that the runtime puts into a program.
 */
#ifndef CALLSIG_PROFILER_HOOK_SLED_HOOKS_H
#define CALLSIG_PROFILER_HOOK_SLED_HOOKS_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/tree/capture.h"
#include "profiler/tree/returned.h"

/* Called by sleds through their stubs, and by nothing else: they keep every register. */
void prof_sled_enter(void);
void prof_sled_exit(void);
/* The first, with r11 saved as the hook saves it, where the stub of an entry goes at first. */
void prof_sled_unknown(void);
/* Where the code of sites goes on, rax the edge of this call, r10 the control block, rdx the innermost frame; rax, rdx,
 * r10 and r11 are saved as the hook saves them. Miss: there is no such edge. Found: it may not be opened as it is, r11d
 * what its mode differs by from that of the link and of the thread, rcx the caller's edge, and saved. Timed: frame rdx
 * is reserved, and the call is timed. Sample: the same, and the next one is drawn first. */
void prof_sled_miss(void);
void prof_sled_found(void);
void prof_sled_timed(void);
void prof_sled_sample(void);

/* An entry beyond the fast path, with the registers as they were at the sled. */
void prof_sled_entered(const struct prof_registers *registers);
/* The same for a call whose edge is known, as for prof_hook_enter_known(). */
void prof_sled_entered_known(const struct prof_registers *registers, struct fmt_rec_edge *edge);
/* An exit beyond it, with the return address of the sled's call, rsp at the sled, the time if it was read, and the
 * registers at the sled by DWARF number, as far as a call may change them. */
void prof_sled_left(uintptr_t pc, uintptr_t sp, uint64_t ticks, const uint64_t *registers);
/* The same of a frame that was opened by prof_sled_entered(), however its call ended; `returned` NULL: that is not
 * known. */
void prof_sled_ended(uintptr_t pc, uintptr_t sp, uint64_t ticks, const struct prof_returned *returned);

#endif
