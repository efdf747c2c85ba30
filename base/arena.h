/*
 * Memory that is given back all at once: what a build or a rules file owns until its end.
 *
 * Not thread-safe.
 */
#ifndef CALLSIG_BASE_ARENA_H
#define CALLSIG_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/* Zero-initialise; no other set-up. */
struct base_arena {
  struct base_arena_chunk *chunks;
  size_t used; /* bytes of the newest chunk */
};

/* `size` zeroed bytes, aligned for any object, valid until base_arena_free(). NULL when memory is short. */
void *base_arena_alloc(struct base_arena *arena, size_t size);

/* A copy of `size` bytes of `data`, followed by a NUL that `size` does not count. */
void *base_arena_copy(struct base_arena *arena, const void *data, size_t size);

/* A formatted string. NULL when memory is short. */
char *base_arena_printf(struct base_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *base_arena_vprintf(struct base_arena *arena, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));

/* Gives everything back; the arena can be used again. */
void base_arena_free(struct base_arena *arena);

#endif
