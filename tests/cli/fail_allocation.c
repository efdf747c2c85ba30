/*
 * Preloaded into a command: its allocation number FAIL_ALLOCATION (counted from 1) finds no memory, and all after it,
 * or with FAIL_ALLOCATION_ONCE set that one alone. With FAIL_ALLOCATION_IN set, in programs of that name alone. With
 * FAIL_ALLOCATION_COUNT set, how many there were is written to that file when the command ends.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static unsigned long count, limit;
static bool once;

__attribute__((constructor)) static void begin(void)
{
  const char *text = getenv("FAIL_ALLOCATION"), *name = getenv("FAIL_ALLOCATION_IN");
  once = getenv("FAIL_ALLOCATION_ONCE") != NULL;
  limit = text && (!name || strcmp(name, program_invocation_short_name) == 0) ? strtoul(text, NULL, 10) : 0;
  count = 0;
}

__attribute__((destructor)) static void end(void)
{
  const char *path = getenv("FAIL_ALLOCATION_COUNT");
  unsigned long made = count, counted = limit;
  limit = 0;
  FILE *file = path && counted ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%lu\n", made);
    fclose(file);
  }
}

static int fails(void)
{
  if (limit == 0)
    return 0;
  unsigned long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (once ? number != limit : number < limit)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size)
{
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
  return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
  return fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t number, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(number, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, bytes);
}
