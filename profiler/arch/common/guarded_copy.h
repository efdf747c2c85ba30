/* A copy of memory that may not be there. */
#ifndef CALLSIG_PROFILER_ARCH_COMMON_GUARDED_COPY_H
#define CALLSIG_PROFILER_ARCH_COMMON_GUARDED_COPY_H

#include <stdint.h>

/* Copies `size` bytes, at least 1, from `address`. 0; or -1 when one of them faulted and the handler that is entered at
 * prof_fault_entry was there. Anywhere. */
long prof_guarded_copy(void *target, uintptr_t address, uint64_t size);
/* The same up to and with the first NUL byte, at most `size`: how many bytes it copied, or -1. Anywhere. */
long prof_guarded_text(void *target, uintptr_t address, uint64_t size);

/* Every instruction that may fault lies in [begin, end); the copy is given up at `failed`. */
extern const char prof_guarded_begin[] __attribute__((visibility("hidden")));
extern const char prof_guarded_end[] __attribute__((visibility("hidden")));
extern const char prof_guarded_failed[] __attribute__((visibility("hidden")));

/* What the kernel enters for a fault. It calls *prof_fault_taken, which is set before, and goes on to the handler that
 * this returns, if any, with its own arguments and nothing else on the stack. */
extern uintptr_t (*prof_fault_taken)(int number, void *info, void *context) __attribute__((visibility("hidden")));
void prof_fault_entry(int number, void *info, void *context) __attribute__((visibility("hidden")));

#endif
