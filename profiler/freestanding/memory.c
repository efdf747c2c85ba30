/*
 * What the compiler's own calls of memcpy(), memmove() and memset() come to.
 */
#include "profiler/freestanding/memory.h"

#include <stdint.h>

#include "profiler/arch/primitives.h"

void *prof_copy_bytes(void *target, const void *source, size_t size)
{
  prof_bytes_copy(target, source, size);
  return target;
}

void *prof_move_bytes(void *target, const void *source, size_t size)
{
  if ((uintptr_t)target - (uintptr_t)source >= size)
    return prof_copy_bytes(target, source, size);
  for (size_t i = size; i-- > 0;)
    ((volatile uint8_t *)target)[i] = ((const uint8_t *)source)[i];
  return target;
}

void *prof_fill_bytes(void *target, int byte, size_t size)
{
  prof_bytes_fill(target, byte, size);
  return target;
}
