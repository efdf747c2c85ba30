/* Reads the numbers and times of a function's rows by signature. */
#include "output/scaling/samples.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/strings.h"
#include "output/profile/signature.h"
#include "output/stats/render.h"
#include "output/text/text.h"

/* One row while its arguments are read. */
struct reading {
  struct callsig_stats *stats;
  struct out_scaling_samples *samples;
  const struct out_scaling_shown *shown;
  const struct fmt_index *index;
  struct out_arguments arguments;
  struct base_vector levels; /* struct level: the groups around the argument, the outermost first */
  struct out_text name, text;
  uint32_t row;
};

/* The argument of the name that was made, itself made when it is new. NULL: -ENOMEM. */
static struct out_scaling_argument *find_argument(const struct reading *reading, bool is_number)
{
  struct out_scaling_samples *samples = reading->samples;
  const char *name = out_text_string(&reading->name);
  if (reading->name.failed)
    return NULL;
  for (uint32_t i = 0; i < samples->arguments.count; i++) {
    struct out_scaling_argument *known = out_scaling_argument(samples, i);
    if (known->is_number == is_number && strcmp(known->name, name) == 0)
      return known;
  }
  struct out_scaling_argument made = {.name = base_arena_copy(&samples->arena, name, strlen(name)),
                                      .is_number = is_number};
  if (is_number) {
    made.numbers = base_arena_alloc(&samples->arena, samples->row_count * sizeof *made.numbers);
    made.spread = base_arena_alloc(&samples->arena, samples->row_count * sizeof *made.spread);
  } else {
    made.texts = base_arena_alloc(&samples->arena, samples->row_count * sizeof *made.texts);
  }
  struct out_scaling_argument *added = base_vector_add(&samples->arguments, 1);
  if (!added || !made.name || (is_number ? !made.numbers || !made.spread : !made.texts))
    return NULL;
  *added = made;
  for (uint32_t i = 0; is_number && i < samples->row_count; i++)
    made.numbers[i] = NAN;
  return added;
}

/* Values from `low` to `high`: their geometric middle. */
static int put_range(struct reading *reading, double low, double high)
{
  struct out_scaling_argument *argument = find_argument(reading, true);
  if (!argument)
    return -ENOMEM;
  bool is_exact = low == high;
  double middle = low >= 1 && high >= 1 ? sqrt(low) * sqrt(high) : low < 0 ? low : sqrt(high);
  argument->numbers[reading->row] = is_exact ? low : middle;
  argument->spread[reading->row] = is_exact ? 1 : sqrt(high / fmax(low, 1));
  argument->is_bucketed |= !is_exact;
  return 0;
}

static int put_number(struct reading *reading, double value)
{
  return put_range(reading, value, value);
}

static int put_widened(struct reading *reading)
{
  struct out_scaling_argument *argument = find_argument(reading, true);
  if (!argument)
    return -ENOMEM;
  argument->is_widened = true;
  return 0;
}

/* Bucket b > 0 holds 2^(b-1) to 2^b - 1. */
static int put_log2(struct reading *reading, int64_t bucket)
{
  if (bucket <= 0)
    return put_number(reading, bucket == 0 ? 0 : -ldexp(1, (int)-bucket - 1));
  double low = ldexp(1, (int)bucket - 1);
  return put_range(reading, low, 2 * low - 1);
}

/* The first and the last range have no end: what lies in them has no number. */
static int put_bounds(struct reading *reading, const struct out_argument *argument)
{
  const int64_t *bounds = &reading->index->ranges[argument->arg->aux];
  uint64_t count = (uint64_t)bounds[0], range = argument->words[0];
  if (range == 0 || range >= count)
    return 0;
  return put_range(reading, (double)bounds[range], (double)bounds[range + 1] - 1);
}

static int put_string(struct reading *reading, const struct out_argument *argument)
{
  uint64_t length = argument->words[0];
  if (length == UINT64_MAX || length & OUT_CUT)
    return 0;
  struct out_text name = reading->name;
  reading->name = (struct out_text){0};
  out_text_printf(&reading->name, "len(%s)", out_text_string(&name));
  int result = put_number(reading, (double)length);
  out_text_free(&reading->name);
  reading->name = name;
  return result;
}

/* Every dimension, and the product of three and more. */
static int put_span(struct reading *reading, const struct out_argument *argument)
{
  struct out_text name = reading->name;
  uint64_t count = argument->words[0] & ~OUT_CUT;
  bool is_whole = !(argument->words[0] & OUT_CUT);
  double product = 1;
  int result = 0;
  reading->name = (struct out_text){0};
  for (uint64_t i = 0; i < count && result == 0; i++) {
    double value = (double)(int64_t)argument->words[1 + i];
    out_text_clear(&reading->name);
    out_text_printf(&reading->name, "%s[%llu]", out_text_string(&name), (unsigned long long)i);
    result = put_number(reading, value);
    product *= value;
  }
  if (result == 0 && count > 2 && is_whole) {
    out_text_clear(&reading->name);
    out_text_printf(&reading->name, "product(%s)", out_text_string(&name));
    result = put_number(reading, product);
  }
  out_text_free(&reading->name);
  reading->name = name;
  return result;
}

/* The text that was made is the argument's value. */
static int put_made_text(struct reading *reading)
{
  uint32_t string;
  if (reading->text.failed ||
      base_strings_add(reading->stats->profile.strings, out_text_string(&reading->text), &string) < 0)
    return -ENOMEM;
  struct out_scaling_argument *argument = find_argument(reading, false);
  if (!argument)
    return -ENOMEM;
  argument->texts[reading->row] = string;
  return 0;
}

static int put_text(struct reading *reading, uint32_t number)
{
  out_text_clear(&reading->text);
  out_render_value(&reading->stats->profile, reading->index, &reading->arguments, number, &reading->text);
  return put_made_text(reading);
}

/* A pointer is NULL or not: the length that is printed with it is an argument of its own. */
static int put_pointer(struct reading *reading, uint32_t number)
{
  out_text_clear(&reading->text);
  out_text_puts(&reading->text, reading->arguments.list[number].words[0] ? "a pointer" : "NULL");
  return put_made_text(reading);
}

static bool is_integer(const struct fmt_index *index, const struct out_argument *argument)
{
  uint8_t kind = index->types[argument->arg->type].kind;
  return kind == FMT_TYPE_SIGNED || kind == FMT_TYPE_UNSIGNED;
}

static double number_of(const struct fmt_index *index, const struct out_argument *argument)
{
  const struct fmt_index_type *type = &index->types[argument->arg->type];
  bool is_signed = type->is_signed || type->kind == FMT_TYPE_SIGNED;
  return is_signed ? (double)(int64_t)argument->words[0] : (double)argument->words[0];
}

static int put_read(struct reading *reading, uint32_t number)
{
  const struct out_argument *argument = &reading->arguments.list[number];
  switch (argument->arg->kind) {
  case FMT_ARG_VALUE:
    return is_integer(reading->index, argument) ? put_number(reading, number_of(reading->index, argument))
                                                : put_text(reading, number);
  case FMT_ARG_NULLNESS:
    return put_pointer(reading, number);
  case FMT_ARG_FLOAT:
    return put_text(reading, number);
  case FMT_ARG_STRING:
    return put_string(reading, argument);
  case FMT_ARG_BUCKET_LOG2:
    return put_log2(reading, (int64_t)argument->words[0]);
  case FMT_ARG_BUCKET_RANGE:
    return put_bounds(reading, argument);
  case FMT_ARG_SPAN:
    return put_span(reading, argument);
  default:
    return 0;
  }
}

static int put_argument(struct reading *reading, uint32_t number)
{
  const struct out_argument *argument = &reading->arguments.list[number];
  /* A law is of what the call was given. */
  if (argument->arg->flags & FMT_ARG_RETURN)
    return 0;
  bool has_number = argument->arg->kind == FMT_ARG_VALUE && is_integer(reading->index, argument);
  if (argument->state == FMT_STATE_READ)
    return put_read(reading, number);
  if (argument->state == FMT_STATE_LOG2)
    return has_number || argument->arg->kind == FMT_ARG_BUCKET_LOG2 ? put_log2(reading, (int64_t)argument->words[0])
                                                                    : put_text(reading, number);
  return argument->state == FMT_STATE_TYPE && has_number ? put_widened(reading) : 0;
}

/* A group that arguments are being read of. */
struct level {
  uint32_t end;  /* the argument after its last */
  size_t length; /* of its path */
};

/* Takes off what was added behind `length`. */
static void cut(struct out_text *text, size_t length)
{
  if (length < text->length) {
    text->length = length;
    text->data[length] = '\0';
  }
}

/* Puts the path of argument `number` into the name: those of the groups around it, and its own. A path that is longer
 * than any text of a signature is left as it is. */
static int put_path(struct reading *reading, uint32_t number)
{
  const struct fmt_index_arg *arg = reading->arguments.list[number].arg;
  const char *name = fmt_index_string(reading->index, arg->name);
  struct level *level = NULL;
  while (reading->levels.count > 0) {
    level = base_vector_at(&reading->levels, reading->levels.count - 1);
    if (number < level->end)
      break;
    level = NULL;
    reading->levels.count--;
  }
  cut(&reading->name, level ? level->length : 0);
  if (reading->name.length > 0 && name[0])
    out_text_putc(&reading->name, '.');
  if (reading->name.length < OUT_RENDER_MAX)
    out_text_printable(&reading->name, name, strlen(name));
  if (reading->name.failed)
    return -ENOMEM;
  if (arg->kind != FMT_ARG_GROUP)
    return 0;
  level = base_vector_add(&reading->levels, 1);
  if (!level)
    return -ENOMEM;
  *level = (struct level){.end = out_argument_after(&reading->arguments, number), .length = reading->name.length};
  return 0;
}

static int put_arguments(struct reading *reading)
{
  int result = 0;
  reading->levels.count = 0;
  for (uint32_t i = 0; i < reading->arguments.count && result == 0; i++) {
    result = put_path(reading, i);
    if (result == 0 && reading->arguments.list[i].arg->kind != FMT_ARG_GROUP)
      result = put_argument(reading, i);
  }
  return result;
}

static int read_row(struct reading *reading, uint32_t number)
{
  const struct out_row *row = out_rows_at(&reading->stats->rows, number);
  const struct out_row_error error = out_stats_error(reading->stats, number);
  const struct out_profile *profile = &reading->stats->profile;
  const struct out_signature *signature = out_profile_signature(profile, row->key.what);
  const struct out_layout *layout = out_profile_layout(profile, signature->layout);
  const uint32_t shown_as = out_scaling_shown_find(reading->shown, &row->key);
  const struct out_row *shown = shown_as == FMT_NONE ? row : out_scaling_shown_at(reading->shown, shown_as);
  double tick = reading->stats->grouping.tick;
  reading->samples->rows[reading->row] = (struct out_scaling_row){
      .calls = row->calls,
      .primitive = row->primitive,
      .own = (double)row->own * tick,
      .cumulative = (double)row->cumulative * tick,
      .shown_own = (double)shown->own * tick,
      .shown_cumulative = (double)shown->cumulative * tick,
      .min = (double)row->min * tick,
      .max = (double)row->max * tick,
      .own_error = error.drawn_own * tick,
      .cumulative_error = error.drawn_cumulative * tick,
      .is_bound = row->is_bound,
  };
  if (signature->any || !layout->entry || layout->entry->flags & FMT_FUNCTION_NO_DWARF) {
    reading->samples->unknown++;
    return 0;
  }
  reading->index = layout->index;
  int result = out_arguments_of(profile, row->key.what, &reading->arguments);
  return result < 0 ? result : put_arguments(reading);
}

int out_scaling_samples_read(struct callsig_stats *stats, const uint32_t *rows, uint32_t count,
                             const struct out_scaling_shown *shown, struct out_scaling_samples *samples)
{
  *samples = (struct out_scaling_samples){.arguments = BASE_VECTOR_OF(struct out_scaling_argument), .row_count = count};
  samples->rows = base_arena_alloc(&samples->arena, (count + 1u) * sizeof *samples->rows);
  struct reading reading = {.stats = stats, .samples = samples, .shown = shown, .levels = BASE_VECTOR_OF(struct level)};
  int result = samples->rows ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    reading.row = i;
    result = read_row(&reading, rows[i]);
  }
  out_arguments_free(&reading.arguments);
  base_vector_free(&reading.levels);
  out_text_free(&reading.name);
  out_text_free(&reading.text);
  return result;
}

void out_scaling_samples_free(struct out_scaling_samples *samples)
{
  base_vector_free(&samples->arguments);
  base_arena_free(&samples->arena);
}
