/*
 * A fuzz target: libFuzzer drives it, or replay.c with a fixed corpus.
 */
#ifndef CALLSIG_TESTS_FUZZ_H
#define CALLSIG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
