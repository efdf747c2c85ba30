/*
 * Stubs: what sleds call, near the module, and the code for calls of one shape that they go on to.
 *
 * The stub of an entry goes where its link says. At first that is the hook; once the site's calls are known, code for
 * calls that are compared as these are, which finds the edge of a call by caller, site and arguments, compares them,
 * and opens the frame, each without a loop. Sites whose calls are compared alike share it: what a site has of its own
 * is its stub of 16 bytes, so that the hot code of a program with many hot functions still fits the processor's caches.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_STUB_STUB_H
#define CALLSIG_PROFILER_ARCH_X86_64_STUB_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/hook/library_hooks.h"
#include "profiler/tree/fast_compare.h"

#define PROF_STUB_SIZE 16u
#define PROF_EXIT_SIZE (16 * PROF_STUB_SIZE)

/* Where the stub of an entry goes, and with what. Never changed: a site that has other code gets another link. */
struct prof_site_link {
  uintptr_t code;
  uint32_t mode; /* of the edges that are looked for, where they need nothing but to be opened; with
                    PROF_MODE_EVER_ACTIVE where they may */
  uint32_t hash; /* what the hash that they are looked for by begins with */
};

/* `flags`, here and below, are the sled's: whether rax, r10 and r11 of its function are nobody's there (FMT_SLED_FREE),
 * and r8 and r9 (FMT_SLED_SPARE), and whether the function calls nothing (FMT_SLED_LEAF); others are not looked at. */

/* Writes the stub of an entry at `place`; `link`, within two gigabytes of it, is the word with its link. */
void prof_stub_write(uint8_t *place, const struct prof_site_link **link, unsigned flags);
/* Writes what exits call, PROF_EXIT_SIZE bytes: takes a frame off that was counted when it began, and a leaf may have
 * none; `hook`, within two gigabytes of it, is the word with the address of the hook for all others. */
void prof_exit_write(uint8_t *place, const uintptr_t *hook, unsigned flags);
/* Writes a stub that jumps to the address in the word at `target`, within two gigabytes. */
void prof_stub_write_jump(uint8_t *place, const uintptr_t *target);

/* Writes the stub of an import: goes on at the address in the word at `hook`, with `call` in r11. Both lie within two
 * gigabytes. */
void prof_library_stub_write(uint8_t *place, const struct prof_library_call *call, const uintptr_t *hook);

/* Writes code for calls whose arguments `compare` says all of, and that are told apart by whether pointers are NULL
 * where `nulls` says so of the op, as prof_fast_compare_nulls() does. Gives its bytes, at most `capacity`; 0 when they
 * are not enough, or when it has an op that only the hook compares. */
size_t prof_site_code_write(uint8_t *target, size_t capacity, const struct prof_fast_compare *compare, uint32_t nulls,
                            unsigned flags);

/* The link to this code for the edges that have `number`, not 0, in the upper half of their mode. */
struct prof_site_link prof_site_code_link(const uint8_t *code, const struct prof_fast_compare *compare,
                                          uint16_t number);

#endif
