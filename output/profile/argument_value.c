/* Tells what an argument of a signature is worth where it is compared. */
#include "output/profile/argument_value.h"

#include <string.h>

double out_float_value(const struct fmt_index_type *type, uint64_t bits)
{
  double value;
  if (type->size == sizeof(float)) {
    float single;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    return (double)single;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

struct out_value out_value_range(__int128 low, __int128 high)
{
  return (struct out_value){.kind = OUT_VALUE_RANGE, .low = low, .high = high};
}

struct out_value out_value_unknown(void)
{
  return (struct out_value){.kind = OUT_VALUE_UNKNOWN};
}

/* Bucket b > 0 holds 2^(b-1) to 2^b - 1, -b the negatives of these. */
static struct out_value bucket(int64_t number)
{
  if (number == 0)
    return out_value_range(0, 0);
  __int128 low = (__int128)1 << ((number > 0 ? number : -number) - 1), high = low * 2 - 1;
  return number > 0 ? out_value_range(low, high) : out_value_range(-high, -low);
}

static struct out_value bucket_range(const struct fmt_index *index, const struct out_argument *argument)
{
  const int64_t *bounds = &index->ranges[argument->arg->aux];
  uint64_t count = (uint64_t)bounds[0], number = argument->words[0];
  if (number > count)
    return out_value_unknown();
  return out_value_range(number == 0 ? -OUT_UNBOUNDED : bounds[number],
                         number == count ? OUT_UNBOUNDED : (__int128)bounds[number + 1] - 1);
}

struct out_value out_value_integer(const struct fmt_index_type *type, uint64_t word)
{
  bool is_signed = type->is_signed || type->kind == FMT_TYPE_SIGNED || type->kind == FMT_TYPE_CHAR;
  struct out_value value = out_value_range(is_signed ? (__int128)(int64_t)word : (__int128)word, 0);
  value.high = value.low;
  if (type->kind == FMT_TYPE_ENUM || type->kind == FMT_TYPE_FLAGS)
    value.type = type;
  return value;
}

struct out_value out_argument_element(const struct fmt_index *index, const struct out_argument *argument,
                                      uint32_t wanted)
{
  const struct fmt_index_type *type = &index->types[argument->arg->type];
  if (argument->arg->kind != FMT_ARG_SPAN || wanted >= (argument->words[0] & ~OUT_CUT))
    return out_value_unknown();
  return out_value_integer(type->target == FMT_NONE ? type : &index->types[type->target], argument->words[1 + wanted]);
}

static struct out_value string(const struct out_argument *argument)
{
  if (argument->words[0] == UINT64_MAX)
    return (struct out_value){.kind = OUT_VALUE_NULL};
  return (struct out_value){.kind = OUT_VALUE_STRING,
                            .text = (const char *)(argument->words + 1),
                            .length = argument->words[0] & ~OUT_CUT,
                            .cut = argument->words[0] & OUT_CUT};
}

/* The value of an argument that was read. */
static struct out_value read_value(const struct out_profile *profile, const struct fmt_index *index,
                                   const struct out_arguments *arguments, uint32_t number)
{
  const struct out_argument *argument = &arguments->list[number];
  const struct fmt_index_type *type = &index->types[argument->arg->type];
  switch (argument->arg->kind) {
  case FMT_ARG_VALUE:
    if (type->kind != FMT_TYPE_FUNCTION_POINTER)
      return out_value_integer(type, argument->words[0]);
    if (argument->words[0] == 0)
      return (struct out_value){.kind = OUT_VALUE_NULL};
    return (struct out_value){.kind = OUT_VALUE_FUNCTION,
                              .text = out_profile_string(profile, (uint32_t)argument->words[0])};
  case FMT_ARG_NULLNESS:
    return (struct out_value){.kind = argument->words[0] ? OUT_VALUE_NOT_NULL : OUT_VALUE_NULL};
  case FMT_ARG_STRING:
    return string(argument);
  case FMT_ARG_BUCKET_LOG2:
    return bucket((int64_t)argument->words[0]);
  case FMT_ARG_BUCKET_RANGE:
    return bucket_range(index, argument);
  case FMT_ARG_FLOAT:
    return (struct out_value){.kind = OUT_VALUE_FLOAT, .number = out_float_value(type, argument->words[0])};
  case FMT_ARG_GROUP:
    if (argument->arg->flags & FMT_ARG_GROUP_POINTER)
      return (struct out_value){.kind = out_group_is_null(arguments, number) ? OUT_VALUE_NULL : OUT_VALUE_NOT_NULL};
    return out_value_unknown();
  default:
    return out_value_unknown();
  }
}

struct out_value out_argument_value(const struct out_profile *profile, const struct fmt_index *index,
                                    const struct out_arguments *arguments, uint32_t number)
{
  const struct out_argument *argument = &arguments->list[number];
  if (argument->state == FMT_STATE_LOG2)
    return bucket((int64_t)argument->words[0]);
  return argument->state == FMT_STATE_READ ? read_value(profile, index, arguments, number) : out_value_unknown();
}

struct out_value out_argument_length(const struct out_profile *profile, const struct fmt_index *index,
                                     const struct out_arguments *arguments, uint32_t number)
{
  const struct out_argument *argument = &arguments->list[number];
  bool counted = argument->arg->kind == FMT_ARG_STRING || argument->arg->kind == FMT_ARG_SPAN;
  if (counted && argument->state == FMT_STATE_READ && argument->words[0] != UINT64_MAX) {
    __int128 length = argument->words[0] & ~OUT_CUT;
    return out_value_range(length, argument->words[0] & OUT_CUT ? OUT_UNBOUNDED : length);
  }
  if (argument->arg->join < arguments->count)
    return out_argument_value(profile, index, arguments, argument->arg->join);
  return out_value_unknown();
}
