/* Compares how the parameters of two functions are laid out, and checks that an index's types end. */
#include "output/profile/layout.h"

#include <string.h>

static bool equal_strings(const struct fmt_index *a, uint32_t a_string, const struct fmt_index *b, uint32_t b_string)
{
  return strcmp(fmt_index_string(a, a_string), fmt_index_string(b, b_string)) == 0;
}

static bool equal_enumerators(const struct fmt_index *a, const struct fmt_index_type *a_type, const struct fmt_index *b,
                              const struct fmt_index_type *b_type)
{
  if (a_type->enumerator_count != b_type->enumerator_count)
    return false;
  for (uint32_t i = 0; i < a_type->enumerator_count; i++) {
    const struct fmt_index_enumerator *left = &a->enumerators[a_type->first_enumerator + i];
    const struct fmt_index_enumerator *right = &b->enumerators[b_type->first_enumerator + i];
    if (left->value != right->value || !equal_strings(a, left->name, b, right->name))
      return false;
  }
  return true;
}

static bool equal_types(const struct fmt_index *a, uint32_t a_number, const struct fmt_index *b, uint32_t b_number)
{
  const struct fmt_index_type *a_type = &a->types[a_number], *b_type = &b->types[b_number];
  if (a_type->kind != b_type->kind || a_type->is_signed != b_type->is_signed || a_type->size != b_type->size ||
      !equal_strings(a, a_type->name, b, b_type->name) || !equal_enumerators(a, a_type, b, b_type))
    return false;
  if (a_type->target == FMT_NONE || b_type->target == FMT_NONE)
    return a_type->target == b_type->target;
  /* What is printed of a target is its name, and of a span's elements whether they are signed. */
  const struct fmt_index_type *a_target = &a->types[a_type->target], *b_target = &b->types[b_type->target];
  return equal_strings(a, a_target->name, b, b_target->name) && a_target->is_signed == b_target->is_signed &&
         a_target->kind == b_target->kind;
}

static bool equal_ranges(const struct fmt_index *a, uint32_t a_offset, const struct fmt_index *b, uint32_t b_offset)
{
  const int64_t *left = a->ranges + a_offset, *right = b->ranges + b_offset;
  return left[0] == right[0] && memcmp(left, right, ((size_t)left[0] + 1) * sizeof *left) == 0;
}

static bool equal_args(const struct fmt_index *a, const struct fmt_index_arg *left, const struct fmt_index *b,
                       const struct fmt_index_arg *right)
{
  if (left->kind != right->kind || left->flags != right->flags || left->join != right->join ||
      left->children != right->children || !equal_strings(a, left->name, b, right->name) ||
      !equal_types(a, left->type, b, right->type))
    return false;
  if (left->kind == FMT_ARG_GROUP)
    return equal_strings(a, left->text, b, right->text);
  if (left->kind == FMT_ARG_BUCKET_RANGE)
    return equal_ranges(a, left->aux, b, right->aux);
  return left->aux == right->aux;
}

bool out_layout_equal(const struct fmt_index *a, const struct fmt_index_function *a_entry, const struct fmt_index *b,
                      const struct fmt_index_function *b_entry)
{
  if (a_entry == b_entry)
    return true;
  if (!a_entry || !b_entry || a_entry->arg_count != b_entry->arg_count ||
      a_entry->state_words != b_entry->state_words || a_entry->flags != b_entry->flags)
    return false;
  for (uint32_t i = 0; i < a_entry->arg_count; i++) {
    if (!equal_args(a, &a->args[a_entry->first_arg + i], b, &b->args[b_entry->first_arg + i]))
      return false;
  }
  return true;
}

bool out_layout_nests(const struct fmt_index *index, const struct fmt_index_function *entry)
{
  uint32_t ends[OUT_LAYOUT_DEPTH + 1] = {entry->arg_count}; /* of the groups that hold argument i, outermost first */
  uint32_t depth = 0;
  for (uint32_t i = 0; i < entry->arg_count; i++) {
    while (i >= ends[depth])
      depth--;
    uint32_t end = i + 1u + index->args[entry->first_arg + i].children;
    if (end > ends[depth] || (end > i + 1 && depth == OUT_LAYOUT_DEPTH))
      return false;
    if (end > i + 1)
      ends[++depth] = end;
  }
  return true;
}
