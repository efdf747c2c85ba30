/*
 * Judges the rules of a rules file over all modules that were indexed with them.
 */
#include "symbols/plan/rulecheck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/plan/problem.h"

static const char *module_name(const struct fmt_index *index)
{
  const char *path = fmt_index_string(index, index->header->path);
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int keep_problem(struct sym_rule_seen *seen, const struct fmt_index *index, const struct fmt_index_rule *rule)
{
  if (seen->problem && rule->depth <= seen->depth)
    return 0;
  char *text;
  if (asprintf(&text, "%s (%s)", fmt_index_string(index, rule->problem), module_name(index)) < 0)
    return -ENOMEM;
  free(seen->problem);
  seen->problem = text;
  seen->depth = rule->depth;
  return 0;
}

int sym_rules_seen(const struct sym_rules *rules, const struct fmt_index *index)
{
  if (!rules)
    return 0;
  if (index->count[FMT_SECTION_RULES] != rules->count)
    return -EINVAL;
  for (size_t i = 0; i < rules->count; i++) {
    const struct fmt_index_rule *rule = &index->rules[i];
    struct sym_rule_seen *seen = &rules->seen[i];
    bool has_problem = *fmt_index_string(index, rule->problem) != '\0';
    seen->effective |= rule->uses > 0;
    seen->known |= !has_problem;
    int result = has_problem ? keep_problem(seen, index, rule) : 0;
    if (result < 0)
      return result;
  }
  return 0;
}

static int tell(const struct sym_rules *rules, size_t at, const char *text, const char *later, base_message_fn message,
                void *data)
{
  char *line;
  if (asprintf(&line, "%s:%u: %s%s%s%s", rules->origin, rules->rules[at].line, text, later ? "; " : "",
               later ? later : "", later ? " may have it" : "") < 0)
    return -ENOMEM;
  if (message)
    message(line, data);
  free(line);
  return 0;
}

int sym_rules_check(const struct sym_rules *rules, const char *later, base_message_fn message, void *data)
{
  int result = 0;
  for (size_t i = 0; rules && i < rules->count; i++) {
    const struct sym_rule_seen *seen = &rules->seen[i];
    int told = 0;
    if (rules->rules[i].is_soft)
      continue;
    if (!seen->known) {
      told = tell(rules, i, seen->problem ? seen->problem : "no module was indexed with this rule",
                  seen->depth == SYM_PROBLEM_DECLARED ? NULL : later, message, data);
      result = -EINVAL;
    } else if (!seen->effective) {
      told = tell(rules, i, "has no effect: nothing instrumented has what it names, or a later rule replaces it", NULL,
                  message, data);
    }
    if (told < 0)
      return told;
  }
  return result;
}
