/*
 * What lies behind a pointer, for the code of a site.
 *
 * No C functions: the code of a sled's site calls them, in whose red zone they use places that the hook saves registers
 * in, by DWARF number 3, 4, 6, 14 and 15. The address is in rdx. They set the carry where what is there is not known to
 * be there (profiler/base/known_pages.h), may lie in two pages, or faults; then rax and r11 are lost. Nothing else
 * changes but rdx, flags, and what is said below.
 */
#ifndef CALLSIG_PROFILER_ARCH_X86_64_STUB_FOLLOW_H
#define CALLSIG_PROFILER_ARCH_X86_64_STUB_FOLLOW_H

/* So many bytes, which lie at a multiple of as many, in rdx, zeros above them. */
void prof_follow_1(void) __attribute__((visibility("hidden")));
void prof_follow_2(void) __attribute__((visibility("hidden")));
void prof_follow_4(void) __attribute__((visibility("hidden")));
void prof_follow_8(void) __attribute__((visibility("hidden")));

/* Adds the text there to the hash in rax by crc32, nothing for NULL. The four bytes in the place of rsi say how many
 * bytes it has at most; the carry too where it has more. */
void prof_follow_text(void) __attribute__((visibility("hidden")));
/* Compares the text with the words of an edge, which the place of r14 leads to, and has that lead behind them. The
 * carry too where they differ. What prof_follow_text() has just hashed. Changes r11. */
void prof_follow_same(void) __attribute__((visibility("hidden")));

/* For prof_net_guard(). */
extern const char prof_follow_begin[] __attribute__((visibility("hidden")));
extern const char prof_follow_end[] __attribute__((visibility("hidden")));
extern const char prof_follow_failed[] __attribute__((visibility("hidden")));

#endif
