#include "vector.h"

#include <string.h>

#include "large.h"

void *cs_vector_add(struct cs_vector *vector, uint32_t count)
{
  if (count >= UINT32_MAX - vector->count)
    return NULL;
  uint32_t need = vector->count + count;
  if (need > vector->capacity || !vector->data) {
    uint32_t capacity = vector->capacity > UINT32_MAX / 2 ? UINT32_MAX : vector->capacity * 2;
    if (capacity < need)
      capacity = need;
    if (capacity < 16)
      capacity = 16;
    void *data = cs_large_resize(vector->data, vector->capacity * vector->entry_size, capacity * vector->entry_size);
    if (!data)
      return NULL;
    vector->data = data;
    vector->capacity = capacity;
  }
  void *added = cs_vector_at(vector, vector->count);
  memset(added, 0, count * vector->entry_size);
  vector->count = need;
  return added;
}

void cs_vector_free(struct cs_vector *vector)
{
  cs_large_free(vector->data, vector->capacity * vector->entry_size);
  vector->data = NULL;
  vector->count = vector->capacity = 0;
}
