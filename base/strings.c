/*
 * Keeps every text once, in the bytes that become the string section of an index.
 */
#include "base/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct base_strings {
  char *data;
  size_t size, capacity, most;
  bool is_full;
  uint32_t *slots; /* offsets, 0 for free: the empty string is never looked up */
  size_t slot_count, used;
};

struct base_strings *base_strings_new(void)
{
  struct base_strings *strings = calloc(1, sizeof *strings);
  if (!strings)
    return NULL;
  strings->most = UINT32_MAX;
  strings->capacity = 4096;
  strings->slot_count = 1024;
  strings->data = calloc(1, strings->capacity);
  strings->slots = calloc(strings->slot_count, sizeof *strings->slots);
  if (!strings->data || !strings->slots) {
    base_strings_free(strings);
    return NULL;
  }
  strings->size = 1;
  return strings;
}

void base_strings_free(struct base_strings *strings)
{
  if (!strings)
    return;
  free(strings->data);
  free(strings->slots);
  free(strings);
}

void base_strings_limit(struct base_strings *strings, size_t most)
{
  strings->most = most < UINT32_MAX ? most : UINT32_MAX;
}

bool base_strings_is_full(const struct base_strings *strings)
{
  return strings->is_full;
}

/* The slot that holds `text`, or the free one where it belongs. */
static uint32_t *find_slot(const struct base_strings *strings, const char *text, size_t length)
{
  size_t mask = strings->slot_count - 1;
  size_t at = XXH64(text, length, 0) & mask;
  while (strings->slots[at] && strcmp(strings->data + strings->slots[at], text) != 0)
    at = (at + 1) & mask;
  return &strings->slots[at];
}

static int grow_slots(struct base_strings *strings)
{
  uint32_t *old = strings->slots;
  size_t old_count = strings->slot_count;
  uint32_t *slots = calloc(old_count * 2, sizeof *slots);
  if (!slots)
    return -ENOMEM;
  strings->slots = slots;
  strings->slot_count = old_count * 2;
  for (size_t i = 0; i < old_count; i++) {
    if (old[i]) {
      const char *text = strings->data + old[i];
      *find_slot(strings, text, strlen(text)) = old[i];
    }
  }
  free(old);
  return 0;
}

static int append(struct base_strings *strings, const char *text, size_t length, uint32_t *offset)
{
  if (length >= strings->most || strings->size > strings->most - length - 1) {
    strings->is_full = true;
    return -E2BIG;
  }
  if (strings->capacity - strings->size < length + 1) {
    size_t capacity = strings->capacity * 2 + length + 1;
    char *data = realloc(strings->data, capacity);
    if (!data)
      return -ENOMEM;
    strings->data = data;
    strings->capacity = capacity;
  }
  memcpy(strings->data + strings->size, text, length + 1);
  *offset = (uint32_t)strings->size;
  strings->size += length + 1;
  return 0;
}

int base_strings_add(struct base_strings *strings, const char *text, uint32_t *offset)
{
  size_t length = strlen(text);
  if (length == 0) {
    *offset = 0;
    return 0;
  }
  if (strings->used * 2 >= strings->slot_count) {
    int result = grow_slots(strings);
    if (result < 0)
      return result;
  }
  uint32_t *slot = find_slot(strings, text, length);
  if (!*slot) {
    uint32_t added = 0;
    int result = append(strings, text, length, &added);
    if (result < 0)
      return result;
    *slot = added;
    strings->used++;
  }
  *offset = *slot;
  return 0;
}

const char *base_strings_at(const struct base_strings *strings, uint32_t offset)
{
  return strings->data + offset;
}

const char *base_strings_data(const struct base_strings *strings, size_t *size)
{
  *size = strings->size;
  return strings->data;
}
