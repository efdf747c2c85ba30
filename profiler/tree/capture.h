/*
 * Capture: the words of a call's signature, from its registers and memory.
 */
#ifndef CALLSIG_PROFILER_TREE_CAPTURE_H
#define CALLSIG_PROFILER_TREE_CAPTURE_H

#include "profiler/base/internal.h"

struct prof_capture {
  const struct prof_site *site;
  const struct prof_registers *registers;
  const uint64_t *xmm;   /* low 8 bytes of xmm0..15; NULL when the site does not use them */
  const uint8_t *levels; /* one enum fmt_widening an arg; NULL: none is widened */
  uintptr_t cfa;         /* 0: unknown */
  bool first;            /* maybe the module's first call through the lazy resolver, which destroys rax, r10 and r11 */
};

/* Writes the state words and the words of the args, at most `capacity`, and gives their number in *count. 0, or
 * -ENOBUFS when they are more. Anywhere. */
int prof_capture_words(const struct prof_capture *capture, uint64_t *words, uint32_t capacity, uint32_t *count);

/* Low halves of xmm0..15 as they are now: `xmm` has 16 places. In assembly. */
void prof_capture_xmm(uint64_t *xmm);

/* Where a call of the site's physical function that has this canonical frame address returns to; 0 when that is unknown
 * or another module. */
uintptr_t prof_capture_return(const struct prof_site *site, uintptr_t cfa);

/* What the caller that returns to `return_pc` passed to the site's physical function in register `reg`, or NULL.
 * Anywhere. */
const struct fmt_index_call_value *prof_capture_passed(const struct prof_site *site, uintptr_t return_pc, uint8_t reg);

/* Where the site's frame keeps what callee-saved register `reg` held on entry; NULL: the register still holds it. */
const struct fmt_index_saved *prof_capture_saved(const struct prof_site *site, uint8_t reg);

/* The canonical frame address of a site with these registers. */
uintptr_t prof_capture_cfa(const struct prof_site *site, const struct prof_registers *registers);

#endif
