/*
 * Compares how the index reads a parameter at a sled with what libdwarf and the function's code say of it.
 */
#include "symbols/verify/compare.h"
#include "symbols/verify/die.h"
#include "symbols/verify/emulate.h"

enum { STEPS_MAX = 400 }; /* instructions after a sled that are followed */

/* Runs the code after the sled and holds every value that it puts where DWARF says that the parameter is then against
 * `emitted`, NULL for none. The first need not be the parameter: clang makes room for it by pushing any register. What
 * stood before where it is all the while is no such value. Where straight code leads to none, VF_BY_CODE. `*other` is
 * the first that is not it, where the outcome is VF_DIFFER. */
static enum vf_outcome run_on(const struct vf_subject *subject, const struct vf_place *place, unsigned size,
                              const struct vf_emitted *emitted, uint64_t *other)
{
  struct vf_stores stores = {.count = 0};
  struct vf_machine machine = *place->machine;
  struct vf_place running = *place;
  struct vf_value before;
  enum vf_outcome outcome = VF_BY_CODE;
  machine.stores = &stores;
  running.machine = &machine;
  running.running = place->sled_end;
  vf_evaluate(&running, subject->die, subject->parameter->die, VF_RUNNING, size, &before);
  for (int step = 0; step < STEPS_MAX && vf_emulate(subject->code, &machine, &running.running); step++) {
    struct vf_value value;
    stores.reads = 0;
    /* The frame is that of the instruction that comes next: the stack pointer moves on the way. */
    running.pc = running.running + 1;
    vf_evaluate(&running, subject->die, subject->parameter->die, VF_RUNNING, size, &value);
    bool is_old = value.is_single && !value.is_made && before.status == VF_READ && value.value == before.value;
    if (value.status != VF_READ || (value.is_slot && !stores.reads) || is_old)
      continue;
    if (emitted && vf_same_value(subject->parameter->type, emitted, &value, subject->is_nullness))
      return VF_AGREE;
    if (outcome != VF_DIFFER)
      *other = value.value;
    outcome = VF_DIFFER;
  }
  return outcome;
}

/* Whether `other`, which the code after the sled puts where DWARF says that the parameter is then, is made of what the
 * index reads: it is another one with another argument in that register. Where the address of a parameter is taken and
 * the function sets it first (`words[at++]`), clang 14 and 16 tell of what it has made of it alone. */
static bool is_made_of_passed(const struct vf_subject *subject, const struct vf_place *place, unsigned size,
                              const struct vf_emitted *emitted, uint64_t other)
{
  struct vf_machine machine = *place->machine;
  struct vf_place changed = *place;
  const int reg = vf_register_passed(subject, &machine, emitted, size);
  uint64_t another = other;
  if (reg < 0 || !vf_is_clang(place->object->dbg, subject->die))
    return false;
  machine.registers[reg]++;
  machine.entry[reg] = machine.registers[reg];
  changed.machine = &machine;
  return run_on(subject, &changed, size, NULL, &another) == VF_DIFFER && another != other;
}

/* Whether the code after the sled puts something else where DWARF says all the while that the parameter is: then it
 * does not lie there before. */
static bool is_filled_later(const struct vf_subject *subject, const struct vf_place *place, unsigned size,
                            const struct vf_value *at_sled)
{
  struct vf_stores stores = {.count = 0};
  struct vf_machine machine = *place->machine;
  struct vf_place running = *place;
  machine.stores = &stores;
  running.machine = &machine;
  running.running = place->sled_end;
  for (int step = 0; step < STEPS_MAX && vf_emulate(subject->code, &machine, &running.running); step++) {
    struct vf_value value;
    running.pc = running.running + 1;
    vf_evaluate(&running, subject->die, subject->parameter->die, VF_RUNNING, size, &value);
    if (value.status == VF_READ && value.value != at_sled->value)
      return true;
  }
  return false;
}

enum vf_outcome vf_compare_sled(const struct vf_subject *subject, const struct vf_place *place)
{
  const struct vf_type *type = subject->parameter->type;
  bool reads = vf_state_of(subject) == FMT_STATE_READ, is_readable = false, is_made = false, is_told = false;
  unsigned size = subject->is_nullness ? 8 : type->size;
  uint64_t other = 0;
  struct vf_machine machine = *place->machine;
  struct vf_place entered = *place, behind;
  struct vf_emitted emitted;
  struct vf_value value;
  /* Nothing has run: a value on entry is what is there. */
  for (unsigned i = 0; i < VF_REGISTERS; i++)
    machine.entry[i] = machine.registers[i];
  entered.machine = &machine;
  behind = entered;
  behind.call = place->sled_end;
  if (reads && !vf_run_ops(&machine, subject->index, subject->site, subject->arg, &emitted))
    return VF_NO_VALUE;
  for (unsigned i = 0; subject->die && !is_told && i < 3; i++) {
    vf_evaluate(i == 2 ? &behind : &entered, subject->die, subject->parameter->die, i ? VF_AT_CALL : VF_AT_ENTRY, size,
                &value);
    /* What holds after that view of the first instruction is what the function has made of it. */
    is_told = i == 0 && value.is_begun;
    if (i == 0 && !is_told)
      continue;
    if (value.status == VF_UNKNOWN)
      return VF_NOT_COMPARED;
    is_made |= value.is_made;
    if (reads && vf_same_value(type, &emitted, &value, subject->is_nullness))
      return VF_AGREE;
    is_readable |= value.status == VF_READ && !value.is_slot && !value.is_made &&
                   (reads || !is_filled_later(subject, &entered, size, &value));
  }
  if (is_readable && !reads && vf_is_shared(place, subject->die) && vf_is_clang(place->object->dbg, subject->die))
    return VF_MAY_BE_SET;
  if (is_readable)
    return reads ? VF_DIFFER : VF_ONLY_SECOND;
  if (!subject->die)
    return reads ? VF_ONLY_INDEX : VF_AGREE;
  if (reads && is_made && vf_is_passed(subject, &machine, &emitted, size))
    return VF_AGREE;
  if (!reads)
    return run_on(subject, &entered, size, NULL, &other) == VF_BY_CODE ? VF_AGREE : VF_BY_CODE;
  const enum vf_outcome outcome = run_on(subject, &entered, size, &emitted, &other);
  return outcome == VF_DIFFER && is_made_of_passed(subject, &entered, size, &emitted, other) ? VF_AGREE : outcome;
}
