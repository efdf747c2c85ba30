/*
 * A parsed condition: what expression_parse.c makes and expression.c evaluates.
 */
#ifndef CALLSIG_OUTPUT_EXPRESSION_TREE_H
#define CALLSIG_OUTPUT_EXPRESSION_TREE_H

#include "arena.h"
#include "expression.h"
#include "vector.h"

enum cs_node_kind {
  CS_NODE_OR,
  CS_NODE_AND,
  CS_NODE_NOT,
  CS_NODE_COMPARE,
  CS_NODE_BIT_AND,
  CS_NODE_BIT_OR,
  CS_NODE_INTEGER,
  CS_NODE_FLOAT,
  CS_NODE_STRING,
  CS_NODE_NULL,
  CS_NODE_PATH,
};

enum cs_comparison { CS_EQUAL, CS_NOT_EQUAL, CS_LESS, CS_LESS_EQUAL, CS_GREATER, CS_GREATER_EQUAL };

/* Where a path leads in one layout. */
struct cs_path_binding {
  uint32_t argument; /* CS_NONE: the function has no such argument */
  bool is_length;    /* the length of the argument: a.len */
};

struct cs_node {
  enum cs_node_kind kind;
  enum cs_comparison comparison;
  uint32_t column;      /* from 1 */
  uint32_t left, right; /* nodes; CS_NONE where there is none */
  __int128 integer;
  double number;
  const char *text; /* of a STRING its bytes, of a PATH its name without indexes; in the expression's arena */
  size_t length;
  uint32_t index;        /* of a PATH: a.shape[index], CS_NONE without */
  uint32_t bound_layout; /* the layout that `binding` is of, CS_NONE at first */
  struct cs_path_binding binding;
};

struct cs_expression {
  struct cs_arena arena;
  char *text;             /* as given. Owned by the arena */
  struct cs_vector nodes; /* struct cs_node */
  uint32_t root;
};

static inline struct cs_node *cs_expression_node(const struct cs_expression *expression, uint32_t number)
{
  return cs_vector_at(&expression->nodes, number);
}

#endif
