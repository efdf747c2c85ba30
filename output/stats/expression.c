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
  /* What the values of a comparison have that would explain why it is unknown. */
  bool absent, incomparable, missing;
};

/* What is known of a condition: `why` is why it is unknown, when it is. */
struct verdict {
  enum out_truth truth;
  enum out_why why;
};

static struct out_value value_of(struct evaluation *evaluation, uint32_t number, const struct fmt_index_type *type);

/* Of a path without a value: a group or a list as a whole has none, a list that is short has not every element, and
 * others were not recorded exactly enough. */
static void note_unknown(struct evaluation *evaluation, const struct out_node *path, struct out_path_binding binding)
{
  const struct out_argument *argument = evaluation->arguments ? &evaluation->arguments->list[binding.argument] : NULL;
  const bool is_read = argument && argument->state == FMT_STATE_READ;
  const bool is_list = is_read && argument->arg->kind == FMT_ARG_SPAN;
  const bool is_several = is_list || (is_read && argument->arg->kind == FMT_ARG_GROUP);
  const bool is_element = path->index != FMT_NONE;
  if (is_list && is_element && !(argument->words[0] & OUT_CUT))
    evaluation->absent = true;
  else if (is_several && !is_element && !binding.is_length)
    evaluation->incomparable = true;
  else
    evaluation->missing = true;
}

static struct out_value path_value(struct evaluation *evaluation, struct out_node *node)
{
  struct out_path_binding binding = out_expression_bind(node, evaluation->profile, evaluation->layout_number);
  if (binding.argument == FMT_NONE) {
    evaluation->absent |= !node->is_constant;
    return (struct out_value){.kind = OUT_VALUE_NAME, .text = node->text};
  }
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
  if (value.kind == OUT_VALUE_UNKNOWN)
    note_unknown(evaluation, node, binding);
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
  const bool are_numbers = left.kind == OUT_VALUE_RANGE && right.kind == OUT_VALUE_RANGE;
  const bool are_names = left.kind == OUT_VALUE_NAME && right.kind == OUT_VALUE_NAME;
  if (!are_numbers || left.low != left.high || right.low != right.high) {
    evaluation->missing |= are_numbers;
    evaluation->incomparable |=
        !are_numbers && !are_names && left.kind != OUT_VALUE_UNKNOWN && right.kind != OUT_VALUE_UNKNOWN;
    return are_names ? left : out_value_unknown();
  }
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
    if (value.kind != OUT_VALUE_NAME || !type)
      return value;
    value = enumerator(evaluation->layout->index, type, node->text);
    evaluation->incomparable |= value.kind == OUT_VALUE_UNKNOWN;
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

/* An enumerator is no pointer, whatever its value is. */
static bool is_null_like(const struct out_value *value)
{
  const bool is_zero = value->kind == OUT_VALUE_RANGE && !value->type && value->low == 0 && value->high == 0;
  return value->kind == OUT_VALUE_NULL || is_zero;
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

static bool is_number(const struct out_value *value)
{
  return value->kind == OUT_VALUE_RANGE || value->kind == OUT_VALUE_FLOAT;
}

/* Two numbers, or two texts of which it is asked whether they are equal, are unknown as one of them is not exact. */
static bool are_comparable(enum out_comparison comparison, const struct out_value *left, const struct out_value *right)
{
  const bool are_texts = left->kind == OUT_VALUE_STRING && right->kind == OUT_VALUE_STRING;
  return (is_number(left) && is_number(right)) ||
         (are_texts && (comparison == OUT_EQUAL || comparison == OUT_NOT_EQUAL));
}

/* What was found out of a comparison, or of a value on its own: `comparable` is known to be so. */
static struct verdict verdict_of(const struct evaluation *evaluation, enum out_truth truth, bool comparable)
{
  if (truth != OUT_UNKNOWN)
    return (struct verdict){.truth = truth};
  if (evaluation->absent)
    return (struct verdict){truth, OUT_WHY_ABSENT};
  const bool missing = !evaluation->incomparable && (evaluation->missing || comparable);
  return (struct verdict){truth, missing ? OUT_WHY_MISSING : OUT_WHY_INCOMPARABLE};
}

static struct verdict compare_nodes(struct evaluation *evaluation, const struct out_node *node)
{
  struct out_value left = value_of(evaluation, node->left, NULL);
  struct out_value right = value_of(evaluation, node->right, left.type);
  if (right.type && !left.type)
    left = value_of(evaluation, node->left, right.type);
  return verdict_of(evaluation, compare(node->comparison, &left, &right),
                    are_comparable(node->comparison, &left, &right));
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

static enum out_why first(enum out_why left, enum out_why right)
{
  return left < right ? left : right;
}

/* One side alone can settle it. Where the function has not what one of them asks for, it does not matter what else is
 * not known. */
static struct verdict both(struct verdict left, struct verdict right)
{
  if (left.truth == OUT_UNKNOWN && right.truth == OUT_UNKNOWN)
    return (struct verdict){OUT_UNKNOWN, first(left.why, right.why)};
  return left.truth == OUT_FALSE || (left.truth == OUT_UNKNOWN && right.truth == OUT_TRUE) ? left : right;
}

static struct verdict opposite(struct verdict verdict)
{
  return (struct verdict){negate(verdict.truth), verdict.why};
}

/* What was not recorded may make it true, whatever the other side lacks. */
static struct verdict either(struct verdict left, struct verdict right)
{
  if (left.truth == OUT_UNKNOWN && right.truth == OUT_UNKNOWN)
    return left.why > right.why ? left : right;
  return opposite(both(opposite(left), opposite(right)));
}

static struct verdict evaluate(struct evaluation *evaluation, uint32_t number)
{
  const struct out_node *node = out_expression_node(evaluation->expression, number);
  struct verdict left;
  struct out_value value;
  switch (node->kind) {
  case OUT_NODE_OR:
    left = evaluate(evaluation, node->left);
    return either(left, evaluate(evaluation, node->right));
  case OUT_NODE_AND:
    left = evaluate(evaluation, node->left);
    return both(left, evaluate(evaluation, node->right));
  case OUT_NODE_NOT:
    return opposite(evaluate(evaluation, node->left));
  default:
    evaluation->absent = evaluation->incomparable = evaluation->missing = false;
    if (node->kind == OUT_NODE_COMPARE)
      return compare_nodes(evaluation, node);
    value = value_of(evaluation, number, NULL);
    return verdict_of(evaluation, is_set(&value), is_number(&value));
  }
}

int out_expression_evaluate(struct out_expression *expression, const struct out_profile *profile, uint32_t signature,
                            struct out_arguments *scratch, enum out_truth *truth, enum out_why *why)
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
  const struct verdict verdict = evaluate(&evaluation, expression->root);
  *truth = verdict.truth;
  *why = verdict.why;
  return 0;
}
