#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "code.h"
#include "symbols.h"

/* What each section's entries are at least as large as. */
static const uint32_t entry_sizes[CS_SECTION_COUNT] = {
    [CS_SECTION_STRINGS] = 1,
    [CS_SECTION_SITES] = sizeof(struct cs_index_site),
    [CS_SECTION_PHYSICALS] = sizeof(struct cs_index_physical),
    [CS_SECTION_FUNCTIONS] = sizeof(struct cs_index_function),
    [CS_SECTION_ARGS] = sizeof(struct cs_index_arg),
    [CS_SECTION_TYPES] = sizeof(struct cs_index_type),
    [CS_SECTION_ENUMERATORS] = sizeof(struct cs_index_enumerator),
    [CS_SECTION_OPS] = sizeof(struct cs_op),
    [CS_SECTION_STATES] = sizeof(uint64_t),
    [CS_SECTION_RANGES] = sizeof(int64_t),
    [CS_SECTION_CALL_SITES] = sizeof(struct cs_index_call_site),
    [CS_SECTION_CALL_VALUES] = sizeof(struct cs_index_call_value),
    [CS_SECTION_SYMBOLS] = sizeof(struct cs_index_symbol),
    [CS_SECTION_SAVED] = sizeof(struct cs_index_saved),
    [CS_SECTION_RULES] = sizeof(struct cs_index_rule),
};

static bool within(uint64_t first, uint64_t count, uint64_t limit)
{
  return first <= limit && count <= limit - first;
}

static bool check_string(const struct cs_index *index, uint32_t offset)
{
  return offset < index->count[CS_SECTION_STRINGS];
}

/* The arrays of this version are indexed directly, so their entries must have exactly the size that this version knows.
 */
static int read_sections(const struct cs_index_header *header, struct cs_index *index)
{
  const uint8_t *data = (const uint8_t *)header;
  const void **arrays[CS_SECTION_COUNT] = {
      [CS_SECTION_STRINGS] = (const void **)&index->strings,
      [CS_SECTION_SITES] = (const void **)&index->sites,
      [CS_SECTION_PHYSICALS] = (const void **)&index->physicals,
      [CS_SECTION_FUNCTIONS] = (const void **)&index->functions,
      [CS_SECTION_ARGS] = (const void **)&index->args,
      [CS_SECTION_TYPES] = (const void **)&index->types,
      [CS_SECTION_ENUMERATORS] = (const void **)&index->enumerators,
      [CS_SECTION_OPS] = (const void **)&index->ops,
      [CS_SECTION_STATES] = (const void **)&index->states,
      [CS_SECTION_RANGES] = (const void **)&index->ranges,
      [CS_SECTION_CALL_SITES] = (const void **)&index->call_sites,
      [CS_SECTION_CALL_VALUES] = (const void **)&index->call_values,
      [CS_SECTION_SYMBOLS] = (const void **)&index->symbols,
      [CS_SECTION_SAVED] = (const void **)&index->saved,
      [CS_SECTION_RULES] = (const void **)&index->rules,
  };
  for (unsigned i = 0; i < CS_SECTION_COUNT; i++) {
    const struct cs_index_section *section = &header->sections[i];
    uint64_t bytes = (uint64_t)section->count * section->entry_size;
    if (section->entry_size != entry_sizes[i] || section->offset % 8 || section->offset < header->header_size ||
        !within(section->offset, bytes, header->file_size))
      return -EINVAL;
    *arrays[i] = data + section->offset;
    index->count[i] = section->count;
  }
  uint32_t strings = index->count[CS_SECTION_STRINGS];
  return strings && index->strings[0] == '\0' && index->strings[strings - 1] == '\0' ? 0 : -EINVAL;
}

static bool check_site_ops(const struct cs_index *index, const struct cs_index_site *site,
                           const struct cs_index_function *function)
{
  const struct cs_op *ops = index->ops + site->first_op;
  uint32_t at = 0;
  while (at < site->op_count) {
    uint32_t count = ops[at].skip;
    if (count < 1 || count > site->op_count - at || (at && ops[at].arg <= ops[at - 1].arg) ||
        ops[at].arg >= function->arg_count)
      return false;
    for (uint32_t i = 0; i < count; i++) {
      const struct cs_op *op = &ops[at + i];
      if (op->arg != ops[at].arg || op->skip != count - i)
        return false;
      if (op->code == CS_OP_EMIT_RANGE) {
        uint64_t list = (uint64_t)op->imm, limit = index->count[CS_SECTION_RANGES];
        if (list >= limit || index->ranges[list] < 0 || !within(list + 1, (uint64_t)index->ranges[list], limit))
          return false;
      }
    }
    if (cs_code_check(&ops[at], count) != 0)
      return false;
    at += count;
  }
  return true;
}

static bool check_site(const struct cs_index *index, uint32_t number)
{
  const struct cs_index_site *site = &index->sites[number];
  if (site->function >= index->count[CS_SECTION_FUNCTIONS] || (number && site->pc <= site[-1].pc) ||
      (site->physical != CS_NONE && site->physical >= index->count[CS_SECTION_PHYSICALS]) ||
      site->cfa_kind > CS_CFA_MEMORY || site->cfa_register > 15 ||
      !within(site->first_op, site->op_count, index->count[CS_SECTION_OPS]) ||
      !within(site->first_saved, site->saved_count, index->count[CS_SECTION_SAVED]))
    return false;
  const struct cs_index_function *function = &index->functions[site->function];
  return within(site->first_state, function->state_words, index->count[CS_SECTION_STATES]) &&
         check_site_ops(index, site, function);
}

/* An arg of `function`, the one of this number. */
static bool check_arg(const struct cs_index *index, const struct cs_index_function *function, uint16_t number)
{
  const struct cs_index_arg *arg = &index->args[function->first_arg + number];
  if (!check_string(index, arg->name) || arg->type >= index->count[CS_SECTION_TYPES] || arg->kind > CS_ARG_IGNORED ||
      (arg->join != UINT16_MAX && arg->join >= function->arg_count) || !check_string(index, arg->text) ||
      arg->children >= function->arg_count - number || (arg->kind != CS_ARG_GROUP && arg->children))
    return false;
  if (arg->kind == CS_ARG_BUCKET_RANGE)
    return arg->aux < index->count[CS_SECTION_RANGES] && index->ranges[arg->aux] >= 0 &&
           within((uint64_t)arg->aux + 1, (uint64_t)index->ranges[arg->aux], index->count[CS_SECTION_RANGES]);
  return true;
}

static bool check_function(const struct cs_index *index, const struct cs_index_function *function)
{
  if (!check_string(index, function->name) || !check_string(index, function->linkage_name) ||
      !check_string(index, function->file) || function->state_words != (function->arg_count + 15u) / 16u ||
      !within(function->first_arg, function->arg_count, index->count[CS_SECTION_ARGS]))
    return false;
  for (uint16_t i = 0; i < function->arg_count; i++)
    if (!check_arg(index, function, i))
      return false;
  return true;
}

static bool check_type(const struct cs_index *index, const struct cs_index_type *type)
{
  return check_string(index, type->name) && type->kind <= CS_TYPE_OTHER &&
         (type->target == CS_NONE || type->target < index->count[CS_SECTION_TYPES]) &&
         within(type->first_enumerator, type->enumerator_count, index->count[CS_SECTION_ENUMERATORS]);
}

static bool check_call_site(const struct cs_index *index, uint32_t number)
{
  const struct cs_index_call_site *site = &index->call_sites[number];
  return (number == 0 || site->pc > site[-1].pc) && site->physical < index->count[CS_SECTION_PHYSICALS] &&
         within(site->first_value, site->value_count, index->count[CS_SECTION_CALL_VALUES]);
}

static bool check_physical(const struct cs_index *index, uint32_t number)
{
  const struct cs_index_physical *physical = &index->physicals[number];
  return physical->low < physical->high && (number == 0 || physical->low >= physical[-1].high) &&
         (physical->function == CS_NONE || physical->function < index->count[CS_SECTION_FUNCTIONS]);
}

static bool check_call_value(const struct cs_index_call_value *value)
{
  return value->reg < 16 && value->source < 16 && value->kind <= CS_CALL_FRAME;
}

/* Every reference inside of the sections. Types may lead to each other in a circle (a list's node), which is for
 * printing to bear. */
static bool check_references(const struct cs_index *index)
{
  const uint32_t *count = index->count;
  bool valid = check_string(index, index->header->path);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_FUNCTIONS]; i++)
    valid = check_function(index, &index->functions[i]);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_PHYSICALS]; i++)
    valid = check_physical(index, i);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_SITES]; i++)
    valid = check_site(index, i);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_TYPES]; i++)
    valid = check_type(index, &index->types[i]);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_ENUMERATORS]; i++)
    valid = check_string(index, index->enumerators[i].name);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_CALL_SITES]; i++)
    valid = check_call_site(index, i);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_CALL_VALUES]; i++)
    valid = check_call_value(&index->call_values[i]);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_SYMBOLS]; i++)
    valid = check_string(index, index->symbols[i].name) &&
            (i == 0 || index->symbols[i].address > index->symbols[i - 1].address);
  for (uint32_t i = 0; valid && i < count[CS_SECTION_SAVED]; i++)
    valid = index->saved[i].reg < 16;
  for (uint32_t i = 0; valid && i < count[CS_SECTION_RULES]; i++)
    valid = check_string(index, index->rules[i].problem);
  return valid;
}

int cs_index_open(const void *data, size_t size, struct cs_index *index)
{
  const struct cs_index_header *header = data;
  *index = (struct cs_index){.header = header};
  if (size < sizeof *header || (uintptr_t)data % 8 || memcmp(header->magic, CS_INDEX_MAGIC, sizeof header->magic) != 0)
    return -EINVAL;
  if (header->version > CS_INDEX_VERSION)
    return -ENOTSUP;
  if (header->version != CS_INDEX_VERSION || header->header_size != sizeof *header || header->file_size != size ||
      header->section_count != CS_SECTION_COUNT || header->build_id_size > sizeof header->build_id)
    return -EINVAL;
  if (XXH64((const char *)data + header->header_size, size - header->header_size, 0) != header->checksum)
    return -EINVAL;
  int error = read_sections(header, index);
  return error ? error : check_references(index) ? 0 : -EINVAL;
}

const struct cs_index_symbol *cs_index_symbol_at(const struct cs_index *index, uint64_t address)
{
  uint32_t low = 0, high = index->count[CS_SECTION_SYMBOLS];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (index->symbols[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  const struct cs_index_symbol *symbol = &index->symbols[low - 1];
  return symbol->address == address || address - symbol->address < symbol->size ? symbol : NULL;
}

const struct cs_index_site *cs_index_site_at(const struct cs_index *index, uint64_t pc)
{
  uint32_t low = 0, high = index->count[CS_SECTION_SITES];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (index->sites[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < index->count[CS_SECTION_SITES] && index->sites[low].pc == pc ? &index->sites[low] : NULL;
}
