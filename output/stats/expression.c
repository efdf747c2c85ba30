/* Evaluates a condition on the arguments of a signature. */
#include "output/stats/expression.h"

#include <errno.h>
#include <string.h>

#include "output/profile/argument_value.h"
#include "output/stats/expression_bind.h"
#include "output/stats/expression_tree.h"

struct evaluation {
  struct out_expression *expression;
  const struct out_profile *profile;
  const struct out_layout *layout;
  uint32_t layout_number;
  const struct out_arguments *arguments; /* NULL when they were not recorded */
  bool missing;
};

static struct out_value value_of(struct evaluation *evaluation, uint32_t number, const struct fmt_index_type *type);

static struct out_value path_value(struct evaluation *evaluation, struct out_node *node)
{
  struct out_path_binding binding = out_expression_bind(node, evaluation->profile, evaluation->layout_number);
  if (binding.argument == FMT_NONE)
    return (struct out_value){.kind = OUT_VALUE_NAME, .text = node->text};
  struct out_value value = out_value_unknown();
  if (evaluation->arguments) {
    const struct out_argument *argument = &evaluation->arguments->list[binding.argument];
    if (node->index != FMT_NONE)
      value = argument->state == FMT_STATE_READ ? out_argument_element(evaluation->layout->index, argument, node->index)
                                                : out_value_unknown();
    else if (binding.is_length)
      value =
          out_argument_length(evaluation->profile, evaluation->layout->index, evaluation->arguments, binding.argument);
    else
      value =
          out_argument_value(evaluation->profile, evaluation->layout->index, evaluation->arguments, binding.argument);
  }
  evaluation->missing |= value.kind == OUT_VALUE_UNKNOWN;
  return value;
}

/* The value of an enumerator of `type` that is called `name`. */
static struct out_value enumerator(const struct fmt_index *index, const struct fmt_index_type *type, const char *name)
{
  for (uint32_t i = 0; i < type->enumerator_count; i++) {
    const struct fmt_index_enumerator *one = &index->enumerators[type->first_enumerator + i];
    if (strcmp(fmt_index_string(index, one->name), name) == 0)
      return out_value_integer(type, (uint64_t)one->value);
  }
  return out_value_unknown();
}

static struct out_value bits_value(struct evaluation *evaluation, const struct out_node *node,
                                   const struct fmt_index_type *type)
{
  struct out_value left = value_of(evaluation, node->left, type);
  struct out_value right = value_of(evaluation, node->right, left.type ? left.type : type);
  if (left.kind == OUT_VALUE_NAME && right.type)
    left = value_of(evaluation, node->left, right.type);
  bool exact =
      left.kind == OUT_VALUE_RANGE && right.kind == OUT_VALUE_RANGE && left.low == left.high && right.low == right.high;
  if (!exact)
    return left.kind == OUT_VALUE_NAME && right.kind == OUT_VALUE_NAME ? left : out_value_unknown();
  struct out_value value =
      out_value_range(node->kind == OUT_NODE_BIT_AND ? left.low & right.low : left.low | right.low, 0);
  value.high = value.low;
  value.type = left.type ? left.type : right.type;
  return value;
}

/* `type`: the enumeration in which a name on its own is looked up, or NULL. */
static struct out_value value_of(struct evaluation *evaluation, uint32_t number, const struct fmt_index_type *type)
{
  struct out_node *node = out_expression_node(evaluation->expression, number);
  struct out_value value;
  switch (node->kind) {
  case OUT_NODE_INTEGER:
    return out_value_range(node->integer, node->integer);
  case OUT_NODE_FLOAT:
    return (struct out_value){.kind = OUT_VALUE_FLOAT, .number = node->number};
  case OUT_NODE_STRING:
    return (struct out_value){.kind = OUT_VALUE_STRING, .text = node->text, .length = node->length};
  case OUT_NODE_NULL:
    return (struct out_value){.kind = OUT_VALUE_NULL};
  case OUT_NODE_PATH:
    value = path_value(evaluation, node);
    if (value.kind == OUT_VALUE_NAME && type)
      return enumerator(evaluation->layout->index, type, node->text);
    return value;
  case OUT_NODE_BIT_AND:
  case OUT_NODE_BIT_OR:
    return bits_value(evaluation, node, type);
  default:
    return out_value_unknown();
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
static enum out_truth less(const struct out_value *left, const struct out_value *right)
{
  if (left->high < right->low)
    return OUT_TRUE;
  return left->low >= right->high ? OUT_FALSE : OUT_UNKNOWN;
}

static enum out_truth equal_ranges(const struct out_value *left, const struct out_value *right)
{
  if (left->high < right->low || right->high < left->low)
    return OUT_FALSE;
  bool exact = left->low == left->high && right->low == right->high;
  return exact ? OUT_TRUE : OUT_UNKNOWN;
}

/* A string that was cut off is known up to there. */
static enum out_truth equal_strings(const struct out_value *left, const struct out_value *right)
{
  size_t common = left->length < right->length ? left->length : right->length;
  if (memcmp(left->text, right->text, common) != 0)
    return OUT_FALSE;
  if ((left->cut && right->length >= left->length) || (right->cut && left->length >= right->length))
    return OUT_UNKNOWN;
  return truth_of(left->length == right->length);
}

static bool is_null_like(const struct out_value *value)
{
  return value->kind == OUT_VALUE_NULL || (value->kind == OUT_VALUE_RANGE && value->low == 0 && value->high == 0);
}

static bool is_pointer(const struct out_value *value)
{
  return value->kind == OUT_VALUE_NULL || value->kind == OUT_VALUE_NOT_NULL || value->kind == OUT_VALUE_FUNCTION ||
         value->kind == OUT_VALUE_STRING;
}

static bool is_function_name(const struct out_value *value)
{
  return value->kind == OUT_VALUE_NAME || value->kind == OUT_VALUE_FUNCTION;
}

static enum out_truth equal(const struct out_value *left, const struct out_value *right)
{
  if (left->kind == OUT_VALUE_RANGE && right->kind == OUT_VALUE_RANGE)
    return equal_ranges(left, right);
  if (left->kind == OUT_VALUE_STRING && right->kind == OUT_VALUE_STRING)
    return equal_strings(left, right);
  if (is_function_name(left) && is_function_name(right) && left->text && right->text &&
      (left->kind == OUT_VALUE_FUNCTION || right->kind == OUT_VALUE_FUNCTION))
    return truth_of(strcmp(left->text, right->text) == 0);
  if ((is_null_like(left) && is_pointer(right)) || (is_pointer(left) && is_null_like(right)))
    return truth_of(is_null_like(left) && is_null_like(right));
  /* NULL is no function and no text. */
  if ((left->kind == OUT_VALUE_NULL && right->kind == OUT_VALUE_NAME) ||
      (left->kind == OUT_VALUE_NAME && right->kind == OUT_VALUE_NULL))
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
static bool as_number(const struct out_value *value, double *number)
{
  *number = value->kind == OUT_VALUE_FLOAT ? value->number : (double)value->low;
  return value->kind == OUT_VALUE_FLOAT || (value->kind == OUT_VALUE_RANGE && value->low == value->high);
}

static enum out_truth compare(enum out_comparison comparison, const struct out_value *left,
                              const struct out_value *right)
{
  double left_number, right_number;
  if ((left->kind == OUT_VALUE_FLOAT || right->kind == OUT_VALUE_FLOAT) && as_number(left, &left_number) &&
      as_number(right, &right_number))
    return compare_numbers(comparison, left_number, right_number);
  if (comparison == OUT_EQUAL)
    return equal(left, right);
  if (comparison == OUT_NOT_EQUAL)
    return negate(equal(left, right));
  if (left->kind != OUT_VALUE_RANGE || right->kind != OUT_VALUE_RANGE)
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
  struct out_value left = value_of(evaluation, node->left, NULL);
  struct out_value right = value_of(evaluation, node->right, left.type);
  if (right.type && !left.type)
    left = value_of(evaluation, node->left, right.type);
  return compare(node->comparison, &left, &right);
}

/* A value on its own is true when it is neither 0 nor NULL. */
static enum out_truth is_set(const struct out_value *value)
{
  struct out_value zero = out_value_range(0, 0);
  switch (value->kind) {
  case OUT_VALUE_RANGE:
    return negate(equal_ranges(value, &zero));
  case OUT_VALUE_FLOAT:
    return truth_of(value->number != 0);
  case OUT_VALUE_NULL:
    return OUT_FALSE;
  case OUT_VALUE_STRING:
  case OUT_VALUE_NOT_NULL:
  case OUT_VALUE_FUNCTION:
    return OUT_TRUE;
  default:
    return OUT_UNKNOWN;
  }
}

static enum out_truth evaluate(struct evaluation *evaluation, uint32_t number)
{
  const struct out_node *node = out_expression_node(evaluation->expression, number);
  enum out_truth left, right;
  struct out_value value;
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
