/*
 * Capture: the words of a call's signature, from its registers and memory.
 */
#ifndef CALLSIG_PROFILER_TREE_CAPTURE_H
#define CALLSIG_PROFILER_TREE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/index.h"
#include "profiler/arch/registers.h"
#include "profiler/module/site.h"

/* Registers as they were at the call of the enter hook, by DWARF number; [PROF_SP] is the stack pointer before it. */
struct prof_registers {
  uint64_t general[PROF_REGISTERS];
  uint64_t pc; /* the probe site: where the hook returns to */
};

struct prof_capture {
  const struct prof_site *site;
  const struct prof_registers *registers;
  const uint64_t *xmm;   /* low 8 bytes of PROF_VECTORS registers; NULL when the site does not use them */
  const uint8_t *levels; /* one enum fmt_widening an arg; NULL: none is widened */
  uintptr_t cfa;         /* 0: unknown */
  bool first;            /* maybe the module's first call through the lazy resolver, which destroys rax, r10 and r11 */
};

/* Writes the state words and the words of the args, at most `capacity`, and gives their number in *count. 0, or
 * -ENOBUFS when they are more. Anywhere. */
int prof_capture_words(const struct prof_capture *capture, uint64_t *words, uint32_t capacity, uint32_t *count);

/* The same of one arg, whose program begins at the site's op `at`: its state goes to the state words, and its words
 * behind the *count that are there already. Anywhere. */
int prof_capture_arg(const struct prof_capture *capture, uint32_t at, uint64_t *words, uint32_t capacity,
                     uint32_t *count);

/* The bucket of a value in a list of FMT_SECTION_RANGES: how many of its bounds are not above it. Anywhere. */
uint64_t prof_capture_range(const int64_t *list, uint64_t value, bool is_signed);

/* The canonical frame address of a site with these registers. */
uintptr_t prof_capture_cfa(const struct prof_site *site, const struct prof_registers *registers);

#endif
