/* The allocations of failing_memory.h: counted, and one of them refused. */
#include "tests/support/failing_memory.h"

#include <stdbool.h>

size_t allocations, failing_at;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool fails(void)
{
  return ++allocations == failing_at;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
  return fails() ? NULL : __real_realloc(memory, size);
}
