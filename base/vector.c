/*
 * Makes room in a growing array.
 */
#include "base/vector.h"

#include "base/hugepage_array.h"

bool base_vector_grow(struct base_vector *vector, uint32_t count)
{
  const uint32_t most = UINT32_MAX - 1;
  if (count > most - vector->count)
    return false;
  uint32_t need = vector->count + count, capacity = vector->capacity > most / 2 ? most : vector->capacity * 2;
  if (capacity < need)
    capacity = need;
  if (capacity < 16)
    capacity = 16;
  void *data =
      base_hugepage_array_resize(vector->data, vector->capacity * vector->entry_size, capacity * vector->entry_size);
  if (!data)
    return false;
  vector->data = data;
  vector->capacity = capacity;
  return true;
}

void base_vector_free(struct base_vector *vector)
{
  base_hugepage_array_free(vector->data, vector->capacity * vector->entry_size);
  vector->data = NULL;
  vector->count = vector->capacity = 0;
}
