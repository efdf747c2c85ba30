/*
 * A parsed condition: what expression_parse.c makes and expression.c evaluates.
 */
#ifndef CALLSIG_OUTPUT_STATS_EXPRESSION_TREE_H
#define CALLSIG_OUTPUT_STATS_EXPRESSION_TREE_H

#include "base/arena.h"
#include "base/vector.h"
#include "output/stats/expression.h"

enum out_node_kind {
  OUT_NODE_OR,
  OUT_NODE_AND,
  OUT_NODE_NOT,
  OUT_NODE_COMPARE,
  OUT_NODE_BIT_AND,
  OUT_NODE_BIT_OR,
  OUT_NODE_INTEGER,
  OUT_NODE_FLOAT,
  OUT_NODE_STRING,
  OUT_NODE_NULL,
  OUT_NODE_PATH,
};

enum out_comparison { OUT_EQUAL, OUT_NOT_EQUAL, OUT_LESS, OUT_LESS_EQUAL, OUT_GREATER, OUT_GREATER_EQUAL };

/* Where a path leads in one layout. */
struct out_path_binding {
  uint32_t argument; /* FMT_NONE: the function has no such argument */
  bool is_length;    /* the length of the argument: a.len */
};

struct out_node {
  enum out_node_kind kind;
  enum out_comparison comparison;
  uint32_t column;      /* from 1 */
  uint32_t left, right; /* nodes; FMT_NONE where there is none */
  __int128 integer;
  double number;
  const char *text; /* of a STRING its bytes, of a PATH its name without indexes; in the expression's arena */
  size_t length;
  uint32_t index;        /* of a PATH: a.shape[index], FMT_NONE without */
  bool is_constant;      /* of a PATH: no function has such an argument. out_expression_check() finds it */
  uint32_t bound_layout; /* the layout that `binding` is of, FMT_NONE at first */
  struct out_path_binding binding;
};

struct out_expression {
  struct base_arena arena;
  char *text;               /* as given. Owned by the arena */
  struct base_vector nodes; /* struct out_node */
  uint32_t root;
};

static inline struct out_node *out_expression_node(const struct out_expression *expression, uint32_t number)
{
  return base_vector_at(&expression->nodes, number);
}

#endif
