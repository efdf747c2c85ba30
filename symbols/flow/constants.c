/*
 * What is known of registers and slots: joined, stored and forgotten.
 */
#include "symbols/flow/constants.h"

void sym_constants_begin(struct sym_constants *state)
{
  *state = (struct sym_constants){.is_reached = true, .has_depth = true};
}

static bool join_value(uint64_t *into, uint64_t value)
{
  if (value == SYM_CONSTANT_NONE || value == *into || *into == SYM_CONSTANT_SEVERAL)
    return false;
  *into = *into == SYM_CONSTANT_NONE ? value : SYM_CONSTANT_SEVERAL;
  return true;
}

bool sym_constants_join(struct sym_constants *state, const struct sym_constants *way)
{
  if (!way->is_reached)
    return false;
  if (!state->is_reached) {
    *state = *way;
    return true;
  }
  bool changed = false;
  for (unsigned i = 0; i < FMT_REGISTERS_MAX; i++)
    changed |= join_value(&state->registers[i], way->registers[i]);
  for (unsigned i = 0; i < SYM_CONSTANT_SLOTS; i++)
    changed |= join_value(&state->slots[i], way->slots[i]);
  if (state->has_depth && (!way->has_depth || way->depth != state->depth)) {
    state->has_depth = false;
    changed = true;
  }
  return changed;
}

uint64_t *sym_constants_slot(struct sym_constants *state, struct sym_constant_slots *slots, int64_t key, bool add)
{
  for (unsigned i = 0; i < slots->count; i++)
    if (slots->keys[i] == key)
      return &state->slots[i];
  if (!add || slots->count == SYM_CONSTANT_SLOTS)
    return NULL;
  slots->keys[slots->count] = key;
  return &state->slots[slots->count++];
}

void sym_constants_overwrite(struct sym_constants *state, const struct sym_constant_slots *slots, int64_t key,
                             unsigned size)
{
  for (unsigned i = 0; i < slots->count; i++)
    if (slots->keys[i] > key - 8 && slots->keys[i] < key + size)
      state->slots[i] = SYM_CONSTANT_NONE;
}

void sym_constants_store(struct sym_constants *state, struct sym_constant_slots *slots, int64_t key, uint64_t value)
{
  sym_constants_overwrite(state, slots, key, 8);
  uint64_t *slot = sym_constants_slot(state, slots, key, value != SYM_CONSTANT_NONE);
  if (slot)
    *slot = value;
}
