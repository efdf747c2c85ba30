/* Asks the calls of a function, one after another, as libdwarf reads them. */
#include "symbols/verify/callers.h"

#include "symbols/verify/die.h"

/* What calls say. */
struct callers {
  bool is_told;     /* one names the parameter */
  bool is_constant; /* those that give it a value give it the same constant */
  bool is_complete; /* all do */
  bool is_apart;    /* no two are in one function */
  struct vf_value value;
};

/* A constant is the same whatever registers hold. */
static bool is_constant(const struct vf_place *place, const struct vf_call *call, Dwarf_Die told,
                        struct vf_value *value)
{
  const Dwarf_Half name = vf_has(told, DW_AT_call_value) ? DW_AT_call_value : DW_AT_GNU_call_site_value;
  struct vf_machine machine = *place->machine;
  struct vf_place caller = {.module = place->module,
                            .object = call->object,
                            .machine = &machine,
                            .physical = place->physical,
                            .pc = call->pc,
                            .call = call->pc,
                            .is_caller = true};
  struct vf_value other;
  vf_evaluate_attribute(&caller, told, name, value);
  for (unsigned i = 0; i < VF_REGISTERS; i++)
    machine.registers[i] = ~machine.registers[i];
  vf_evaluate_attribute(&caller, told, name, &other);
  return value->status == VF_READ && other.status == VF_READ && !value->uses_entry && value->value == other.value;
}

/* Whether the function that makes the call makes no other of the same source function, has no copy of that inlined, and
 * is none itself: else a call may be told with another one's values. */
static bool is_alone(const struct vf_place *place, const struct vf_call *call)
{
  const struct vf_module *module = place->module;
  Dwarf_Debug dbg = call->object->dbg;
  const uint64_t root = vf_offset(vf_root(dbg, place->physical));
  unsigned traces = 0;
  for (size_t i = 0; i < module->call_count; i++)
    traces += module->calls[i].object == call->object && module->calls[i].caller == call->caller &&
              module->calls[i].root == root;
  for (size_t i = 0; i < module->scope_count; i++)
    if (module->scopes[i].object == call->object && module->scopes[i].caller == call->caller)
      traces += vf_offset(vf_root(dbg, module->scopes[i].die)) == root;
  return traces == 1;
}

/* The entry of a call that is about the parameter, NULL for none. */
static Dwarf_Die told_by(const struct vf_call *call, uint64_t parameter)
{
  Dwarf_Debug dbg = call->object->dbg;
  for (Dwarf_Die child = vf_child(call->die); child; child = vf_sibling(dbg, child)) {
    const Dwarf_Half name = vf_has(child, DW_AT_call_parameter) ? DW_AT_call_parameter : DW_AT_abstract_origin;
    Dwarf_Die named = vf_reference(dbg, child, name);
    if (named && vf_offset(vf_root(dbg, named)) == parameter)
      return child;
  }
  return NULL;
}

static void add(const struct vf_place *place, const struct vf_call *call, uint64_t parameter, struct callers *callers)
{
  Dwarf_Die told = told_by(call, parameter);
  struct vf_value value;
  callers->is_told |= told != NULL;
  if (!told || !(vf_has(told, DW_AT_call_value) || vf_has(told, DW_AT_GNU_call_site_value))) {
    callers->is_complete = false;
    return;
  }
  if (!is_constant(place, call, told, &value)) {
    callers->is_constant = false;
    return;
  }
  callers->is_constant &= callers->value.status != VF_READ || callers->value.value == value.value;
  callers->value = value;
}

static struct callers ask(const struct vf_place *place, uint64_t parameter)
{
  const struct vf_module *module = place->module;
  const uint64_t function = vf_offset(place->physical);
  struct callers callers = {.is_constant = true, .is_complete = true, .is_apart = true};
  for (size_t i = 0; i < module->call_count; i++) {
    const struct vf_call *call = &module->calls[i];
    if (call->object != place->object || call->origin != function)
      continue;
    callers.is_apart = callers.is_apart && is_alone(place, call);
    add(place, call, parameter, &callers);
  }
  callers.is_constant &= callers.value.status == VF_READ;
  return callers;
}

bool vf_callers_decide(const struct vf_subject *subject, const struct vf_place *place, enum vf_outcome *outcome)
{
  Dwarf_Debug dbg = place->object->dbg;
  const struct vf_type *type = subject->parameter->type;
  struct vf_emitted emitted;
  if (!place->physical || (subject->site->flags & FMT_SITE_INLINED) ||
      !vf_has(place->physical, DW_AT_abstract_origin) || vf_is_clang(dbg, place->physical))
    return false;
  const struct callers callers = ask(place, vf_offset(vf_root(dbg, subject->parameter->die)));
  if (!callers.is_told)
    return false;
  if (vf_state_of(subject) != FMT_STATE_READ)
    *outcome = callers.is_constant && callers.is_complete && callers.is_apart && type->size <= sizeof(uint64_t)
                   ? VF_ONLY_SECOND
                   : VF_AGREE;
  else if (!vf_run_ops(place->machine, subject->index, subject->site, subject->arg, &emitted))
    *outcome = VF_NO_VALUE;
  else if (!callers.is_constant)
    *outcome = VF_ONLY_INDEX;
  else
    *outcome = vf_same_value(type, &emitted, &callers.value, subject->is_nullness) ? VF_AGREE : VF_DIFFER;
  return true;
}
