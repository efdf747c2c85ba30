/*
 * A fuzz target: libFuzzer drives it (guided.c), or replay.c with a fixed corpus. Each file fuzz_<what>.c is one.
 */
#ifndef CALLSIG_TESTS_FUZZ_H
#define CALLSIG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Changes an input in place, in a way that its format's structure leads: what it becomes follows from `seed` alone. The
 * result is its new size, at most `room`; 0: it is not of this format, and nothing was changed. */
typedef size_t fuzz_mutate_fn(uint8_t *data, size_t size, size_t room, uint64_t seed);

/* The target's own, or NULL. */
extern fuzz_mutate_fn *const fuzz_mutate;

/* Those that there are. A recording's records are changed behind its header, and its sizes put right; of an index the
 * entries of its sections; of an ELF file the contents of its sections, above all of those with debug information and
 * sleds. */
fuzz_mutate_fn fuzz_mutate_recording, fuzz_mutate_index, fuzz_mutate_elf;

#endif
