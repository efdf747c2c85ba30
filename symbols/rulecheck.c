#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static const char *module_name(const struct cs_index *index)
{
  const char *path = cs_index_string(index, index->header->path);
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int keep_problem(struct cs_rule_seen *seen, const struct cs_index *index, const struct cs_index_rule *rule)
{
  if (seen->problem && rule->depth <= seen->depth)
    return 0;
  char *text;
  if (asprintf(&text, "%s (%s)", cs_index_string(index, rule->problem), module_name(index)) < 0)
    return -ENOMEM;
  free(seen->problem);
  seen->problem = text;
  seen->depth = rule->depth;
  return 0;
}

int cs_rules_seen(const struct cs_rules *rules, const struct cs_index *index)
{
  if (!rules)
    return 0;
  if (index->count[CS_SECTION_RULES] != rules->count)
    return -EINVAL;
  for (size_t i = 0; i < rules->count; i++) {
    const struct cs_index_rule *rule = &index->rules[i];
    struct cs_rule_seen *seen = &rules->seen[i];
    bool has_problem = *cs_index_string(index, rule->problem) != '\0';
    seen->effective |= rule->uses > 0;
    seen->known |= !has_problem;
    int result = has_problem ? keep_problem(seen, index, rule) : 0;
    if (result < 0)
      return result;
  }
  return 0;
}

static int tell(const struct cs_rules *rules, size_t at, const char *text, cs_message_fn message, void *data)
{
  char *line;
  if (asprintf(&line, "%s:%u: %s", rules->origin, rules->rules[at].line, text) < 0)
    return -ENOMEM;
  if (message)
    message(line, data);
  free(line);
  return 0;
}

int cs_rules_check(const struct cs_rules *rules, cs_message_fn message, void *data)
{
  int result = 0;
  for (size_t i = 0; rules && i < rules->count; i++) {
    const struct cs_rule_seen *seen = &rules->seen[i];
    int told = 0;
    if (!seen->known) {
      told = tell(rules, i, seen->problem ? seen->problem : "no module was indexed with this rule", message, data);
      result = -EINVAL;
    } else if (!seen->effective) {
      told = tell(rules, i, "has no effect: nothing instrumented has what it names, or a later rule replaces it",
                  message, data);
    }
    if (told < 0)
      return told;
  }
  return result;
}
