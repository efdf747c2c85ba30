/* Reads the words of a condition into a tree, by recursive descent. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/stats/expression_lex.h"
#include "output/text/message.h"

/* Evaluating walks the tree, and looking up a path its parts: their depth is bounded. */
enum { NESTING_MAX = 100, NODES_MAX = 4000, LENGTH_MAX = 64 * 1024 };

struct parser {
  struct out_expression *expression;
  struct out_token token; /* the next one */
  unsigned depth;
};

static int parse_or(struct parser *parser, uint32_t *node);

static int advance(struct parser *parser)
{
  size_t at = parser->token.column - 1 + parser->token.size;
  return out_expression_lex(parser->expression, at, &parser->token);
}

static int add_node(struct parser *parser, const struct out_node *node, uint32_t *number)
{
  if (parser->expression->nodes.count >= NODES_MAX)
    return out_expression_fail(parser->expression, node->column, "the expression has more than %d parts", NODES_MAX);
  struct out_node *added = base_vector_add(&parser->expression->nodes, 1);
  if (!added)
    return -ENOMEM;
  *added = *node;
  *number = parser->expression->nodes.count - 1;
  return 0;
}

static bool is_condition(const struct parser *parser, uint32_t number)
{
  enum out_node_kind kind = out_expression_node(parser->expression, number)->kind;
  return kind == OUT_NODE_OR || kind == OUT_NODE_AND || kind == OUT_NODE_NOT || kind == OUT_NODE_COMPARE;
}

/* Words that are values, not names. */
static void name_value(struct out_node *node)
{
  if (strcmp(node->text, "NULL") == 0 || strcmp(node->text, "nullptr") == 0) {
    node->kind = OUT_NODE_NULL;
  } else if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0) {
    node->kind = OUT_NODE_INTEGER;
    node->integer = node->text[0] == 't';
  }
}

static int parse_group(struct parser *parser, uint32_t *number)
{
  uint32_t column = parser->token.column;
  if (parser->depth >= NESTING_MAX)
    return out_expression_fail(parser->expression, column, "parentheses nest more than %d deep", NESTING_MAX);
  int result = advance(parser);
  parser->depth++;
  if (result == 0)
    result = parse_or(parser, number);
  parser->depth--;
  if (result < 0)
    return result;
  if (parser->token.kind != OUT_TOKEN_CLOSE)
    return out_expression_fail(parser->expression, parser->token.column, "expected ')' for the '(' of column %u",
                               column);
  return advance(parser);
}

/* Where it fails, `number` is no node's. */
static int parse_primary(struct parser *parser, uint32_t *number)
{
  *number = FMT_NONE;
  const struct out_token *token = &parser->token;
  struct out_node node = {.column = token->column,
                          .left = FMT_NONE,
                          .right = FMT_NONE,
                          .integer = token->integer,
                          .number = token->number,
                          .text = token->text,
                          .length = token->length,
                          .index = token->index,
                          .bound_layout = FMT_NONE};
  switch (token->kind) {
  case OUT_TOKEN_OPEN:
    return parse_group(parser, number);
  case OUT_TOKEN_INTEGER:
    node.kind = OUT_NODE_INTEGER;
    break;
  case OUT_TOKEN_FLOAT:
    node.kind = OUT_NODE_FLOAT;
    break;
  case OUT_TOKEN_STRING:
    node.kind = OUT_NODE_STRING;
    break;
  case OUT_TOKEN_PATH:
    node.kind = OUT_NODE_PATH;
    name_value(&node);
    break;
  case OUT_TOKEN_END:
    return out_expression_fail(parser->expression, token->column, "expected a name or a value, not the end");
  default:
    return out_expression_fail(parser->expression, token->column, "expected a name or a value");
  }
  int result = add_node(parser, &node, number);
  return result < 0 ? result : advance(parser);
}

/* Adds a node with two operands; with `values`, both must be values. */
static int join(struct parser *parser, enum out_node_kind kind, const struct out_token *sign, bool values,
                uint32_t right, uint32_t *left)
{
  if (values && (is_condition(parser, *left) || is_condition(parser, right)))
    return out_expression_fail(parser->expression, sign->column,
                               "a comparison is no value that this could be applied to");
  struct out_node node = {.kind = kind,
                          .comparison = sign->comparison,
                          .column = sign->column,
                          .left = *left,
                          .right = right,
                          .index = FMT_NONE,
                          .bound_layout = FMT_NONE};
  return add_node(parser, &node, left);
}

static int parse_bits(struct parser *parser, uint32_t *left)
{
  int result = parse_primary(parser, left);
  while (result == 0 && (parser->token.kind == OUT_TOKEN_BIT_AND || parser->token.kind == OUT_TOKEN_BIT_OR)) {
    struct out_token sign = parser->token;
    uint32_t right;
    result = advance(parser);
    if (result == 0)
      result = parse_primary(parser, &right);
    if (result == 0)
      result =
          join(parser, sign.kind == OUT_TOKEN_BIT_AND ? OUT_NODE_BIT_AND : OUT_NODE_BIT_OR, &sign, true, right, left);
  }
  return result;
}

static int parse_comparison(struct parser *parser, uint32_t *left)
{
  int result = parse_bits(parser, left);
  if (result < 0 || parser->token.kind != OUT_TOKEN_COMPARISON)
    return result;
  struct out_token sign = parser->token;
  uint32_t right;
  result = advance(parser);
  if (result == 0)
    result = parse_bits(parser, &right);
  if (result == 0)
    result = join(parser, OUT_NODE_COMPARE, &sign, true, right, left);
  if (result == 0 && parser->token.kind == OUT_TOKEN_COMPARISON)
    return out_expression_fail(parser->expression, parser->token.column, "comparisons do not chain: join two with &&");
  return result;
}

static int parse_not(struct parser *parser, uint32_t *number)
{
  if (parser->token.kind != OUT_TOKEN_NOT)
    return parse_comparison(parser, number);
  struct out_token sign = parser->token;
  bool negate = false;
  int result = 0;
  while (result == 0 && parser->token.kind == OUT_TOKEN_NOT) {
    negate = !negate;
    result = advance(parser);
  }
  if (result == 0)
    result = parse_comparison(parser, number);
  for (int i = negate ? 1 : 2; result == 0 && i > 0; i--) {
    struct out_node node = {.kind = OUT_NODE_NOT, .column = sign.column, .left = *number, .right = FMT_NONE};
    result = add_node(parser, &node, number);
  }
  return result;
}

/* A chain of one operator over what `operand` parses. */
static int parse_chain(struct parser *parser, enum out_token_kind token, enum out_node_kind kind,
                       int (*operand)(struct parser *, uint32_t *), uint32_t *left)
{
  int result = operand(parser, left);
  while (result == 0 && parser->token.kind == token) {
    struct out_token sign = parser->token;
    uint32_t right;
    result = advance(parser);
    if (result == 0)
      result = operand(parser, &right);
    if (result == 0)
      result = join(parser, kind, &sign, false, right, left);
  }
  return result;
}

static int parse_and(struct parser *parser, uint32_t *node)
{
  return parse_chain(parser, OUT_TOKEN_AND, OUT_NODE_AND, parse_not, node);
}

static int parse_or(struct parser *parser, uint32_t *node)
{
  return parse_chain(parser, OUT_TOKEN_OR, OUT_NODE_OR, parse_and, node);
}

static int parse_all(struct out_expression *expression)
{
  struct parser parser = {.expression = expression};
  int result = out_expression_lex(expression, 0, &parser.token);
  if (result == 0)
    result = parse_or(&parser, &expression->root);
  if (result == 0 && parser.token.kind != OUT_TOKEN_END)
    return out_expression_fail(expression, parser.token.column, "expected && or || or the end here");
  return result;
}

int out_expression_parse(const char *text, struct out_expression **parsed)
{
  *parsed = NULL;
  if (strlen(text) > LENGTH_MAX)
    return out_stats_fail(-EINVAL, "--signature: the expression is longer than %d bytes", LENGTH_MAX);
  struct out_expression *expression = calloc(1, sizeof *expression);
  if (!expression)
    return out_stats_no_memory();
  expression->nodes = (struct base_vector)BASE_VECTOR_OF(struct out_node);
  expression->text = base_arena_copy(&expression->arena, text, strlen(text));
  int result = expression->text ? parse_all(expression) : -ENOMEM;
  if (result == -ENOMEM)
    out_stats_no_memory();
  if (result < 0)
    out_expression_free(expression);
  else
    *parsed = expression;
  return result;
}

void out_expression_free(struct out_expression *expression)
{
  if (!expression)
    return;
  base_vector_free(&expression->nodes);
  base_arena_free(&expression->arena);
  free(expression);
}
