/*
 * Memory that is given back all at once: what a build or a rules file owns until its end.
 *
 * Not thread-safe.
 */
#ifndef CALLSIG_SYMBOLS_ARENA_H
#define CALLSIG_SYMBOLS_ARENA_H

#include <stdarg.h>
#include <stddef.h>

/* Zero-initialise; no other set-up. */
struct cs_arena {
  struct cs_arena_chunk *chunks;
  size_t used; /* bytes of the newest chunk */
};

/* `size` zeroed bytes, aligned for any object, valid until cs_arena_free(). NULL when memory is short. */
void *cs_arena_alloc(struct cs_arena *arena, size_t size);

/* A copy of `size` bytes of `data`, followed by a NUL that `size` does not count. */
void *cs_arena_copy(struct cs_arena *arena, const void *data, size_t size);

/* A formatted string. NULL when memory is short. */
char *cs_arena_printf(struct cs_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *cs_arena_vprintf(struct cs_arena *arena, const char *format, va_list list) __attribute__((format(printf, 2, 0)));

/* Gives everything back; the arena can be used again. */
void cs_arena_free(struct cs_arena *arena);

#endif
