/*
 * What a test asks of JSON that was parsed: fails where it is not there.
 */
#ifndef CALLSIG_TESTS_JSON_TREE_H
#define CALLSIG_TESTS_JSON_TREE_H

#include <yajl/yajl_tree.h>

#include "tests/support/output_sample.h"

static inline yajl_val get(yajl_val node, const char *key)
{
  const char *path[] = {key, NULL};
  yajl_val found = yajl_tree_get(node, path, yajl_t_any);
  if (!found)
    fail_msg("no %s", key);
  return found;
}

static inline const char *text_of(yajl_val node)
{
  const char *text = YAJL_GET_STRING(node);
  assert_non_null(text);
  return text ? text : "";
}

#endif
