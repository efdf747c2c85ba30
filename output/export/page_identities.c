/* Describes the functions and signatures of a page: names and places, and what each argument was. */
#include "output/export/page_identities.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/argument_value.h"

/* A signature of the profile, and the text by which it is printed. */
struct out_page_signature {
  uint32_t signature, text;
};

/* What the value of an argument is told as; docs/page-format.md. */
enum tag {
  TAG_UNKNOWN,
  TAG_INTEGER,
  TAG_LARGE, /* beyond 63 bits */
  TAG_RANGE,
  TAG_AT_LEAST,
  TAG_AT_MOST,
  TAG_FLOAT,
  TAG_TEXT,
  TAG_CUT_TEXT,
  TAG_NULL,
  TAG_NOT_NULL,
  TAG_FUNCTION,
  TAG_LIST,
};

static uint32_t *numbers_of(uint32_t count)
{
  const size_t size = (count + (size_t)1) * sizeof(uint32_t);
  uint32_t *numbers = malloc(size);
  return numbers ? memset(numbers, 0xFF, size) : NULL;
}

int out_page_identities_init(struct out_page_identities *identities, struct callsig_stats *stats,
                             struct out_page_block *block)
{
  const struct out_profile *profile = &stats->profile;
  *identities = (struct out_page_identities){.stats = stats,
                                             .block = block,
                                             .function_numbers = numbers_of(profile->functions.count),
                                             .signature_numbers = numbers_of(profile->signatures.count),
                                             .layout_numbers = numbers_of(profile->layouts.count),
                                             .functions = BASE_VECTOR_OF(uint32_t),
                                             .signatures = BASE_VECTOR_OF(struct out_page_signature),
                                             .layouts = BASE_VECTOR_OF(uint32_t),
                                             .enumerations = BASE_VECTOR_OF(const struct fmt_index_type *)};
  return identities->function_numbers && identities->signature_numbers && identities->layout_numbers ? 0 : -ENOMEM;
}

void out_page_identities_free(struct out_page_identities *identities)
{
  free(identities->function_numbers);
  free(identities->signature_numbers);
  free(identities->layout_numbers);
  base_vector_free(&identities->functions);
  base_vector_free(&identities->signatures);
  base_vector_free(&identities->layouts);
  base_vector_free(&identities->enumerations);
  out_arguments_free(&identities->scratch);
  out_text_free(&identities->text);
}

/* The number of an entry of the profile in one of the lists. */
static uint32_t number_in(struct out_page_identities *identities, uint32_t *numbers, struct base_vector *list,
                          uint32_t entry)
{
  if (numbers[entry] == FMT_NONE) {
    uint32_t *added = base_vector_add(list, 1);
    identities->block->failed |= !added;
    if (!added)
      return 0;
    *added = entry;
    numbers[entry] = list->count - 1;
  }
  return numbers[entry];
}

uint32_t out_page_function(struct out_page_identities *identities, uint32_t function)
{
  return number_in(identities, identities->function_numbers, &identities->functions,
                   identities->shown ? identities->shown[function] : function);
}

uint32_t out_page_signature(struct out_page_identities *identities, uint32_t signature)
{
  struct out_text *text = &identities->text;
  if (signature == FMT_NONE)
    return 0;
  if (identities->row_of)
    signature = identities->row_of[signature];
  uint32_t *number = &identities->signature_numbers[signature];
  if (*number != FMT_NONE)
    return *number;
  const struct out_row_key key = out_row_key_of(signature);
  struct out_names names = out_stats_names(identities->stats);
  if (identities->shown)
    names.shown_function = identities->shown;
  out_text_clear(text);
  out_row_signature(&names, &key, &identities->scratch, text);
  identities->block->failed |= text->failed;
  *number = 0;
  if (text->length == 0)
    return 0;
  struct out_page_signature *added = base_vector_add(&identities->signatures, 1);
  identities->block->failed |= !added;
  if (!added)
    return 0;
  *added = (struct out_page_signature){.signature = signature,
                                       .text = out_page_text(identities->block, out_text_string(text))};
  *number = identities->signatures.count;
  return *number;
}

/* The number of a text that the program made, with what does not print escaped. */
static uint32_t printable(struct out_page_identities *identities, const char *bytes, size_t length)
{
  out_text_clear(&identities->text);
  out_text_printable(&identities->text, bytes, length);
  identities->block->failed |= identities->text.failed;
  return out_page_text(identities->block, out_text_string(&identities->text));
}

/* Was it recorded what the arguments were? */
static bool has_arguments(const struct out_profile *profile, const struct out_page_signature *one)
{
  const struct out_signature *signature = out_profile_signature(profile, one->signature);
  return !signature->any && out_profile_layout(profile, signature->layout)->entry;
}

/* The stages whose tasks the functions are; 0 for code. By function. */
static uint32_t *stages_of(const struct out_profile *profile)
{
  uint32_t *stages = calloc(profile->functions.count + (size_t)1, sizeof *stages);
  for (uint32_t i = 0; i < profile->callables.count && stages; i++) {
    const struct out_callable *callable = out_profile_callable(profile, i);
    if (callable->stage)
      stages[callable->function] = callable->stage;
  }
  return stages;
}

static int write_functions(struct out_page_identities *identities)
{
  const struct out_profile *profile = &identities->stats->profile;
  struct out_page_block *block = identities->block;
  uint32_t *stages = stages_of(profile);
  if (!stages)
    return -ENOMEM;
  out_page_section(block, "func");
  out_page_number(block, identities->functions.count);
  for (uint32_t i = 0; i < identities->functions.count; i++) {
    const uint32_t number = *(const uint32_t *)base_vector_at(&identities->functions, i);
    const struct out_known_function *function = out_profile_function(profile, number);
    out_page_number(block, out_page_text(block, out_profile_string(profile, function->file)));
    out_page_number(block, function->line);
    out_page_number(block, out_page_text(block, out_profile_string(profile, function->name)));
    out_page_number(block, function->is_action);
    const char *stage = out_profile_string(profile, out_profile_stage(profile, stages[number])->label);
    out_page_number(block, stages[number] ? out_page_text(block, stage) : 0);
  }
  out_page_section_end(block);
  free(stages);
  return 0;
}

/* The number of the enumeration that an argument's values are of, plus 1; 0 for none. */
static uint32_t enumeration_of(struct out_page_identities *identities, const struct fmt_index *index,
                               const struct fmt_index_arg *arg)
{
  const struct fmt_index_type *type = &index->types[arg->type];
  if (arg->kind == FMT_ARG_SPAN && type->target != FMT_NONE)
    type = &index->types[type->target];
  const bool has_values = arg->kind == FMT_ARG_VALUE || arg->kind == FMT_ARG_SPAN;
  if (!has_values || (type->kind != FMT_TYPE_ENUM && type->kind != FMT_TYPE_FLAGS) || type->enumerator_count == 0)
    return 0;
  for (uint32_t i = 0; i < identities->enumerations.count; i++) {
    if (*(const struct fmt_index_type **)base_vector_at(&identities->enumerations, i) == type)
      return i + 1;
  }
  const struct fmt_index_type **added = base_vector_add(&identities->enumerations, 1);
  identities->block->failed |= !added;
  if (!added)
    return 0;
  *added = type;
  struct out_page_block *block = identities->block;
  out_page_number(block, 1);
  out_page_number(block, type->enumerator_count);
  for (uint32_t i = 0; i < type->enumerator_count; i++) {
    const struct fmt_index_enumerator *one = &index->enumerators[type->first_enumerator + i];
    const char *name = fmt_index_string(index, one->name);
    out_page_number(block, printable(identities, name, strlen(name)));
    out_page_signed(block, one->value);
  }
  return identities->enumerations.count;
}

/* Layouts, each behind the enumerations that it is the first to have. */
static void write_layout(struct out_page_identities *identities, uint32_t number)
{
  const struct out_layout *layout = out_profile_layout(&identities->stats->profile, number);
  struct out_page_block *block = identities->block;
  const uint32_t count = layout->entry ? layout->entry->arg_count : 0;
  const struct fmt_index_arg *args = count ? &layout->index->args[layout->entry->first_arg] : NULL;
  for (uint32_t i = 0; i < count; i++)
    enumeration_of(identities, layout->index, &args[i]);
  out_page_number(block, 0);
  out_page_number(block, count);
  for (uint32_t i = 0; i < count; i++) {
    const char *name = fmt_index_string(layout->index, args[i].name);
    out_page_number(block, printable(identities, name, strlen(name)));
    out_page_number(block, args[i].kind == FMT_ARG_GROUP);
    out_page_number(block, args[i].children);
    out_page_number(block, args[i].join < count ? args[i].join + 1u : 0);
    out_page_number(block, enumeration_of(identities, layout->index, &args[i]));
  }
}

static void write_integer(struct out_page_block *block, __int128 value)
{
  out_page_number(block, value > INT64_MAX ? TAG_LARGE : TAG_INTEGER);
  if (value > INT64_MAX)
    out_page_number(block, (uint64_t)value);
  else
    out_page_signed(block, (int64_t)value);
}

static void write_range(struct out_page_block *block, const struct out_value *value)
{
  if (value->low == value->high) {
    write_integer(block, value->low);
    return;
  }
  const bool is_open_below = value->low<INT64_MIN, is_open_above = value->high> UINT64_MAX;
  out_page_number(block, is_open_below ? TAG_AT_MOST : is_open_above ? TAG_AT_LEAST : TAG_RANGE);
  if (!is_open_below)
    write_integer(block, value->low);
  if (!is_open_above)
    write_integer(block, value->high);
}

static void write_text(struct out_page_identities *identities, const struct out_value *value)
{
  out_page_number(identities->block, value->cut ? TAG_CUT_TEXT : TAG_TEXT);
  out_page_number(identities->block, printable(identities, value->text, value->length));
}

static void write_list(struct out_page_block *block, const struct fmt_index *index, const struct out_argument *argument)
{
  const uint32_t count = (uint32_t)(argument->words[0] & ~OUT_CUT);
  out_page_number(block, TAG_LIST);
  out_page_number(block, (uint64_t)count << 1 | (argument->words[0] & OUT_CUT ? 1 : 0));
  for (uint32_t i = 0; i < count; i++)
    write_integer(block, out_argument_element(index, argument, i).low);
}

static void write_value(struct out_page_identities *identities, const struct fmt_index *index, uint32_t number)
{
  const struct out_argument *argument = &identities->scratch.list[number];
  struct out_page_block *block = identities->block;
  if (argument->state == FMT_STATE_READ && argument->arg->kind == FMT_ARG_SPAN) {
    write_list(block, index, argument);
    return;
  }
  const struct out_value value = out_argument_value(&identities->stats->profile, index, &identities->scratch, number);
  switch (value.kind) {
  case OUT_VALUE_RANGE:
    write_range(block, &value);
    break;
  case OUT_VALUE_FLOAT:
    out_page_number(block, TAG_FLOAT);
    out_page_double(block, value.number);
    break;
  case OUT_VALUE_STRING:
    write_text(identities, &value);
    break;
  case OUT_VALUE_FUNCTION:
    out_page_number(block, TAG_FUNCTION);
    out_page_number(block, out_page_text(block, value.text));
    break;
  case OUT_VALUE_NULL:
  case OUT_VALUE_NOT_NULL:
    out_page_number(block, value.kind == OUT_VALUE_NULL ? TAG_NULL : TAG_NOT_NULL);
    break;
  default:
    out_page_number(block, TAG_UNKNOWN);
  }
}

static void write_head(struct out_page_identities *identities, const struct out_page_signature *one)
{
  const struct out_profile *profile = &identities->stats->profile;
  const struct out_signature *signature = out_profile_signature(profile, one->signature);
  const struct out_layout *layout = out_profile_layout(profile, signature->layout);
  struct out_page_block *block = identities->block;
  out_page_number(block, out_page_function(identities, identities->stats->shown_function[layout->function]));
  out_page_number(block, one->text);
  out_page_number(block, has_arguments(profile, one) ? identities->layout_numbers[signature->layout] + 1u : 0);
}

static int write_values(struct out_page_identities *identities, const struct out_page_signature *one)
{
  const struct out_profile *profile = &identities->stats->profile;
  const struct out_signature *signature = out_profile_signature(profile, one->signature);
  if (!has_arguments(profile, one))
    return 0;
  if (out_arguments_of(profile, one->signature, &identities->scratch) < 0)
    return -ENOMEM;
  for (uint32_t i = 0; i < identities->scratch.count; i++)
    write_value(identities, out_profile_layout(profile, signature->layout)->index, i);
  return 0;
}

static void write_layouts(struct out_page_identities *identities)
{
  const struct out_profile *profile = &identities->stats->profile;
  struct out_page_block *block = identities->block;
  out_page_section(block, "args");
  for (uint32_t i = 0; i < identities->signatures.count; i++) {
    const struct out_page_signature *one = base_vector_at(&identities->signatures, i);
    const struct out_signature *signature = out_profile_signature(profile, one->signature);
    const uint32_t before = identities->layouts.count;
    if (!has_arguments(profile, one))
      continue;
    number_in(identities, identities->layout_numbers, &identities->layouts, signature->layout);
    if (identities->layouts.count > before)
      write_layout(identities, signature->layout);
  }
  out_page_section_end(block);
}

int out_page_identities_write(struct out_page_identities *identities)
{
  struct out_page_block *block = identities->block;
  int result = 0;
  write_layouts(identities);
  out_page_section(block, "sign");
  out_page_number(block, identities->signatures.count);
  for (uint32_t i = 0; i < identities->signatures.count; i++)
    write_head(identities, base_vector_at(&identities->signatures, i));
  out_page_section_end(block);
  out_page_section(block, "vals");
  for (uint32_t i = 0; i < identities->signatures.count && result == 0; i++)
    result = write_values(identities, base_vector_at(&identities->signatures, i));
  out_page_section_end(block);
  return result == 0 ? write_functions(identities) : result;
}
