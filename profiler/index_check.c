/*
 * Is an index what the format says, in everything that the runtime follows? Hostile bytes must not lead it out of the
 * index.
 */
#include <errno.h>
#include <stddef.h>

#include "hash.h"
#include "index.h"
#include "op_check.h"
#include "text.h"

/* 0: a section that the runtime never looks at. */
static const uint32_t entry_sizes[CS_SECTION_COUNT] = {
    [CS_SECTION_STRINGS] = 1,
    [CS_SECTION_SITES] = sizeof(struct cs_index_site),
    [CS_SECTION_PHYSICALS] = sizeof(struct cs_index_physical),
    [CS_SECTION_FUNCTIONS] = sizeof(struct cs_index_function),
    [CS_SECTION_ARGS] = sizeof(struct cs_index_arg),
    [CS_SECTION_TYPES] = sizeof(struct cs_index_type),
    [CS_SECTION_OPS] = sizeof(struct cs_op),
    [CS_SECTION_STATES] = sizeof(uint64_t),
    [CS_SECTION_RANGES] = sizeof(int64_t),
    [CS_SECTION_CALL_SITES] = sizeof(struct cs_index_call_site),
    [CS_SECTION_CALL_VALUES] = sizeof(struct cs_index_call_value),
    [CS_SECTION_SAVED] = sizeof(struct cs_index_saved),
};

/* Do `count` entries from `first` lie in a section of `total`? */
static bool within(uint64_t first, uint64_t count, uint64_t total)
{
  return first <= total && count <= total - first;
}

static bool string_ok(const struct cs_view *view, uint32_t offset)
{
  return offset < view->count[CS_SECTION_STRINGS];
}

/* A list of range bounds at `offset`: its length, then as many bounds. */
static bool range_ok(const struct cs_view *view, int64_t offset)
{
  uint64_t total = view->count[CS_SECTION_RANGES];
  if (offset < 0 || (uint64_t)offset >= total)
    return false;
  int64_t length = view->ranges[offset];
  return length >= 0 && within((uint64_t)offset + 1, (uint64_t)length, total);
}

static bool args_ok(const struct cs_view *view, const struct cs_index_function *function)
{
  for (uint32_t i = 0; i < function->arg_count; i++) {
    const struct cs_index_arg *arg = &view->args[function->first_arg + i];
    if (!string_ok(view, arg->name) || !string_ok(view, arg->text) || arg->type >= view->count[CS_SECTION_TYPES] ||
        arg->kind > CS_ARG_IGNORED || arg->children > function->arg_count - i - 1 ||
        (arg->join != UINT16_MAX && arg->join >= function->arg_count) ||
        (arg->kind == CS_ARG_BUCKET_RANGE && !range_ok(view, arg->aux)))
      return false;
  }
  return true;
}

static bool functions_ok(const struct cs_view *view)
{
  for (uint32_t i = 0; i < view->count[CS_SECTION_FUNCTIONS]; i++) {
    const struct cs_index_function *function = &view->functions[i];
    if (!string_ok(view, function->name) || !string_ok(view, function->linkage_name) ||
        !string_ok(view, function->file) ||
        !within(function->first_arg, function->arg_count, view->count[CS_SECTION_ARGS]) ||
        function->state_words != (function->arg_count + 15u) / 16u || !args_ok(view, function))
      return false;
  }
  return true;
}

static bool op_ok(const struct cs_view *view, const struct cs_op *op)
{
  if (op->code >= CS_OP_COUNT || op->reg > 15)
    return false;
  switch (op->code) {
  case CS_OP_EMIT_REG:
  case CS_OP_EMIT_FRAME:
  case CS_OP_FRAME_LOAD:
  case CS_OP_LOAD:
  case CS_OP_EXTEND:
  case CS_OP_EMIT:
  case CS_OP_EMIT_SPAN:
  case CS_OP_EMIT_SPAN_FRAME:
    return op->size >= 1 && op->size <= 8;
  case CS_OP_BITS:
    return op->size >= 1 && op->size <= 64 && op->imm >= 0 && op->imm <= 64 - op->size;
  case CS_OP_PICK:
    return op->imm >= 0 && op->imm < CS_STACK_MAX;
  case CS_OP_EMIT_STRING:
  case CS_OP_EMIT_STRING_N:
    return op->imm >= 0 && op->imm <= CS_STRING_MAX;
  case CS_OP_EMIT_RANGE:
    return range_ok(view, op->imm);
  default:
    return true;
  }
}

/* The site's program: one after the other those of its args, in their order. */
static bool ops_ok(const struct cs_view *view, const struct cs_index_site *site)
{
  const struct cs_op *ops = view->ops + site->first_op;
  uint32_t arg_count = view->functions[site->function].arg_count;
  for (uint32_t at = 0, count; at < site->op_count; at += count) {
    count = ops[at].skip;
    if (ops[at].arg >= arg_count || (at && ops[at].arg <= ops[at - 1].arg) || count > site->op_count - at)
      return false;
    for (uint32_t i = 0; i < count; i++)
      if (ops[at + i].arg != ops[at].arg || ops[at + i].skip != count - i || !op_ok(view, &ops[at + i]))
        return false;
    if (!cs_ops_sound(ops + at, count))
      return false;
  }
  return true;
}

static bool site_ok(const struct cs_view *view, const struct cs_index_site *site)
{
  if (site->function >= view->count[CS_SECTION_FUNCTIONS] ||
      (site->physical != CS_NONE && site->physical >= view->count[CS_SECTION_PHYSICALS]) ||
      site->cfa_kind > CS_CFA_MEMORY || site->cfa_register > 15 ||
      !within(site->first_op, site->op_count, view->count[CS_SECTION_OPS]) ||
      !within(site->first_saved, site->saved_count, view->count[CS_SECTION_SAVED]))
    return false;
  const struct cs_index_function *function = &view->functions[site->function];
  if (!within(site->first_state, function->state_words, view->count[CS_SECTION_STATES]))
    return false;
  return ops_ok(view, site);
}

static bool sites_ok(const struct cs_view *view)
{
  for (uint32_t i = 0; i < view->count[CS_SECTION_SITES]; i++) {
    if (i && view->sites[i].pc <= view->sites[i - 1].pc)
      return false;
    if (!site_ok(view, &view->sites[i]))
      return false;
  }
  for (uint32_t i = 0; i < view->count[CS_SECTION_SAVED]; i++)
    if (view->saved[i].reg > 15)
      return false;
  return true;
}

static bool physicals_ok(const struct cs_view *view)
{
  for (uint32_t i = 0; i < view->count[CS_SECTION_PHYSICALS]; i++) {
    const struct cs_index_physical *physical = &view->physicals[i];
    if ((i && physical->low < view->physicals[i - 1].low) || physical->high < physical->low ||
        (physical->function != CS_NONE && physical->function >= view->count[CS_SECTION_FUNCTIONS]))
      return false;
  }
  return true;
}

static bool calls_ok(const struct cs_view *view)
{
  for (uint32_t i = 0; i < view->count[CS_SECTION_CALL_SITES]; i++) {
    const struct cs_index_call_site *call = &view->call_sites[i];
    if ((i && call->pc < view->call_sites[i - 1].pc) || call->physical >= view->count[CS_SECTION_PHYSICALS] ||
        !within(call->first_value, call->value_count, view->count[CS_SECTION_CALL_VALUES]))
      return false;
  }
  for (uint32_t i = 0; i < view->count[CS_SECTION_CALL_VALUES]; i++) {
    const struct cs_index_call_value *value = &view->call_values[i];
    if (value->reg > 15 || value->source > 15 || value->kind > CS_CALL_FRAME)
      return false;
  }
  return true;
}

static bool types_ok(const struct cs_view *view)
{
  for (uint32_t i = 0; i < view->count[CS_SECTION_TYPES]; i++)
    if (!string_ok(view, view->types[i].name))
      return false;
  return true;
}

/* The header, and that every section lies inside the file. */
static int header_ok(const struct cs_index_header *header, size_t size)
{
  if (size < sizeof *header || !cs_equal_bytes(header->magic, CS_INDEX_MAGIC, sizeof header->magic))
    return -EINVAL;
  if (header->version != CS_INDEX_VERSION)
    return -ENOTSUP;
  if (header->header_size < sizeof *header || header->header_size > size || header->file_size != size ||
      header->section_count < CS_SECTION_COUNT || header->build_id_size > sizeof header->build_id)
    return -EINVAL;
  for (unsigned i = 0; i < CS_SECTION_COUNT; i++) {
    const struct cs_index_section *section = &header->sections[i];
    if (entry_sizes[i] && section->entry_size != entry_sizes[i])
      return section->entry_size > entry_sizes[i] ? -ENOTSUP : -EINVAL;
    if (section->offset % 8 || section->offset < header->header_size || section->offset > size ||
        (uint64_t)section->count * section->entry_size > size - section->offset)
      return -EINVAL;
  }
  uint64_t checksum = cs_hash((const char *)header + header->header_size, size - header->header_size);
  return checksum == header->checksum ? 0 : -EBADMSG;
}

void cs_view_set(struct cs_view *view, const void *data)
{
  const struct cs_index_header *header = data;
  const char *base = data;
  view->header = header;
  for (unsigned i = 0; i < CS_SECTION_COUNT; i++)
    view->count[i] = header->sections[i].count;
#define SECTION(field, id) view->field = (const void *)(base + header->sections[id].offset)
  SECTION(strings, CS_SECTION_STRINGS);
  SECTION(sites, CS_SECTION_SITES);
  SECTION(physicals, CS_SECTION_PHYSICALS);
  SECTION(functions, CS_SECTION_FUNCTIONS);
  SECTION(args, CS_SECTION_ARGS);
  SECTION(types, CS_SECTION_TYPES);
  SECTION(ops, CS_SECTION_OPS);
  SECTION(states, CS_SECTION_STATES);
  SECTION(ranges, CS_SECTION_RANGES);
  SECTION(call_sites, CS_SECTION_CALL_SITES);
  SECTION(call_values, CS_SECTION_CALL_VALUES);
  SECTION(saved, CS_SECTION_SAVED);
#undef SECTION
}

int cs_view_check(struct cs_view *view, const void *data, size_t size)
{
  int error = header_ok(data, size);
  if (error)
    return error;
  cs_view_set(view, data);
  uint32_t strings = view->count[CS_SECTION_STRINGS];
  if (!strings || view->strings[0] || view->strings[strings - 1] || !types_ok(view) || !functions_ok(view) ||
      !physicals_ok(view) || !sites_ok(view) || !calls_ok(view))
    return -EINVAL;
  return 0;
}
