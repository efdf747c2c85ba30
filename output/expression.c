#include "expression.h"

#include <errno.h>
#include <string.h>

#include "expression_bind.h"
#include "expression_tree.h"
#include "render_number.h"

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
  bool cut;                         /* of a STRING: more followed */
  const struct cs_index_type *type; /* of an enum's value, to look names up in; else NULL */
};

/* Beyond every 64-bit integer: the open end of a range. */
#define UNBOUNDED ((__int128)1 << 100)

struct evaluation {
  struct cs_expression *expression;
  const struct cs_profile *profile;
  const struct cs_layout *layout;
  uint32_t layout_number;
  const struct cs_arguments *arguments; /* NULL when they were not recorded */
  bool missing;
};

static struct value value_of(struct evaluation *evaluation, uint32_t number, const struct cs_index_type *type);

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

static struct value bucket_range(const struct cs_index *index, const struct cs_argument *argument)
{
  const int64_t *bounds = &index->ranges[argument->arg->aux];
  uint64_t count = (uint64_t)bounds[0], number = argument->words[0];
  if (number > count)
    return unknown();
  return range(number == 0 ? -UNBOUNDED : bounds[number],
               number == count ? UNBOUNDED : (__int128)bounds[number + 1] - 1);
}

static struct value integer(const struct cs_index_type *type, uint64_t word)
{
  bool is_signed = type->is_signed || type->kind == CS_TYPE_SIGNED || type->kind == CS_TYPE_CHAR;
  struct value value = range(is_signed ? (__int128)(int64_t)word : (__int128)word, 0);
  value.high = value.low;
  if (type->kind == CS_TYPE_ENUM || type->kind == CS_TYPE_FLAGS)
    value.type = type;
  return value;
}

static struct value element(const struct cs_index *index, const struct cs_argument *argument, uint32_t wanted)
{
  const struct cs_index_type *type = &index->types[argument->arg->type];
  if (argument->arg->kind != CS_ARG_SPAN || wanted >= (argument->words[0] & ~CS_CUT))
    return unknown();
  return integer(type->target == CS_NONE ? type : &index->types[type->target], argument->words[1 + wanted]);
}

static struct value string(const struct cs_argument *argument)
{
  if (argument->words[0] == UINT64_MAX)
    return (struct value){.kind = VALUE_NULL};
  return (struct value){.kind = VALUE_STRING,
                        .text = (const char *)(argument->words + 1),
                        .length = argument->words[0] & ~CS_CUT,
                        .cut = argument->words[0] & CS_CUT};
}

/* The value of an argument that was read. */
static struct value read_value(const struct evaluation *evaluation, uint32_t number)
{
  const struct cs_index *index = evaluation->layout->index;
  const struct cs_argument *argument = &evaluation->arguments->list[number];
  const struct cs_index_type *type = &index->types[argument->arg->type];
  switch (argument->arg->kind) {
  case CS_ARG_VALUE:
    if (type->kind != CS_TYPE_FUNCTION_POINTER)
      return integer(type, argument->words[0]);
    if (argument->words[0] == 0)
      return (struct value){.kind = VALUE_NULL};
    return (struct value){.kind = VALUE_FUNCTION,
                          .text = cs_profile_string(evaluation->profile, (uint32_t)argument->words[0])};
  case CS_ARG_NULLNESS:
    return (struct value){.kind = argument->words[0] ? VALUE_NOT_NULL : VALUE_NULL};
  case CS_ARG_STRING:
    return string(argument);
  case CS_ARG_BUCKET_LOG2:
    return bucket((int64_t)argument->words[0]);
  case CS_ARG_BUCKET_RANGE:
    return bucket_range(index, argument);
  case CS_ARG_FLOAT:
    return (struct value){.kind = VALUE_FLOAT, .number = cs_float_value(type, argument->words[0])};
  case CS_ARG_GROUP:
    if (argument->arg->flags & CS_ARG_GROUP_POINTER)
      return (struct value){.kind = cs_group_is_null(evaluation->arguments, number) ? VALUE_NULL : VALUE_NOT_NULL};
    return unknown();
  default:
    return unknown();
  }
}

/* a.len: the value of the joined length, or how many bytes or elements there are. */
static struct value length_of(const struct evaluation *evaluation, uint32_t number);

static struct value argument_value(const struct evaluation *evaluation, uint32_t number)
{
  const struct cs_argument *argument = &evaluation->arguments->list[number];
  if (argument->state == CS_STATE_LOG2)
    return bucket((int64_t)argument->words[0]);
  return argument->state == CS_STATE_READ ? read_value(evaluation, number) : unknown();
}

static struct value length_of(const struct evaluation *evaluation, uint32_t number)
{
  const struct cs_argument *argument = &evaluation->arguments->list[number];
  bool counted = argument->arg->kind == CS_ARG_STRING || argument->arg->kind == CS_ARG_SPAN;
  if (counted && argument->state == CS_STATE_READ && argument->words[0] != UINT64_MAX) {
    __int128 length = argument->words[0] & ~CS_CUT;
    return range(length, argument->words[0] & CS_CUT ? UNBOUNDED : length);
  }
  if (argument->arg->join < evaluation->arguments->count)
    return argument_value(evaluation, argument->arg->join);
  return unknown();
}

static struct value path_value(struct evaluation *evaluation, struct cs_node *node)
{
  struct cs_path_binding binding = cs_expression_bind(node, evaluation->profile, evaluation->layout_number);
  if (binding.argument == CS_NONE)
    return (struct value){.kind = VALUE_NAME, .text = node->text};
  struct value value = unknown();
  if (evaluation->arguments) {
    const struct cs_argument *argument = &evaluation->arguments->list[binding.argument];
    if (node->index != CS_NONE)
      value = argument->state == CS_STATE_READ ? element(evaluation->layout->index, argument, node->index) : unknown();
    else if (binding.is_length)
      value = length_of(evaluation, binding.argument);
    else
      value = argument_value(evaluation, binding.argument);
  }
  evaluation->missing |= value.kind == VALUE_UNKNOWN;
  return value;
}

/* The value of an enumerator of `type` that is called `name`. */
static struct value enumerator(const struct cs_index *index, const struct cs_index_type *type, const char *name)
{
  for (uint32_t i = 0; i < type->enumerator_count; i++) {
    const struct cs_index_enumerator *one = &index->enumerators[type->first_enumerator + i];
    if (strcmp(cs_index_string(index, one->name), name) == 0)
      return integer(type, (uint64_t)one->value);
  }
  return unknown();
}

static struct value bits_value(struct evaluation *evaluation, const struct cs_node *node,
                               const struct cs_index_type *type)
{
  struct value left = value_of(evaluation, node->left, type);
  struct value right = value_of(evaluation, node->right, left.type ? left.type : type);
  if (left.kind == VALUE_NAME && right.type)
    left = value_of(evaluation, node->left, right.type);
  bool exact =
      left.kind == VALUE_RANGE && right.kind == VALUE_RANGE && left.low == left.high && right.low == right.high;
  if (!exact)
    return left.kind == VALUE_NAME && right.kind == VALUE_NAME ? left : unknown();
  struct value value = range(node->kind == CS_NODE_BIT_AND ? left.low & right.low : left.low | right.low, 0);
  value.high = value.low;
  value.type = left.type ? left.type : right.type;
  return value;
}

/* `type`: the enumeration in which a name on its own is looked up, or NULL. */
static struct value value_of(struct evaluation *evaluation, uint32_t number, const struct cs_index_type *type)
{
  struct cs_node *node = cs_expression_node(evaluation->expression, number);
  struct value value;
  switch (node->kind) {
  case CS_NODE_INTEGER:
    return range(node->integer, node->integer);
  case CS_NODE_FLOAT:
    return (struct value){.kind = VALUE_FLOAT, .number = node->number};
  case CS_NODE_STRING:
    return (struct value){.kind = VALUE_STRING, .text = node->text, .length = node->length};
  case CS_NODE_NULL:
    return (struct value){.kind = VALUE_NULL};
  case CS_NODE_PATH:
    value = path_value(evaluation, node);
    if (value.kind == VALUE_NAME && type)
      return enumerator(evaluation->layout->index, type, node->text);
    return value;
  case CS_NODE_BIT_AND:
  case CS_NODE_BIT_OR:
    return bits_value(evaluation, node, type);
  default:
    return unknown();
  }
}

static enum cs_truth truth_of(bool value)
{
  return value ? CS_TRUE : CS_FALSE;
}

static enum cs_truth negate(enum cs_truth truth)
{
  return truth == CS_UNKNOWN ? CS_UNKNOWN : truth_of(truth == CS_FALSE);
}

/* Is every value of the left range less than every one of the right, or none? */
static enum cs_truth less(const struct value *left, const struct value *right)
{
  if (left->high < right->low)
    return CS_TRUE;
  return left->low >= right->high ? CS_FALSE : CS_UNKNOWN;
}

static enum cs_truth equal_ranges(const struct value *left, const struct value *right)
{
  if (left->high < right->low || right->high < left->low)
    return CS_FALSE;
  bool exact = left->low == left->high && right->low == right->high;
  return exact ? CS_TRUE : CS_UNKNOWN;
}

/* A string that was cut off is known up to there. */
static enum cs_truth equal_strings(const struct value *left, const struct value *right)
{
  size_t common = left->length < right->length ? left->length : right->length;
  if (memcmp(left->text, right->text, common) != 0)
    return CS_FALSE;
  if ((left->cut && right->length >= left->length) || (right->cut && left->length >= right->length))
    return CS_UNKNOWN;
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

static enum cs_truth equal(const struct value *left, const struct value *right)
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
    return CS_FALSE;
  return CS_UNKNOWN;
}

static enum cs_truth compare_numbers(enum cs_comparison comparison, double left, double right)
{
  switch (comparison) {
  case CS_EQUAL:
    return truth_of(left == right);
  case CS_NOT_EQUAL:
    return truth_of(left != right);
  case CS_LESS:
    return truth_of(left < right);
  case CS_LESS_EQUAL:
    return truth_of(left <= right);
  case CS_GREATER:
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

static enum cs_truth compare(enum cs_comparison comparison, const struct value *left, const struct value *right)
{
  double left_number, right_number;
  if ((left->kind == VALUE_FLOAT || right->kind == VALUE_FLOAT) && as_number(left, &left_number) &&
      as_number(right, &right_number))
    return compare_numbers(comparison, left_number, right_number);
  if (comparison == CS_EQUAL)
    return equal(left, right);
  if (comparison == CS_NOT_EQUAL)
    return negate(equal(left, right));
  if (left->kind != VALUE_RANGE || right->kind != VALUE_RANGE)
    return CS_UNKNOWN;
  switch (comparison) {
  case CS_LESS:
    return less(left, right);
  case CS_GREATER:
    return less(right, left);
  case CS_LESS_EQUAL:
    return negate(less(right, left));
  default:
    return negate(less(left, right));
  }
}

static enum cs_truth compare_nodes(struct evaluation *evaluation, const struct cs_node *node)
{
  struct value left = value_of(evaluation, node->left, NULL);
  struct value right = value_of(evaluation, node->right, left.type);
  if (right.type && !left.type)
    left = value_of(evaluation, node->left, right.type);
  return compare(node->comparison, &left, &right);
}

/* A value on its own is true when it is neither 0 nor NULL. */
static enum cs_truth is_set(const struct value *value)
{
  struct value zero = range(0, 0);
  switch (value->kind) {
  case VALUE_RANGE:
    return negate(equal_ranges(value, &zero));
  case VALUE_FLOAT:
    return truth_of(value->number != 0);
  case VALUE_NULL:
    return CS_FALSE;
  case VALUE_STRING:
  case VALUE_NOT_NULL:
  case VALUE_FUNCTION:
    return CS_TRUE;
  default:
    return CS_UNKNOWN;
  }
}

static enum cs_truth evaluate(struct evaluation *evaluation, uint32_t number)
{
  const struct cs_node *node = cs_expression_node(evaluation->expression, number);
  enum cs_truth left, right;
  struct value value;
  switch (node->kind) {
  case CS_NODE_OR:
  case CS_NODE_AND:
    left = evaluate(evaluation, node->left);
    right = evaluate(evaluation, node->right);
    /* One side alone can settle it. */
    if (node->kind == CS_NODE_OR)
      return left == CS_TRUE || right == CS_TRUE ? CS_TRUE : left == CS_FALSE ? right : left;
    return left == CS_FALSE || right == CS_FALSE ? CS_FALSE : left == CS_TRUE ? right : left;
  case CS_NODE_NOT:
    return negate(evaluate(evaluation, node->left));
  case CS_NODE_COMPARE:
    return compare_nodes(evaluation, node);
  default:
    value = value_of(evaluation, number, NULL);
    return is_set(&value);
  }
}

int cs_expression_evaluate(struct cs_expression *expression, const struct cs_profile *profile, uint32_t signature,
                           struct cs_arguments *scratch, enum cs_truth *truth, bool *missing)
{
  const struct cs_signature *known = cs_profile_signature(profile, signature);
  struct evaluation evaluation = {.expression = expression,
                                  .profile = profile,
                                  .layout = cs_profile_layout(profile, known->layout),
                                  .layout_number = known->layout};
  if (!known->any) {
    if (cs_arguments_of(profile, signature, scratch) < 0)
      return -ENOMEM;
    evaluation.arguments = scratch;
  }
  *truth = evaluate(&evaluation, expression->root);
  *missing = *truth == CS_UNKNOWN && evaluation.missing;
  return 0;
}
