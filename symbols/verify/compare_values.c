/*
 * Holds a value that the index reads against one that is described or passed.
 */
#include "symbols/verify/compare.h"

enum {
  VECTORS = 8,     /* xmm0 to xmm7 pass arguments */
  STACK_WORDS = 32 /* of the stack's arguments that are looked at */
};

unsigned vf_state_of(const struct vf_subject *subject)
{
  uint32_t first = subject->site->first_state;
  return (unsigned)(subject->index->states[first + subject->arg / 16] >> (subject->arg % 16 * 4)) & 15u;
}

bool vf_same_value(const struct vf_type *type, const struct vf_emitted *emitted, const struct vf_value *value,
                   bool is_nullness)
{
  if (value->status != VF_READ)
    return false;
  if (is_nullness && emitted->is_constant)
    return emitted->value == (value->is_object || value->value != 0);
  if (value->is_object)
    return false;
  /* The index may read the place of a truth itself, in which there is no other bit but for what is made up here. */
  if (value->is_bit && type->kind == FMT_TYPE_BOOL)
    return ((emitted->value ^ value->value) & 1) == 0;
  unsigned size = is_nullness ? 8 : type->size;
  return emitted->value == vf_extend(value->value, size, !is_nullness && type->is_signed);
}

static bool is_word(const struct vf_subject *subject, const struct vf_emitted *emitted, uint64_t word, unsigned size)
{
  const struct vf_value value = {.status = VF_READ, .value = vf_extend(word, size, false)};
  return vf_same_value(subject->parameter->type, emitted, &value, subject->is_nullness);
}

int vf_register_passed(const struct vf_subject *subject, const struct vf_machine *machine,
                       const struct vf_emitted *emitted, unsigned size)
{
  static const uint8_t integers[] = {5, 4, 1, 2, 8, 9}; /* rdi, rsi, rdx, rcx, r8, r9 */
  for (unsigned i = 0; i < sizeof integers; i++)
    if (is_word(subject, emitted, machine->registers[integers[i]], size))
      return integers[i];
  return -1;
}

bool vf_is_passed(const struct vf_subject *subject, const struct vf_machine *machine, const struct vf_emitted *emitted,
                  unsigned size)
{
  if (vf_register_passed(subject, machine, emitted, size) >= 0)
    return true;
  for (unsigned i = 0; i < VECTORS; i++)
    if (is_word(subject, emitted, machine->vectors[i], size))
      return true;
  for (unsigned i = 0; i < STACK_WORDS; i++) {
    uint64_t word;
    if (vf_machine_read(machine, machine->registers[VF_RSP] + 8 * (i + 1), 8, &word) &&
        is_word(subject, emitted, word, size))
      return true;
  }
  return false;
}
