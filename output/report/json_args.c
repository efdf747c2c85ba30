/* Writes the arguments of a signature as JSON. */
#include "output/report/json_args.h"

#include <math.h>
#include <string.h>

#include "output/profile/argument_value.h"
#include "output/stats/render.h"
#include "output/stats/render_number.h"

struct writer {
  struct out_json *json;
  const struct out_profile *profile;
  const struct fmt_index *index;
  const struct out_arguments *arguments;
};

static void write_argument(struct writer *writer, uint32_t number);

/* What is printed for the argument, as a string. */
static void write_text(struct writer *writer, uint32_t number)
{
  struct out_text text = {0};
  out_render_value(writer->profile, writer->index, writer->arguments, number, &text);
  writer->json->failed |= text.failed;
  out_json_string(writer->json, out_text_string(&text), text.length);
  out_text_free(&text);
}

static void write_integer(struct writer *writer, const struct fmt_index_type *type, uint64_t word)
{
  if (type->is_signed || type->kind == FMT_TYPE_SIGNED)
    out_json_signed(writer->json, (int64_t)word);
  else
    out_json_integer(writer->json, word);
}

static void write_value(struct writer *writer, uint32_t number)
{
  const struct out_argument *argument = &writer->arguments->list[number];
  const struct fmt_index_type *type = &writer->index->types[argument->arg->type];
  uint64_t word = argument->words[0];
  char byte = (char)word;
  switch (type->kind) {
  case FMT_TYPE_BOOL:
    if (word <= 1)
      out_json_bool(writer->json, word);
    else
      out_json_integer(writer->json, word);
    break;
  case FMT_TYPE_CHAR:
    if (type->size <= 1)
      out_json_string(writer->json, &byte, 1);
    else
      write_integer(writer, type, word);
    break;
  case FMT_TYPE_ENUM:
    if (out_enumerator_name(writer->index, type, (int64_t)word))
      write_text(writer, number);
    else
      write_integer(writer, type, word);
    break;
  case FMT_TYPE_FUNCTION_POINTER:
    if (word == 0) {
      out_json_null(writer->json);
      break;
    }
    write_text(writer, number);
    break;
  case FMT_TYPE_FLAGS:
  case FMT_TYPE_POINTER:
    write_text(writer, number);
    break;
  default:
    write_integer(writer, type, word);
  }
}

static void write_string(struct writer *writer, const struct out_argument *argument)
{
  if (argument->words[0] == UINT64_MAX)
    out_json_null(writer->json);
  else
    out_json_string(writer->json, (const char *)(argument->words + 1), argument->words[0] & ~OUT_CUT);
}

static void write_span(struct writer *writer, const struct out_argument *argument)
{
  const struct fmt_index_type *type = &writer->index->types[argument->arg->type];
  if (type->target != FMT_NONE)
    type = &writer->index->types[type->target];
  out_json_open_array(writer->json);
  for (uint64_t i = 0; i < (argument->words[0] & ~OUT_CUT); i++)
    write_integer(writer, type, argument->words[1 + i]);
  out_json_close_array(writer->json);
}

static void write_float(struct writer *writer, uint32_t number)
{
  const struct out_argument *argument = &writer->arguments->list[number];
  const struct fmt_index_type *type = &writer->index->types[argument->arg->type];
  double value = out_float_value(type, argument->words[0]);
  if (isnan(value) || isinf(value))
    write_text(writer, number);
  else
    out_json_number(writer->json, value, type->size == sizeof(float));
}

static void write_group(struct writer *writer, uint32_t group)
{
  if (out_group_is_null(writer->arguments, group)) {
    out_json_null(writer->json);
    return;
  }
  out_json_open_array(writer->json);
  uint32_t child = out_group_child(writer->arguments, group, group);
  for (; child != FMT_NONE; child = out_group_child(writer->arguments, group, child))
    write_argument(writer, child);
  out_json_close_array(writer->json);
}

static void write_read(struct writer *writer, uint32_t number)
{
  const struct out_argument *argument = &writer->arguments->list[number];
  switch (argument->arg->kind) {
  case FMT_ARG_VALUE:
    write_value(writer, number);
    break;
  case FMT_ARG_NULLNESS:
    if (argument->words[0])
      write_text(writer, number);
    else
      out_json_null(writer->json);
    break;
  case FMT_ARG_STRING:
    write_string(writer, argument);
    break;
  case FMT_ARG_BUCKET_LOG2:
  case FMT_ARG_BUCKET_RANGE:
    write_text(writer, number);
    break;
  case FMT_ARG_FLOAT:
    write_float(writer, number);
    break;
  case FMT_ARG_SPAN:
    write_span(writer, argument);
    break;
  case FMT_ARG_GROUP:
    write_group(writer, number);
    break;
  default:
    out_json_null(writer->json);
  }
}

static void write_argument(struct writer *writer, uint32_t number)
{
  const struct out_argument *argument = &writer->arguments->list[number];
  bool counted = argument->arg->kind == FMT_ARG_STRING || argument->arg->kind == FMT_ARG_SPAN;
  out_json_open_map(writer->json);
  out_json_key_string(writer->json, "name", fmt_index_string(writer->index, argument->arg->name));
  out_json_key_string(writer->json, "type",
                      fmt_index_string(writer->index, writer->index->types[argument->arg->type].name));
  out_json_key_string(writer->json, "state", out_argument_state(argument));
  out_json_key(writer->json, "value");
  if (argument->state == FMT_STATE_READ)
    write_read(writer, number);
  else if (argument->state == FMT_STATE_LOG2)
    write_text(writer, number);
  else
    out_json_null(writer->json);
  if (counted && argument->state == FMT_STATE_READ && argument->words[0] != UINT64_MAX &&
      argument->words[0] & OUT_CUT) {
    out_json_key(writer->json, "cut");
    out_json_bool(writer->json, true);
  }
  out_json_close_map(writer->json);
}

void out_json_args(struct out_json *json, const struct out_profile *profile, uint32_t signature,
                   struct out_arguments *scratch)
{
  const struct out_layout *layout = out_profile_layout(profile, out_profile_signature(profile, signature)->layout);
  struct writer writer = {.json = json, .profile = profile, .index = layout->index, .arguments = scratch};
  if (out_arguments_of(profile, signature, scratch) < 0) {
    json->failed = true;
    return;
  }
  out_json_open_array(json);
  for (uint32_t i = 0; i < scratch->count; i = out_argument_after(scratch, i))
    if (!(scratch->list[i].arg->flags & FMT_ARG_RETURN))
      write_argument(&writer, i);
  out_json_close_array(json);
  const uint32_t last = scratch->count - 1;
  if (scratch->count > 0 && scratch->list[last].arg->flags & FMT_ARG_RETURN) {
    out_json_key(json, "returned");
    write_argument(&writer, last);
  }
}
