/*
 * Preloaded into a command: its allocation number FAIL_ALLOCATION (counted from 1) finds no memory, and all after it,
 * or with FAIL_ALLOCATION_ONCE set that one alone. With FAIL_ALLOCATION_IN set, in programs of that name alone. With
 * FAIL_ALLOCATION_COUNT set, how many there were is written to that file when the command ends. With
 * FAIL_ALLOCATION_WAYS set, that file gets a line for each: its number, and one that allocations by the same way of
 * calls have in common.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

#define MOST_RETURNS 10 /* that tell ways apart: two are of this file */

static unsigned long count, limit;
static bool once;
static int ways = -1; /* the file that allocations are told in */
static __thread bool is_telling;

__attribute__((constructor)) static void begin(void)
{
  const char *text = getenv("FAIL_ALLOCATION"), *name = getenv("FAIL_ALLOCATION_IN"),
             *path = getenv("FAIL_ALLOCATION_WAYS");
  const bool is_meant = text && (!name || strcmp(name, program_invocation_short_name) == 0);
  void *first;
  if (is_meant && path && backtrace(&first, 1) > 0) /* which loads what it needs */
    ways = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  once = getenv("FAIL_ALLOCATION_ONCE") != NULL;
  limit = is_meant ? strtoul(text, NULL, 10) : 0;
  count = 0;
}

static void tell(unsigned long number)
{
  void *returns[MOST_RETURNS];
  uint64_t way = 14695981039346656037u;
  if (ways < 0)
    return;
  is_telling = true;
  const int found = backtrace(returns, MOST_RETURNS);
  for (int i = 0; i < found; i++)
    way = (way ^ (uintptr_t)returns[i]) * 1099511628211u;
  dprintf(ways, "%lu %lu\n", number, (unsigned long)way);
  is_telling = false;
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
  if (limit == 0 || is_telling)
    return 0;
  unsigned long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  tell(number);
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
