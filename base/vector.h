/*
 * A growing array, for the sections of an index while they are being made.
 *
 * Zero-initialise and set `entry_size`; free `data` with base_vector_free(). Not thread-safe.
 */
#ifndef CALLSIG_BASE_VECTOR_H
#define CALLSIG_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct base_vector {
  void *data;
  uint32_t count, capacity;
  size_t entry_size;
};

/* A vector of entries of `type`. */
#define BASE_VECTOR_OF(type)                                                                                           \
  {                                                                                                                    \
    .entry_size = sizeof(type)                                                                                         \
  }

/* Entry `index`, which must exist. */
static inline void *base_vector_at(const struct base_vector *vector, uint32_t index)
{
  return (char *)vector->data + (size_t)index * vector->entry_size;
}

/* Makes room for `count` entries more. False when memory is short or an index would not fit 32 bits. */
bool base_vector_grow(struct base_vector *vector, uint32_t count);

/* Adds `count` zeroed entries and returns the first, valid until the next addition. NULL when memory is short or an
 * index would not fit 32 bits. */
static inline void *base_vector_add(struct base_vector *vector, uint32_t count)
{
  if ((count > vector->capacity - vector->count || !vector->data) && !base_vector_grow(vector, count))
    return NULL;
  void *added = memset(base_vector_at(vector, vector->count), 0, count * vector->entry_size);
  vector->count += count;
  return added;
}

/* Frees the entries and leaves an empty vector, which can be used again. */
void base_vector_free(struct base_vector *vector);

#endif
