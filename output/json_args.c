#include "json_args.h"

#include <math.h>
#include <string.h>

#include "render.h"
#include "render_number.h"

struct writer {
  struct cs_json *json;
  const struct cs_profile *profile;
  const struct cs_index *index;
  const struct cs_arguments *arguments;
};

static void write_argument(struct writer *writer, uint32_t number);

/* What is printed for the argument, as a string. */
static void write_text(struct writer *writer, uint32_t number)
{
  struct cs_text text = {0};
  cs_render_value(writer->profile, writer->index, writer->arguments, number, &text);
  writer->json->failed |= text.failed;
  cs_json_string(writer->json, cs_text_string(&text), text.length);
  cs_text_free(&text);
}

static void write_integer(struct writer *writer, const struct cs_index_type *type, uint64_t word)
{
  if (type->is_signed || type->kind == CS_TYPE_SIGNED)
    cs_json_signed(writer->json, (int64_t)word);
  else
    cs_json_integer(writer->json, word);
}

static void write_value(struct writer *writer, uint32_t number)
{
  const struct cs_argument *argument = &writer->arguments->list[number];
  const struct cs_index_type *type = &writer->index->types[argument->arg->type];
  uint64_t word = argument->words[0];
  char byte = (char)word;
  switch (type->kind) {
  case CS_TYPE_BOOL:
    if (word <= 1)
      cs_json_bool(writer->json, word);
    else
      cs_json_integer(writer->json, word);
    break;
  case CS_TYPE_CHAR:
    if (type->size <= 1)
      cs_json_string(writer->json, &byte, 1);
    else
      write_integer(writer, type, word);
    break;
  case CS_TYPE_ENUM:
    if (cs_enumerator_name(writer->index, type, (int64_t)word))
      write_text(writer, number);
    else
      write_integer(writer, type, word);
    break;
  case CS_TYPE_FUNCTION_POINTER:
    if (word == 0) {
      cs_json_null(writer->json);
      break;
    }
    write_text(writer, number);
    break;
  case CS_TYPE_FLAGS:
  case CS_TYPE_POINTER:
    write_text(writer, number);
    break;
  default:
    write_integer(writer, type, word);
  }
}

static void write_string(struct writer *writer, const struct cs_argument *argument)
{
  if (argument->words[0] == UINT64_MAX)
    cs_json_null(writer->json);
  else
    cs_json_string(writer->json, (const char *)(argument->words + 1), argument->words[0] & ~CS_CUT);
}

static void write_span(struct writer *writer, const struct cs_argument *argument)
{
  const struct cs_index_type *type = &writer->index->types[argument->arg->type];
  if (type->target != CS_NONE)
    type = &writer->index->types[type->target];
  cs_json_open_array(writer->json);
  for (uint64_t i = 0; i < (argument->words[0] & ~CS_CUT); i++)
    write_integer(writer, type, argument->words[1 + i]);
  cs_json_close_array(writer->json);
}

static void write_float(struct writer *writer, uint32_t number)
{
  const struct cs_argument *argument = &writer->arguments->list[number];
  const struct cs_index_type *type = &writer->index->types[argument->arg->type];
  double value = cs_float_value(type, argument->words[0]);
  if (isnan(value) || isinf(value))
    write_text(writer, number);
  else
    cs_json_number(writer->json, value, type->size == sizeof(float));
}

static void write_group(struct writer *writer, uint32_t group)
{
  if (cs_group_is_null(writer->arguments, group)) {
    cs_json_null(writer->json);
    return;
  }
  cs_json_open_array(writer->json);
  uint32_t child = cs_group_child(writer->arguments, group, group);
  for (; child != CS_NONE; child = cs_group_child(writer->arguments, group, child))
    write_argument(writer, child);
  cs_json_close_array(writer->json);
}

static void write_read(struct writer *writer, uint32_t number)
{
  const struct cs_argument *argument = &writer->arguments->list[number];
  switch (argument->arg->kind) {
  case CS_ARG_VALUE:
    write_value(writer, number);
    break;
  case CS_ARG_NULLNESS:
    if (argument->words[0])
      write_text(writer, number);
    else
      cs_json_null(writer->json);
    break;
  case CS_ARG_STRING:
    write_string(writer, argument);
    break;
  case CS_ARG_BUCKET_LOG2:
  case CS_ARG_BUCKET_RANGE:
    write_text(writer, number);
    break;
  case CS_ARG_FLOAT:
    write_float(writer, number);
    break;
  case CS_ARG_SPAN:
    write_span(writer, argument);
    break;
  case CS_ARG_GROUP:
    write_group(writer, number);
    break;
  default:
    cs_json_null(writer->json);
  }
}

static void write_argument(struct writer *writer, uint32_t number)
{
  const struct cs_argument *argument = &writer->arguments->list[number];
  bool counted = argument->arg->kind == CS_ARG_STRING || argument->arg->kind == CS_ARG_SPAN;
  cs_json_open_map(writer->json);
  cs_json_key_string(writer->json, "name", cs_index_string(writer->index, argument->arg->name));
  cs_json_key_string(writer->json, "type",
                     cs_index_string(writer->index, writer->index->types[argument->arg->type].name));
  cs_json_key_string(writer->json, "state", cs_argument_state(argument));
  cs_json_key(writer->json, "value");
  if (argument->state == CS_STATE_READ)
    write_read(writer, number);
  else if (argument->state == CS_STATE_LOG2)
    write_text(writer, number);
  else
    cs_json_null(writer->json);
  if (counted && argument->state == CS_STATE_READ && argument->words[0] != UINT64_MAX && argument->words[0] & CS_CUT) {
    cs_json_key(writer->json, "cut");
    cs_json_bool(writer->json, true);
  }
  cs_json_close_map(writer->json);
}

void cs_json_args(struct cs_json *json, const struct cs_profile *profile, uint32_t signature,
                  struct cs_arguments *scratch)
{
  const struct cs_layout *layout = cs_profile_layout(profile, cs_profile_signature(profile, signature)->layout);
  struct writer writer = {.json = json, .profile = profile, .index = layout->index, .arguments = scratch};
  if (cs_arguments_of(profile, signature, scratch) < 0) {
    json->failed = true;
    return;
  }
  cs_json_open_array(json);
  for (uint32_t i = 0; i < scratch->count; i = cs_argument_after(scratch, i))
    write_argument(&writer, i);
  cs_json_close_array(json);
}
