/*
 * Compares how the index reads one parameter at one site with what libdwarf says of it.
 */
#include "symbols/verify/compare.h"

#include "symbols/verify/die.h"
#include "symbols/verify/emulate.h"

enum { STEPS_MAX = 200 }; /* instructions after a call that are followed */

/* Whether they are the same for a number that clang tells as an address in the frame with something added: what is
 * meant is a sum with what lies there. Of no pointer can that be known. */
static bool same_loaded(const struct vf_type *type, const struct vf_emitted *emitted, const struct vf_value *value,
                        bool is_nullness)
{
  struct vf_value loaded = *value;
  if (!value->is_frame_sum || is_nullness)
    return false;
  for (unsigned i = 0; i < sizeof value->loaded / sizeof *value->loaded; i++) {
    loaded.value = value->loaded[i];
    if (vf_same_value(type, emitted, &loaded, false))
      return true;
  }
  return false;
}

/* For a parameter that DWARF tells only for a time after the call, or a slot that is written only then: runs the
 * instructions after the call up to there. False: straight code does not lead there. */
static bool run_on(const struct vf_subject *subject, const struct vf_place *place, unsigned size,
                   struct vf_value *value)
{
  struct vf_stores stores = {.count = 0};
  struct vf_machine machine = *place->machine;
  struct vf_place running = *place;
  machine.stores = &stores;
  running.machine = &machine;
  running.running = place->pc;
  vf_emulate_return(&machine);
  for (int step = 0; step < STEPS_MAX && vf_emulate(subject->code, &machine, &running.running); step++) {
    stores.reads = 0;
    vf_evaluate(&running, subject->die, subject->parameter->die, VF_RUNNING, size, value);
    if (value->status == VF_READ && !value->uses_entry && (!value->is_slot || stores.reads))
      return true;
  }
  return false;
}

/* A function at its entry, and on its way from there to the hook's call. It holds pointers into itself. */
struct entered {
  struct vf_stores stores;
  struct vf_machine machine;
  struct vf_place place;
  uint64_t at;
};

/* False: there is no address to begin at. */
static bool enter(struct entered *entered, const struct vf_place *place)
{
  if (place->entry == 0)
    return false;
  entered->stores.count = 0;
  entered->machine = *place->machine;
  entered->machine.stores = &entered->stores;
  entered->place = *place;
  entered->place.machine = &entered->machine;
  entered->at = place->entry;
  vf_emulate_entry(&entered->machine);
  return true;
}

/* Whether its code was followed as far as the call. */
static bool go_to_call(struct entered *entered, const struct vf_subject *subject)
{
  for (int step = 0; step < STEPS_MAX && entered->at != entered->place.call; step++)
    if (!vf_emulate_over(subject->code, &entered->machine, &entered->at))
      return false;
  return entered->at == entered->place.call;
}

static void evaluate(const struct entered *entered, const struct vf_subject *subject, struct vf_value *value)
{
  vf_evaluate(&entered->place, subject->die, subject->parameter->die, VF_AT_CALL,
              subject->is_nullness ? 8 : subject->parameter->type->size, value);
}

/* For a parameter that DWARF tells by its value on entry, which the index finds where the function has moved it: runs
 * the function from its first instruction to the hook's call, and holds what the index reads then against the value on
 * entry. */
static enum vf_outcome compare_entered(const struct vf_subject *subject, const struct vf_place *place)
{
  struct entered entered;
  struct vf_emitted emitted;
  struct vf_value value;
  if (!enter(&entered, place) || !go_to_call(&entered, subject))
    return VF_BY_CODE;
  const uint32_t unknown = entered.machine.unknown;
  entered.machine.unknown = 0;
  evaluate(&entered, subject, &value);
  if (!vf_run_ops(&entered.machine, subject->index, subject->site, subject->arg, &emitted))
    return VF_BY_CODE;
  if (vf_same_value(subject->parameter->type, &emitted, &value, subject->is_nullness))
    return VF_AGREE;
  return unknown ? VF_BY_CODE : VF_DIFFER;
}

/* For a parameter that an out-of-line function is passed in a register and that DWARF tells at the call by what was
 * computed of it, or not at all on entry: holds what the index reads then against what was in the register on entry.
 * VF_BY_CODE: straight code does not lead from there to the call. */
static enum vf_outcome compare_passed(const struct vf_subject *subject, const struct vf_place *place)
{
  struct entered entered;
  struct vf_emitted emitted;
  struct vf_value value;
  const unsigned size = subject->is_nullness ? 8 : subject->parameter->type->size;
  if ((subject->site->flags & FMT_SITE_INLINED) || !enter(&entered, place))
    return VF_DIFFER;
  entered.machine.unknown = 0;
  entered.place.call = entered.place.sled_end = entered.at;
  evaluate(&entered, subject, &value);
  entered.place.call = place->call;
  const struct vf_machine at_entry = entered.machine;
  if (!go_to_call(&entered, subject))
    return VF_BY_CODE;
  if (!vf_run_ops(&entered.machine, subject->index, subject->site, subject->arg, &emitted))
    return VF_DIFFER;
  const bool is_same = vf_same_value(subject->parameter->type, &emitted, &value, subject->is_nullness);
  const bool is_untold = value.is_made || !value.is_begun;
  return is_same || (is_untold && vf_is_passed(subject, &at_entry, &emitted, size)) ? VF_AGREE : VF_DIFFER;
}

/* The same for one that DWARF tells after the call alone, of which the index reads another copy: both are held against
 * each other after the function has run from its entry. */
static enum vf_outcome compare_copies(const struct vf_subject *subject, const struct vf_place *place)
{
  struct entered entered;
  struct vf_emitted emitted;
  struct vf_value value;
  const bool is_run =
      !(subject->site->flags & FMT_SITE_INLINED) && enter(&entered, place) && go_to_call(&entered, subject) &&
      vf_run_ops(&entered.machine, subject->index, subject->site, subject->arg, &emitted) &&
      run_on(subject, &entered.place, subject->is_nullness ? 8 : subject->parameter->type->size, &value);
  return is_run && vf_same_value(subject->parameter->type, &emitted, &value, subject->is_nullness) ? VF_AGREE
                                                                                                   : VF_DIFFER;
}

/* Whether what a function of its own tells of a parameter at the hook's call is what it makes of it: a sum from its
 * first instruction on, before which nothing was added, or one with what lies on the stack, or of clang's what is
 * computed where nothing was told at the first instruction. */
static bool is_made_of_passed_before(const struct vf_subject *subject, const struct vf_place *place)
{
  struct entered entered;
  struct vf_value value, at_entry;
  if ((subject->site->flags & FMT_SITE_INLINED) || !enter(&entered, place))
    return false;
  vf_evaluate(place, subject->die, subject->parameter->die, VF_AT_CALL, subject->parameter->type->size, &value);
  if (value.is_slot_sum)
    return true;
  entered.place.call = entered.place.sled_end = entered.at;
  evaluate(&entered, subject, &at_entry);
  return at_entry.is_sum || (value.is_made && !at_entry.is_begun && vf_is_clang(place->object->dbg, subject->die));
}

/* Holds what is told after the call against what the index reads at the call. */
static enum vf_outcome compare_running(const struct vf_subject *subject, const struct vf_place *place,
                                       const struct vf_emitted *emitted)
{
  struct vf_value value;
  if (!run_on(subject, place, subject->is_nullness ? 8 : subject->parameter->type->size, &value))
    return VF_BY_CODE;
  return vf_same_value(subject->parameter->type, emitted, &value, subject->is_nullness) ||
                 compare_passed(subject, place) == VF_AGREE
             ? VF_AGREE
             : compare_copies(subject, place);
}

/* Whether a slot that is a parameter's only home may be written after the hook's call alone. clang puts the call before
 * the stores of parameters, and DWARF does not tell such a home from a slot that was filled before. */
static bool is_late_home(const struct vf_place *place, Dwarf_Die die, const struct vf_value *value)
{
  return value->is_slot && value->is_single && vf_is_clang(place->object->dbg, die);
}

/* Whether another parameter of an instance is told to have the same value at the hook's call, or where that returns:
 * where the function does not look at one of two that are told in one place, that is not certain to be there. */
static bool is_told_with_another(const struct vf_subject *subject, const struct vf_place *place)
{
  for (int moment = VF_AT_CALL; moment < VF_LATER; moment++) {
    struct vf_value its, theirs;
    vf_evaluate(place, subject->die, NULL, (enum vf_moment)moment, 1, &its);
    for (Dwarf_Die other = its.status == VF_READ ? vf_child(place->entered) : NULL; other;
         other = vf_sibling(place->object->dbg, other)) {
      if (vf_tag(other) != DW_TAG_formal_parameter || vf_offset(other) == vf_offset(subject->die))
        continue;
      vf_evaluate(place, other, NULL, (enum vf_moment)moment, 1, &theirs);
      if (theirs.status == VF_READ && theirs.value == its.value)
        return true;
    }
  }
  return false;
}

enum vf_outcome vf_compare(const struct vf_subject *subject, const struct vf_place *place)
{
  bool reads = vf_state_of(subject) == FMT_STATE_READ;
  bool is_readable = false, is_unknown = false, is_slot = false, is_later = false, is_beyond = false;
  bool uses_entry = false, is_home = false, is_number = false, is_told = false, is_made = false;
  unsigned size = subject->is_nullness ? 8 : subject->parameter->type->size;
  struct vf_emitted emitted;
  if (reads && !vf_run_ops(place->machine, subject->index, subject->site, subject->arg, &emitted))
    return VF_NO_VALUE;
  for (int moment = VF_AT_CALL; subject->die && moment < VF_MOMENTS; moment++) {
    struct vf_value value;
    /* gcc binds parameters before the call of the hook, so that what it tells after the call alone is a new value; and
     * so is what follows a value on entry. */
    if (moment == VF_AFTER_CALL && (uses_entry || !vf_is_clang(place->object->dbg, subject->die)))
      continue;
    vf_evaluate(place, subject->die, subject->parameter->die, (enum vf_moment)moment, size, &value);
    if (reads && vf_same_value(subject->parameter->type, &emitted, &value, subject->is_nullness))
      return VF_AGREE;
    if (reads && same_loaded(subject->parameter->type, &emitted, &value, subject->is_nullness))
      return VF_AGREE_LOADED;
    is_unknown |= value.status == VF_UNKNOWN;
    is_told |= moment < VF_AFTER_CALL && value.status == VF_READ;
    is_made |= moment < VF_AFTER_CALL && value.status == VF_READ && value.is_made;
    is_number |= value.status == VF_READ && value.is_number;
    is_slot |= value.is_slot;
    is_home |= is_late_home(place, subject->die, &value);
    if (moment == VF_LATER)
      is_later = value.status != VF_LOST || value.is_begun;
    else
      is_readable |=
          value.status == VF_READ && !value.uses_entry && (reads || (!value.is_frame_sum && !value.is_counted));
    is_beyond |= value.is_beyond_programs;
    uses_entry |= moment == VF_AT_CALL && value.status == VF_READ && value.uses_entry;
  }
  if (is_unknown)
    return VF_NOT_COMPARED;
  struct vf_value stored;
  if (!reads && is_home)
    return run_on(subject, place, size, &stored) ? VF_ONLY_SECOND : VF_AGREE;
  bool is_late_slot = is_slot && vf_is_clang(place->object->dbg, subject->die);
  /* clang describes a spill of 4 bytes as all 8 of a variable; that it is one is in the code. */
  if (!reads && is_readable && is_late_slot && size == 8)
    return VF_BY_CODE;
  /* clang may tell what an inlined function sets its parameter to: what it changes is seen in the code of the
   * function's out-of-line copy. Of a number that it tells of a function on its own, and of what it tells behind the
   * call alone, it cannot be seen whether that was passed. */
  const bool is_inlined = subject->site->flags & FMT_SITE_INLINED;
  if (!reads && is_readable && (is_inlined || is_number || !is_told) && vf_is_clang(place->object->dbg, subject->die))
    return VF_MAY_BE_SET;
  /* So it is of a number that gcc tells at the link of an instance that may be a clone. */
  if (!reads && is_readable && is_number && place->physical && vf_has(place->physical, DW_AT_abstract_origin) &&
      vf_is_made_at_link(place->object->dbg, place->physical))
    return VF_MAY_BE_SET;
  /* And of one that gcc tells of a function which it inlined: where that does not look at its parameter, gcc tells what
   * another call passes. */
  if (!reads && is_readable && is_inlined && (is_number || is_told_with_another(subject, place)))
    return VF_MAY_BE_SET;
  if (!reads && is_readable &&
      (vf_is_taken(place, subject->die) || vf_is_out_of_order(place, subject->die) ||
       is_made_of_passed_before(subject, place)))
    return VF_AGREE;
  if (!reads)
    return is_readable ? is_beyond ? VF_BEYOND : VF_ONLY_SECOND : VF_AGREE;
  if (uses_entry)
    return compare_entered(subject, place);
  if (is_late_slot && !is_inlined && compare_passed(subject, place) == VF_AGREE)
    return VF_AGREE;
  if (is_late_slot || (!is_readable && is_later))
    return compare_running(subject, place, &emitted);
  const enum vf_outcome passed = compare_passed(subject, place);
  if (!is_readable)
    return passed == VF_AGREE ? VF_AGREE : VF_ONLY_INDEX;
  return passed == VF_AGREE || (passed == VF_BY_CODE && is_made) ? passed : compare_copies(subject, place);
}
