/* Evaluates a condition on the arguments of a signature. */
#include "output/stats/expression.h"

#include <errno.h>
#include <string.h>

#include "output/stats/expression_bind.h"
#include "output/stats/expression_tree.h"
#include "output/stats/render_number.h"

/* What a part of a condition stands for in one call. */
struct value {
  enum {
    VALUE_UNKNOWN, /* not recorded, or not comparable */
    VALUE_RANGE,   /* an integer from low to high; one value when they are equal */
    VALUE_FLOAT,
    VALUE_STRING,
    VALUE_NULL,
    VALUE_NOT_NULL,
    VALUE_NAME,     /* an enumerator or a function by its name */
    VALUE_FUNCTION, /* a function pointer */
  } kind;
  __int128 low, high;
  double number;
  const char *text; /* of STRING its bytes, of NAME and FUNCTION the name */
  size_t length;
  bool cut;                          /* of a STRING: more followed */
  const struct fmt_index_type *type; /* of an enum's value, to look names up in; else NULL */
};

/* Beyond every 64-bit integer: the open end of a range. */
#define UNBOUNDED ((__int128)1 << 100)

struct evaluation {
  struct out_expression *expression;
  const struct out_profile *profile;
  const struct out_layout *layout;
  uint32_t layout_number;
  const struct out_arguments *arguments; /* NULL when they were not recorded */
  bool missing;
};

static struct value value_of(struct evaluation *evaluation, uint32_t number, const struct fmt_index_type *type);

static struct value range(__int128 low, __int128 high)
{
  return (struct value){.kind = VALUE_RANGE, .low = low, .high = high};
}

static struct value unknown(void)
{
  return (struct value){.kind = VALUE_UNKNOWN};
}

/* Bucket b > 0 holds 2^(b-1) to 2^b - 1, -b the negatives of these. */
static struct value bucket(int64_t number)
{
  if (number == 0)
    return range(0, 0);
  __int128 low = (__int128)1 << ((number > 0 ? number : -number) - 1), high = low * 2 - 1;
  return number > 0 ? range(low, high) : range(-high, -low);
}

static struct value bucket_range(const struct fmt_index *index, const struct out_argument *argument)
{
  const int64_t *bounds = &index->ranges[argument->arg->aux];
  uint64_t count = (uint64_t)bounds[0], number = argument->words[0];
  if (number > count)
    return unknown();
  return range(number == 0 ? -UNBOUNDED : bounds[number],
               number == count ? UNBOUNDED : (__int128)bounds[number + 1] - 1);
}

static struct value integer(const struct fmt_index_type *type, uint64_t word)
{
  bool is_signed = type->is_signed || type->kind == FMT_TYPE_SIGNED || type->kind == FMT_TYPE_CHAR;
  struct value value = range(is_signed ? (__int128)(int64_t)word : (__int128)word, 0);
  value.high = value.low;
  if (type->kind == FMT_TYPE_ENUM || type->kind == FMT_TYPE_FLAGS)
    value.type = type;
  return value;
}

static struct value element(const struct fmt_index *index, const struct out_argument *argument, uint32_t wanted)
{
  const struct fmt_index_type *type = &index->types[argument->arg->type];
  if (argument->arg->kind != FMT_ARG_SPAN || wanted >= (argument->words[0] & ~OUT_CUT))
    return unknown();
  return integer(type->target == FMT_NONE ? type : &index->types[type->target], argument->words[1 + wanted]);
}

static struct value string(const struct out_argument *argument)
{
  if (argument->words[0] == UINT64_MAX)
    return (struct value){.kind = VALUE_NULL};
  return (struct value){.kind = VALUE_STRING,
                        .text = (const char *)(argument->words + 1),
                        .length = argument->words[0] & ~OUT_CUT,
                        .cut = argument->words[0] & OUT_CUT};
}

/* The value of an argument that was read. */
static struct value read_value(const struct evaluation *evaluation, uint32_t number)
{
  const struct fmt_index *index = evaluation->layout->index;
  const struct out_argument *argument = &evaluation->arguments->list[number];
  const struct fmt_index_type *type = &index->types[argument->arg->type];
  switch (argument->arg->kind) {
  case FMT_ARG_VALUE:
    if (type->kind != FMT_TYPE_FUNCTION_POINTER)
      return integer(type, argument->words[0]);
    if (argument->words[0] == 0)
      return (struct value){.kind = VALUE_NULL};
    return (struct value){.kind = VALUE_FUNCTION,
                          .text = out_profile_string(evaluation->profile, (uint32_t)argument->words[0])};
  case FMT_ARG_NULLNESS:
    return (struct value){.kind = argument->words[0] ? VALUE_NOT_NULL : VALUE_NULL};
  case FMT_ARG_STRING:
    return string(argument);
  case FMT_ARG_BUCKET_LOG2:
    return bucket((int64_t)argument->words[0]);
  case FMT_ARG_BUCKET_RANGE:
    return bucket_range(index, argument);
  case FMT_ARG_FLOAT:
    return (struct value){.kind = VALUE_FLOAT, .number = out_float_value(type, argument->words[0])};
  case FMT_ARG_GROUP:
    if (argument->arg->flags & FMT_ARG_GROUP_POINTER)
      return (struct value){.kind = out_group_is_null(evaluation->arguments, number) ? VALUE_NULL : VALUE_NOT_NULL};
    return unknown();
  default:
    return unknown();
  }
}

/* a.len: the value of the joined length, or how many bytes or elements there are. */
static struct value length_of(const struct evaluation *evaluation, uint32_t number);

static struct value argument_value(const struct evaluation *evaluation, uint32_t number)
{
  const struct out_argument *argument = &evaluation->arguments->list[number];
  if (argument->state == FMT_STATE_LOG2)
    return bucket((int64_t)argument->words[0]);
  return argument->state == FMT_STATE_READ ? read_value(evaluation, number) : unknown();
}

static struct value length_of(const struct evaluation *evaluation, uint32_t number)
{
  const struct out_argument *argument = &evaluation->arguments->list[number];
  bool counted = argument->arg->kind == FMT_ARG_STRING || argument->arg->kind == FMT_ARG_SPAN;
  if (counted && argument->state == FMT_STATE_READ && argument->words[0] != UINT64_MAX) {
    __int128 length = argument->words[0] & ~OUT_CUT;
    return range(length, argument->words[0] & OUT_CUT ? UNBOUNDED : length);
  }
  if (argument->arg->join < evaluation->arguments->count)
    return argument_value(evaluation, argument->arg->join);
  return unknown();
}

static struct value path_value(struct evaluation *evaluation, struct out_node *node)
{
  struct out_path_binding binding = out_expression_bind(node, evaluation->profile, evaluation->layout_number);
  if (binding.argument == FMT_NONE)
    return (struct value){.kind = VALUE_NAME, .text = node->text};
  struct value value = unknown();
  if (evaluation->arguments) {
    const struct out_argument *argument = &evaluation->arguments->list[binding.argument];
    if (node->index != FMT_NONE)
      value = argument->state == FMT_STATE_READ ? element(evaluation->layout->index, argument, node->index) : unknown();
    else if (binding.is_length)
      value = length_of(evaluation, binding.argument);
    else
      value = argument_value(evaluation, binding.argument);
  }
  evaluation->missing |= value.kind == VALUE_UNKNOWN;
  return value;
}

/* The value of an enumerator of `type` that is called `name`. */
static struct value enumerator(const struct fmt_index *index, const struct fmt_index_type *type, const char *name)
{
  for (uint32_t i = 0; i < type->enumerator_count; i++) {
    const struct fmt_index_enumerator *one = &index->enumerators[type->first_enumerator + i];
    if (strcmp(fmt_index_string(index, one->name), name) == 0)
      return integer(type, (uint64_t)one->value);
  }
  return unknown();
}

static struct value bits_value(struct evaluation *evaluation, const struct out_node *node,
                               const struct fmt_index_type *type)
{
  struct value left = value_of(evaluation, node->left, type);
  struct value right = value_of(evaluation, node->right, left.type ? left.type : type);
  if (left.kind == VALUE_NAME && right.type)
    left = value_of(evaluation, node->left, right.type);
  bool exact =
      left.kind == VALUE_RANGE && right.kind == VALUE_RANGE && left.low == left.high && right.low == right.high;
  if (!exact)
    return left.kind == VALUE_NAME && right.kind == VALUE_NAME ? left : unknown();
  struct value value = range(node->kind == OUT_NODE_BIT_AND ? left.low & right.low : left.low | right.low, 0);
  value.high = value.low;
  value.type = left.type ? left.type : right.type;
  return value;
}

/* `type`: the enumeration in which a name on its own is looked up, or NULL. */
static struct value value_of(struct evaluation *evaluation, uint32_t number, const struct fmt_index_type *type)
{
  struct out_node *node = out_expression_node(evaluation->expression, number);
  struct value value;
  switch (node->kind) {
  case OUT_NODE_INTEGER:
    return range(node->integer, node->integer);
  case OUT_NODE_FLOAT:
    return (struct value){.kind = VALUE_FLOAT, .number = node->number};
  case OUT_NODE_STRING:
    return (struct value){.kind = VALUE_STRING, .text = node->text, .length = node->length};
  case OUT_NODE_NULL:
    return (struct value){.kind = VALUE_NULL};
  case OUT_NODE_PATH:
    value = path_value(evaluation, node);
    if (value.kind == VALUE_NAME && type)
      return enumerator(evaluation->layout->index, type, node->text);
    return value;
  case OUT_NODE_BIT_AND:
  case OUT_NODE_BIT_OR:
    return bits_value(evaluation, node, type);
  default:
    return unknown();
  }
}

static enum out_truth truth_of(bool value)
{
  return value ? OUT_TRUE : OUT_FALSE;
}

static enum out_truth negate(enum out_truth truth)
{
  return truth == OUT_UNKNOWN ? OUT_UNKNOWN : truth_of(truth == OUT_FALSE);
}

/* Is every value of the left range less than every one of the right, or none? */
static enum out_truth less(const struct value *left, const struct value *right)
{
  if (left->high < right->low)
    return OUT_TRUE;
  return left->low >= right->high ? OUT_FALSE : OUT_UNKNOWN;
}

static enum out_truth equal_ranges(const struct value *left, const struct value *right)
{
  if (left->high < right->low || right->high < left->low)
    return OUT_FALSE;
  bool exact = left->low == left->high && right->low == right->high;
  return exact ? OUT_TRUE : OUT_UNKNOWN;
}

/* A string that was cut off is known up to there. */
static enum out_truth equal_strings(const struct value *left, const struct value *right)
{
  size_t common = left->length < right->length ? left->length : right->length;
  if (memcmp(left->text, right->text, common) != 0)
    return OUT_FALSE;
  if ((left->cut && right->length >= left->length) || (right->cut && left->length >= right->length))
    return OUT_UNKNOWN;
  return truth_of(left->length == right->length);
}

static bool is_null_like(const struct value *value)
{
  return value->kind == VALUE_NULL || (value->kind == VALUE_RANGE && value->low == 0 && value->high == 0);
}

static bool is_pointer(const struct value *value)
{
  return value->kind == VALUE_NULL || value->kind == VALUE_NOT_NULL || value->kind == VALUE_FUNCTION ||
         value->kind == VALUE_STRING;
}

static bool is_function_name(const struct value *value)
{
  return value->kind == VALUE_NAME || value->kind == VALUE_FUNCTION;
}

static enum out_truth equal(const struct value *left, const struct value *right)
{
  if (left->kind == VALUE_RANGE && right->kind == VALUE_RANGE)
    return equal_ranges(left, right);
  if (left->kind == VALUE_STRING && right->kind == VALUE_STRING)
    return equal_strings(left, right);
  if (is_function_name(left) && is_function_name(right) &&
      (left->kind == VALUE_FUNCTION || right->kind == VALUE_FUNCTION))
    return truth_of(strcmp(left->text, right->text) == 0);
  if ((is_null_like(left) && is_pointer(right)) || (is_pointer(left) && is_null_like(right)))
    return truth_of(is_null_like(left) && is_null_like(right));
  /* NULL is no function and no text. */
  if ((left->kind == VALUE_NULL && right->kind == VALUE_NAME) ||
      (left->kind == VALUE_NAME && right->kind == VALUE_NULL))
    return OUT_FALSE;
  return OUT_UNKNOWN;
}

static enum out_truth compare_numbers(enum out_comparison comparison, double left, double right)
{
  switch (comparison) {
  case OUT_EQUAL:
    return truth_of(left == right);
  case OUT_NOT_EQUAL:
    return truth_of(left != right);
  case OUT_LESS:
    return truth_of(left < right);
  case OUT_LESS_EQUAL:
    return truth_of(left <= right);
  case OUT_GREATER:
    return truth_of(left > right);
  default:
    return truth_of(left >= right);
  }
}

/* The value as a floating-point number, when it is one number. */
static bool as_number(const struct value *value, double *number)
{
  *number = value->kind == VALUE_FLOAT ? value->number : (double)value->low;
  return value->kind == VALUE_FLOAT || (value->kind == VALUE_RANGE && value->low == value->high);
}

static enum out_truth compare(enum out_comparison comparison, const struct value *left, const struct value *right)
{
  double left_number, right_number;
  if ((left->kind == VALUE_FLOAT || right->kind == VALUE_FLOAT) && as_number(left, &left_number) &&
      as_number(right, &right_number))
    return compare_numbers(comparison, left_number, right_number);
  if (comparison == OUT_EQUAL)
    return equal(left, right);
  if (comparison == OUT_NOT_EQUAL)
    return negate(equal(left, right));
  if (left->kind != VALUE_RANGE || right->kind != VALUE_RANGE)
    return OUT_UNKNOWN;
  switch (comparison) {
  case OUT_LESS:
    return less(left, right);
  case OUT_GREATER:
    return less(right, left);
  case OUT_LESS_EQUAL:
    return negate(less(right, left));
  default:
    return negate(less(left, right));
  }
}

static enum out_truth compare_nodes(struct evaluation *evaluation, const struct out_node *node)
{
  struct value left = value_of(evaluation, node->left, NULL);
  struct value right = value_of(evaluation, node->right, left.type);
  if (right.type && !left.type)
    left = value_of(evaluation, node->left, right.type);
  return compare(node->comparison, &left, &right);
}

/* A value on its own is true when it is neither 0 nor NULL. */
static enum out_truth is_set(const struct value *value)
{
  struct value zero = range(0, 0);
  switch (value->kind) {
  case VALUE_RANGE:
    return negate(equal_ranges(value, &zero));
  case VALUE_FLOAT:
    return truth_of(value->number != 0);
  case VALUE_NULL:
    return OUT_FALSE;
  case VALUE_STRING:
  case VALUE_NOT_NULL:
  case VALUE_FUNCTION:
    return OUT_TRUE;
  default:
    return OUT_UNKNOWN;
  }
}

static enum out_truth evaluate(struct evaluation *evaluation, uint32_t number)
{
  const struct out_node *node = out_expression_node(evaluation->expression, number);
  enum out_truth left, right;
  struct value value;
  switch (node->kind) {
  case OUT_NODE_OR:
  case OUT_NODE_AND:
    left = evaluate(evaluation, node->left);
    right = evaluate(evaluation, node->right);
    /* One side alone can settle it. */
    if (node->kind == OUT_NODE_OR)
      return left == OUT_TRUE || right == OUT_TRUE ? OUT_TRUE : left == OUT_FALSE ? right : left;
    return left == OUT_FALSE || right == OUT_FALSE ? OUT_FALSE : left == OUT_TRUE ? right : left;
  case OUT_NODE_NOT:
    return negate(evaluate(evaluation, node->left));
  case OUT_NODE_COMPARE:
    return compare_nodes(evaluation, node);
  default:
    value = value_of(evaluation, number, NULL);
    return is_set(&value);
  }
}

int out_expression_evaluate(struct out_expression *expression, const struct out_profile *profile, uint32_t signature,
                            struct out_arguments *scratch, enum out_truth *truth, bool *missing)
{
  const struct out_signature *known = out_profile_signature(profile, signature);
  struct evaluation evaluation = {.expression = expression,
                                  .profile = profile,
                                  .layout = out_profile_layout(profile, known->layout),
                                  .layout_number = known->layout};
  if (!known->any) {
    if (out_arguments_of(profile, signature, scratch) < 0)
      return -ENOMEM;
    evaluation.arguments = scratch;
  }
  *truth = evaluate(&evaluation, expression->root);
  *missing = *truth == OUT_UNKNOWN && evaluation.missing;
  return 0;
}
