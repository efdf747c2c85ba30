#include "plan_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

static const char *const kinds[] = {
    [CS_ARG_VALUE] = "value",     [CS_ARG_NULLNESS] = "nullness", [CS_ARG_TYPE] = "type",
    [CS_ARG_STRING] = "string",   [CS_ARG_BUCKET_LOG2] = "log2",  [CS_ARG_BUCKET_RANGE] = "range",
    [CS_ARG_FLOAT] = "float",     [CS_ARG_SPAN] = "span",         [CS_ARG_GROUP] = "group",
    [CS_ARG_IGNORED] = "ignored",
};

void plan_message(const char *line, void *data)
{
  struct plan_index *built = data;
  size_t length = strlen(built->messages);
  snprintf(built->messages + length, sizeof built->messages - length, "%s\n", line);
}

void plan_build(struct plan_index *built, const char *path, const char *rules)
{
  memset(built, 0, sizeof *built);
  if (rules)
    built->rules_result = cs_rules_parse(rules, strlen(rules), "rules.txt", plan_message, built, &built->rules);
  const struct cs_index_options options = {
      .size = sizeof options, .rules = built->rules, .message = plan_message, .data = built};
  built->result = built->rules_result;
  if (built->result == 0)
    built->result = cs_index_build(path, &options, &built->data, &built->size);
  if (built->result == 0)
    built->result = cs_index_open(built->data, built->size, &built->index);
}

void plan_free(struct plan_index *built)
{
  free(built->data);
  cs_rules_free(built->rules);
}

static const struct cs_index_function *find(const struct plan_index *built, const char *name)
{
  for (uint32_t i = 0; i < built->index.count[CS_SECTION_FUNCTIONS]; i++)
    if (strcmp(cs_index_string(&built->index, built->index.functions[i].name), name) == 0)
      return &built->index.functions[i];
  return NULL;
}

static void append(char *text, size_t size, const char *format, ...)
{
  size_t length = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + length, size - length, format, list);
  va_end(list);
}

static void append_arg(const struct plan_index *built, const struct cs_index_function *function, uint16_t at,
                       char *text, size_t size)
{
  const struct cs_index *index = &built->index;
  const struct cs_index_arg *args = index->args + function->first_arg;
  const struct cs_index_arg *arg = &args[at];
  append(text, size, "%s: %s %s", cs_index_string(index, arg->name), kinds[arg->kind],
         cs_index_string(index, index->types[arg->type].name));
  if (arg->join != UINT16_MAX)
    append(text, size, "[%s]", cs_index_string(index, args[arg->join].name));
  if (arg->kind == CS_ARG_STRING)
    append(text, size, " %u", arg->aux);
  if (arg->flags & CS_ARG_THIS)
    append(text, size, " this");
  if (arg->flags & CS_ARG_REFERENCE)
    append(text, size, " reference");
  if (arg->kind == CS_ARG_GROUP)
    append(text, size, " '%s'", cs_index_string(index, arg->text));
}

const char *plan_text(const struct plan_index *built, const char *function)
{
  static char text[4096];
  const struct cs_index_function *found = built->result == 0 ? find(built, function) : NULL;
  uint16_t ends[8];
  int depth = 0;
  text[0] = '\0';
  if (!found)
    return "(none)";
  for (uint16_t at = 0; at < found->arg_count; at++) {
    const struct cs_index_arg *arg = &built->index.args[found->first_arg + at];
    append_arg(built, found, at, text, sizeof text);
    if (arg->kind == CS_ARG_GROUP && arg->children && depth < 8) {
      ends[depth++] = (uint16_t)(at + arg->children);
      append(text, sizeof text, " {");
      continue;
    }
    while (depth && ends[depth - 1] == at) {
      append(text, sizeof text, "}");
      depth--;
    }
    append(text, sizeof text, at + 1 < found->arg_count ? "; " : "");
  }
  if (found->flags & CS_FUNCTION_VARIADIC)
    append(text, sizeof text, "; ...");
  return text;
}

const struct cs_index_type *plan_type(const struct plan_index *built, const char *function, const char *name)
{
  const struct cs_index_function *found = built->result == 0 ? find(built, function) : NULL;
  for (uint16_t i = 0; found && i < found->arg_count; i++) {
    const struct cs_index_arg *arg = &built->index.args[found->first_arg + i];
    if (strcmp(cs_index_string(&built->index, arg->name), name) == 0)
      return &built->index.types[arg->type];
  }
  return NULL;
}
