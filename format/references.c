/*
 * What the sections of an index refer to, checked entry by entry.
 */
#include "format/references.h"

#include "format/index.h"
#include "format/machine.h"
#include "format/program.h"
#include "format/sled.h"

static bool string_ok(const struct fmt_index *index, uint32_t offset)
{
  return offset < index->count[FMT_SECTION_STRINGS];
}

static bool strings_ok(const struct fmt_index *index)
{
  uint32_t count = index->count[FMT_SECTION_STRINGS];
  return count && index->strings[0] == '\0' && index->strings[count - 1] == '\0' &&
         string_ok(index, index->header->path);
}

/* A list of range bounds at `offset`: its length, then as many bounds. */
static bool range_ok(const struct fmt_index *index, uint64_t offset)
{
  uint64_t total = index->count[FMT_SECTION_RANGES];
  return offset < total && index->ranges[offset] >= 0 && fmt_within(offset + 1, (uint64_t)index->ranges[offset], total);
}

/* The arg of `function` with this number. */
static bool arg_ok(const struct fmt_index *index, const struct fmt_index_function *function, uint32_t number)
{
  const struct fmt_index_arg *arg = &index->args[function->first_arg + number];
  return string_ok(index, arg->name) && string_ok(index, arg->text) && arg->type < index->count[FMT_SECTION_TYPES] &&
         arg->kind <= FMT_ARG_IGNORED && (arg->join == UINT16_MAX || arg->join < function->arg_count) &&
         arg->children < function->arg_count - number && (arg->kind == FMT_ARG_GROUP || arg->children == 0) &&
         (arg->kind != FMT_ARG_BUCKET_RANGE || range_ok(index, arg->aux));
}

static bool functions_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_FUNCTIONS]; i++) {
    const struct fmt_index_function *function = &index->functions[i];
    if (!string_ok(index, function->name) || !string_ok(index, function->linkage_name) ||
        !string_ok(index, function->file) || function->state_words != (function->arg_count + 15u) / 16u ||
        !fmt_within(function->first_arg, function->arg_count, index->count[FMT_SECTION_ARGS]))
      return false;
    for (uint32_t k = 0; k < function->arg_count; k++)
      if (!arg_ok(index, function, k))
        return false;
  }
  return true;
}

/* Types may lead to each other in a circle (a list's node), which is for printing to bear. */
static bool types_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_TYPES]; i++) {
    const struct fmt_index_type *type = &index->types[i];
    if (!string_ok(index, type->name) || type->kind > FMT_TYPE_OTHER ||
        (type->target != FMT_NONE && type->target >= index->count[FMT_SECTION_TYPES]) ||
        !fmt_within(type->first_enumerator, type->enumerator_count, index->count[FMT_SECTION_ENUMERATORS]))
      return false;
  }
  for (uint32_t i = 0; i < index->count[FMT_SECTION_ENUMERATORS]; i++)
    if (!string_ok(index, index->enumerators[i].name))
      return false;
  return true;
}

static bool physicals_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_PHYSICALS]; i++) {
    const struct fmt_index_physical *physical = &index->physicals[i];
    if (physical->low >= physical->high || (i && physical->low < physical[-1].high) ||
        (physical->function != FMT_NONE && physical->function >= index->count[FMT_SECTION_FUNCTIONS]))
      return false;
  }
  return true;
}

/* The site's program: one after the other those of its args, in their order. */
static bool ops_ok(const struct fmt_index *index, const struct fmt_index_site *site)
{
  const struct fmt_op *ops = index->ops + site->first_op;
  uint32_t arg_count = index->functions[site->function].arg_count;
  const struct fmt_machine machine = fmt_machine_of(index->header->machine);
  for (uint32_t at = 0, count; at < site->op_count; at += count) {
    count = ops[at].skip;
    if (ops[at].arg >= arg_count || (at && ops[at].arg <= ops[at - 1].arg) || count > site->op_count - at ||
        !fmt_program_sound(ops + at, count))
      return false;
    for (uint32_t i = 0; i < count; i++) {
      const struct fmt_op *op = &ops[at + i];
      int base = fmt_frame_register(ops + at, i);
      if (base >= 0 && base != machine.stack_pointer && base != site->cfa_register)
        return false;
      if (op->reg >= machine.registers || op->arg != ops[at].arg || op->skip != count - i ||
          (op->code == FMT_OP_EMIT_RANGE && !range_ok(index, (uint64_t)op->imm)))
        return false;
    }
  }
  return true;
}

static bool site_ok(const struct fmt_index *index, const struct fmt_index_site *site)
{
  return site->function < index->count[FMT_SECTION_FUNCTIONS] &&
         (site->physical == FMT_NONE || site->physical < index->count[FMT_SECTION_PHYSICALS]) &&
         site->cfa_kind <= FMT_CFA_MEMORY && site->cfa_register < fmt_machine_of(index->header->machine).registers &&
         fmt_within(site->first_op, site->op_count, index->count[FMT_SECTION_OPS]) &&
         fmt_within(site->first_saved, site->saved_count, index->count[FMT_SECTION_SAVED]) &&
         fmt_within(site->first_state, index->functions[site->function].state_words,
                    index->count[FMT_SECTION_STATES]) &&
         ops_ok(index, site);
}

static bool sites_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SITES]; i++)
    if ((i && index->sites[i].pc <= index->sites[i - 1].pc) || !site_ok(index, &index->sites[i]))
      return false;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SAVED]; i++)
    if (index->saved[i].reg >= fmt_machine_of(index->header->machine).registers)
      return false;
  return true;
}

static bool calls_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_CALL_SITES]; i++) {
    const struct fmt_index_call_site *call = &index->call_sites[i];
    if ((i && call->pc <= call[-1].pc) || call->physical >= index->count[FMT_SECTION_PHYSICALS] ||
        !fmt_within(call->first_value, call->value_count, index->count[FMT_SECTION_CALL_VALUES]))
      return false;
  }
  for (uint32_t i = 0; i < index->count[FMT_SECTION_CALL_VALUES]; i++) {
    const struct fmt_index_call_value *value = &index->call_values[i];
    if (value->reg > 15 || value->source >= fmt_machine_of(index->header->machine).registers ||
        value->kind > FMT_CALL_FRAME)
      return false;
  }
  return true;
}

static bool symbols_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SYMBOLS]; i++)
    if (!string_ok(index, index->symbols[i].name) || (i && index->symbols[i].address <= index->symbols[i - 1].address))
      return false;
  return true;
}

static bool rules_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_RULES]; i++)
    if (!string_ok(index, index->rules[i].problem))
      return false;
  return true;
}

/* Sleds that follow each other without overlap, each of a known kind and shape, whose function has its entry where it
 * is looked for. */
static bool sled_ok(const struct fmt_index *index, uint32_t number)
{
  const struct fmt_index_sled *sled = &index->sleds[number];
  if (sled->kind > FMT_SLED_ENTER_ARGS || sled->shape > FMT_SLED_SHAPE_RETURN6 ||
      !fmt_sled_is_aligned(sled->address, sled->shape) ||
      (number &&
       (sled->address <= sled[-1].address || sled->address - sled[-1].address < fmt_sled_size(sled[-1].shape))))
    return false;
  const struct fmt_index_sled *entry = fmt_index_sled_from(index, sled->function);
  if (!entry || !fmt_sled_is_entry(entry->kind) || entry->function != sled->function)
    return false;
  if (!fmt_sled_is_entry(sled->kind))
    return sled->site == FMT_NONE;
  if (entry != sled)
    return false;
  return sled->site == FMT_NONE ||
         (sled->site < index->count[FMT_SECTION_SITES] && (index->sites[sled->site].flags & FMT_SITE_SLED) &&
          sled->address + FMT_SLED_CALL == index->sites[sled->site].pc);
}

static bool sleds_ok(const struct fmt_index *index)
{
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SLEDS]; i++)
    if (!sled_ok(index, i))
      return false;
  return true;
}

bool fmt_references_sound(const struct fmt_index *index)
{
  return strings_ok(index) && types_ok(index) && functions_ok(index) && physicals_ok(index) && sites_ok(index) &&
         calls_ok(index) && symbols_ok(index) && rules_ok(index) && sleds_ok(index);
}
