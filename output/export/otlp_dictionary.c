/* The tables that OTLP's samples refer to, each entry written when it is first needed. */
#include "output/export/otlp_dictionary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"

/* An attribute of the dictionary: a label, which is there once. */
struct attribute {
  struct out_sample_label label;
  uint32_t index; /* in attribute_table */
};

/* A stack of the dictionary; its index is its number and 1. */
struct stack {
  uint32_t node, site;
};

/* Bytes on their way out, counted: no reader of protobuf takes a message of 2 GiB. */
int out_otlp_put(struct out_otlp_dictionary *dictionary, const void *bytes, size_t size)
{
  dictionary->size += size;
  if (dictionary->size > INT_MAX)
    return out_stats_fail(-EFBIG, "the profile is beyond the 2 GiB of an OTLP message; select rows by a filter, or "
                                  "export without signatures by --by function");
  return out_export_write(dictionary->export, bytes, size);
}

/* Writes a ProfilesData that holds a part of the dictionary. */
static int put(struct out_otlp_dictionary *dictionary, Callsig__Otlp__ProfilesDictionary *part)
{
  Callsig__Otlp__ProfilesData data = CALLSIG__OTLP__PROFILES_DATA__INIT;
  data.dictionary = part;
  size_t size = callsig__otlp__profiles_data__get_packed_size(&data);
  int result = out_packed_room(&dictionary->packed, size);
  if (result < 0)
    return result;
  callsig__otlp__profiles_data__pack(&data, dictionary->packed.bytes);
  return out_otlp_put(dictionary, dictionary->packed.bytes, size);
}

int out_otlp_string(void *data, const char *text)
{
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  char *entry = out_otlp_taken(text);
  part.n_string_table = 1;
  part.string_table = &entry;
  return put(data, &part);
}

/* Adds an attribute of the key to the dictionary; `index` gets its place. */
int out_otlp_attribute(struct out_otlp_dictionary *dictionary, const char *key, Callsig__Otlp__AnyValue *value,
                       uint32_t *index)
{
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__KeyValueAndUnit attribute = CALLSIG__OTLP__KEY_VALUE_AND_UNIT__INIT, *list[] = {&attribute};
  attribute.key_strindex = (int32_t)out_sample_string_of(dictionary->walk, key);
  attribute.value = value;
  part.n_attribute_table = 1;
  part.attribute_table = list;
  *index = dictionary->attribute_count++;
  return put(dictionary, &part);
}

static bool equal_attribute(const void *owner, uint32_t number, const void *key)
{
  const struct attribute *there = base_vector_at(&((const struct out_otlp_dictionary *)owner)->attributes, number);
  const struct out_sample_label *wanted = key;
  return there->label.key == wanted->key && there->label.string == wanted->string &&
         there->label.unit == wanted->unit && there->label.number == wanted->number;
}

static int write_label(struct out_otlp_dictionary *dictionary, const struct out_sample_label *label)
{
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__KeyValueAndUnit attribute = CALLSIG__OTLP__KEY_VALUE_AND_UNIT__INIT, *list[] = {&attribute};
  Callsig__Otlp__AnyValue value = CALLSIG__OTLP__ANY_VALUE__INIT;
  attribute.key_strindex = (int32_t)label->key;
  attribute.unit_strindex = (int32_t)label->unit;
  attribute.value = &value;
  if (label->unit) {
    value.value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_INT_VALUE;
    value.int_value = label->number;
  } else {
    value.value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX;
    value.string_value_strindex = (int32_t)label->string;
  }
  part.n_attribute_table = 1;
  part.attribute_table = list;
  return put(dictionary, &part);
}

/* The place of a label in attribute_table, to which it is written when it is new. */
static int attribute_of(struct out_otlp_dictionary *dictionary, const struct out_sample_label *label, uint32_t *index)
{
  uint64_t hash = out_hash_mix(out_hash_mix(label->key, label->string), (uint64_t)label->number ^ label->unit);
  uint32_t number = out_idset_find(&dictionary->attribute_set, hash, dictionary, label, equal_attribute);
  if (number != FMT_NONE) {
    *index = ((const struct attribute *)base_vector_at(&dictionary->attributes, number))->index;
    return 0;
  }
  struct attribute *added = base_vector_add(&dictionary->attributes, 1);
  if (!added || out_idset_add(&dictionary->attribute_set, hash, dictionary->attributes.count - 1) < 0)
    return -ENOMEM;
  *added = (struct attribute){.label = *label, .index = dictionary->attribute_count++};
  *index = added->index;
  return write_label(dictionary, label);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Entry 0 of every table is the empty one; the empty string is there already. */
int out_otlp_put_empty_entries(struct out_otlp_dictionary *dictionary)
{
  uint8_t zeros[16] = {0};
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__Mapping mapping = CALLSIG__OTLP__MAPPING__INIT, *mappings[] = {&mapping};
  Callsig__Otlp__Location location = CALLSIG__OTLP__LOCATION__INIT, *locations[] = {&location};
  Callsig__Otlp__Function function = CALLSIG__OTLP__FUNCTION__INIT, *functions[] = {&function};
  Callsig__Otlp__Link link = CALLSIG__OTLP__LINK__INIT, *links[] = {&link};
  Callsig__Otlp__KeyValueAndUnit attribute = CALLSIG__OTLP__KEY_VALUE_AND_UNIT__INIT, *attributes[] = {&attribute};
  Callsig__Otlp__Stack stack = CALLSIG__OTLP__STACK__INIT, *stacks[] = {&stack};
  link.trace_id = (ProtobufCBinaryData){.len = 16, .data = zeros};
  link.span_id = (ProtobufCBinaryData){.len = 8, .data = zeros};
  part.n_mapping_table = part.n_location_table = part.n_function_table = part.n_link_table = 1;
  part.n_attribute_table = part.n_stack_table = 1;
  part.mapping_table = mappings;
  part.location_table = locations;
  part.function_table = functions;
  part.link_table = links;
  part.attribute_table = attributes;
  part.stack_table = stacks;
  dictionary->attribute_count = 1;
  return put(dictionary, &part);
}

/* The build-id of the modules of this label as hexadecimal digits; none when they have none, or not all the same. */
static void build_id_of(const struct out_profile *profile, uint32_t label, char text[65])
{
  const struct out_known_module *first = NULL;
  text[0] = '\0';
  for (uint32_t i = 0; i < profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    if (module->label != label)
      continue;
    if (first && (first->build_id_size != module->build_id_size ||
                  memcmp(first->build_id, module->build_id, sizeof first->build_id) != 0))
      return;
    first = module;
  }
  for (uint32_t i = 0; first && i < first->build_id_size && i < sizeof first->build_id; i++)
    snprintf(text + 2 * (size_t)i, 3, "%02x", first->build_id[i]);
}

/* That names are known, as pprof's mappings have it, is told of each module by the same three attributes. */
static int put_known_names(struct out_otlp_dictionary *dictionary)
{
  static const char *const keys[] = {"pprof.mapping.has_functions", "pprof.mapping.has_filenames",
                                     "pprof.mapping.has_line_numbers"};
  Callsig__Otlp__AnyValue value = CALLSIG__OTLP__ANY_VALUE__INIT;
  value.value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_BOOL_VALUE;
  value.bool_value = true;
  int result = 0;
  for (unsigned i = 0; i < 3 && result == 0 && !dictionary->known_names[i]; i++)
    result = out_otlp_attribute(dictionary, keys[i], &value, &dictionary->known_names[i]);
  return result;
}

int out_otlp_mapping(void *data, const struct out_sample_module *module)
{
  struct out_otlp_dictionary *dictionary = data;
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__Mapping mapping = CALLSIG__OTLP__MAPPING__INIT, *list[] = {&mapping};
  char build_id[65];
  int32_t indices[4];
  int result = put_known_names(dictionary);
  for (unsigned i = 0; i < 3; i++)
    indices[i] = (int32_t)dictionary->known_names[i];
  mapping.n_attribute_indices = 3;
  build_id_of(&dictionary->export->stats->profile, module->label, build_id);
  if (build_id[0] && result == 0) {
    struct out_sample_label label = {.key = out_sample_string_of(dictionary->walk, "process.executable.build_id.gnu"),
                                     .string = out_sample_string_of(dictionary->walk, build_id)};
    uint32_t index = 0;
    result = attribute_of(dictionary, &label, &index);
    indices[mapping.n_attribute_indices++] = (int32_t)index;
  }
  mapping.filename_strindex = (int32_t)module->filename;
  mapping.attribute_indices = indices;
  part.n_mapping_table = 1;
  part.mapping_table = list;
  return result < 0 ? result : put(dictionary, &part);
}

int out_otlp_function(void *data, const struct out_sample_function *known)
{
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__Function function = CALLSIG__OTLP__FUNCTION__INIT, *list[] = {&function};
  /* A system's name there is none of: see export_pprof.c. */
  function.name_strindex = (int32_t)known->name;
  function.filename_strindex = (int32_t)known->filename;
  function.start_line = known->line;
  part.n_function_table = 1;
  part.function_table = list;
  return put(data, &part);
}

int out_otlp_location(void *data, const struct out_sample_location *known)
{
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__Location location = CALLSIG__OTLP__LOCATION__INIT, *locations[] = {&location};
  Callsig__Otlp__Line *lines = calloc(known->line_count, sizeof *lines),
                      **list = calloc(known->line_count, sizeof *list);
  int result = lines && list ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < known->line_count && result == 0; i++) {
    callsig__otlp__line__init(&lines[i]);
    lines[i].function_index = (int32_t)known->lines[i].function;
    lines[i].line = known->lines[i].line;
    list[i] = &lines[i];
  }
  location.mapping_index = (int32_t)known->module;
  location.n_lines = known->line_count;
  location.lines = list;
  part.n_location_table = 1;
  part.location_table = locations;
  result = result < 0 ? result : put(data, &part);
  free(lines);
  free(list);
  return result;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool equal_stack(const void *owner, uint32_t number, const void *key)
{
  const struct stack *there = base_vector_at(&((const struct out_otlp_dictionary *)owner)->stacks, number),
                     *wanted = key;
  return there->node == wanted->node && there->site == wanted->site;
}

static int write_stack(struct out_otlp_dictionary *dictionary, const struct out_sample *known)
{
  Callsig__Otlp__ProfilesDictionary part = CALLSIG__OTLP__PROFILES_DICTIONARY__INIT;
  Callsig__Otlp__Stack stack = CALLSIG__OTLP__STACK__INIT, *list[] = {&stack};
  dictionary->indices.count = 0;
  int32_t *indices = base_vector_add(&dictionary->indices, known->location_count);
  if (!indices)
    return -ENOMEM;
  for (uint32_t i = 0; i < known->location_count; i++)
    indices[i] = (int32_t)known->locations[i];
  stack.n_location_indices = known->location_count;
  stack.location_indices = indices;
  part.n_stack_table = 1;
  part.stack_table = list;
  return put(dictionary, &part);
}

/* The place of a sample's stack in stack_table. The path of functions and the place in the caller tell it from others.
 */
int out_otlp_stack(struct out_otlp_dictionary *dictionary, const struct out_sample *known, int32_t *index)
{
  const struct stack key = {.node = known->path, .site = known->location_count > 1 ? known->locations[1] : 0};
  const uint64_t hash = out_hash_mix(key.node, key.site);
  uint32_t number = out_idset_find(&dictionary->stack_set, hash, dictionary, &key, equal_stack);
  *index = (int32_t)number + 1;
  if (number != FMT_NONE)
    return 0;
  struct stack *added = base_vector_add(&dictionary->stacks, 1);
  if (!added || out_idset_add(&dictionary->stack_set, hash, dictionary->stacks.count - 1) < 0)
    return -ENOMEM;
  *added = key;
  *index = (int32_t)dictionary->stacks.count;
  return write_stack(dictionary, known);
}

/* The attributes of a sample into dictionary.indices. A name that is there twice (two arguments that a compiler made of
 * one) is a label of pprof's, but no attribute: the second is dropped and counted. */
int out_otlp_labels(struct out_otlp_dictionary *dictionary, const struct out_sample *known)
{
  dictionary->indices.count = 0;
  for (uint32_t i = 0; i < known->label_count; i++) {
    uint32_t before = 0, index;
    while (before < i && known->labels[before].key != known->labels[i].key)
      before++;
    if (before < i) {
      dictionary->dropped++;
      continue;
    }
    int result = attribute_of(dictionary, &known->labels[i], &index);
    int32_t *added = result < 0 ? NULL : base_vector_add(&dictionary->indices, 1);
    if (!added)
      return result < 0 ? result : -ENOMEM;
    *added = (int32_t)index;
  }
  return 0;
}

void out_otlp_dictionary_free(struct out_otlp_dictionary *dictionary)
{
  free(dictionary->packed.bytes);
  base_vector_free(&dictionary->attributes);
  out_idset_free(&dictionary->attribute_set);
  base_vector_free(&dictionary->stacks);
  out_idset_free(&dictionary->stack_set);
  base_vector_free(&dictionary->indices);
}

void out_otlp_dictionary_init(struct out_otlp_dictionary *dictionary, const struct out_export *export)
{
  *dictionary = (struct out_otlp_dictionary){.export = export,
                                             .attributes = BASE_VECTOR_OF(struct attribute),
                                             .stacks = BASE_VECTOR_OF(struct stack),
                                             .indices = BASE_VECTOR_OF(int32_t)};
}
