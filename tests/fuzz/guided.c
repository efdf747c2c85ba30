/* What libFuzzer mutates inputs by: the target's own way most of the time, and its own for the rest. */
#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
  size_t made =
      fuzz_mutate && seed % 8 != 0 ? fuzz_mutate(data, size, room, seed * UINT64_C(0x9E3779B97F4A7C15) | 1) : 0;
  return made ? made : LLVMFuzzerMutate(data, size, room);
}
