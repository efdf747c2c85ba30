/* Plans of functions and their types as text, for tests to compare. */
#include "tests/support/symbols/plan_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/plan/rules.h"

static const char *const kinds[] = {
    [FMT_ARG_VALUE] = "value",     [FMT_ARG_NULLNESS] = "nullness", [FMT_ARG_TYPE] = "type",
    [FMT_ARG_STRING] = "string",   [FMT_ARG_BUCKET_LOG2] = "log2",  [FMT_ARG_BUCKET_RANGE] = "range",
    [FMT_ARG_FLOAT] = "float",     [FMT_ARG_SPAN] = "span",         [FMT_ARG_GROUP] = "group",
    [FMT_ARG_IGNORED] = "ignored",
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
    built->rules_result = sym_rules_parse(rules, strlen(rules), "rules.txt", plan_message, built, &built->rules);
  const struct sym_index_options options = {
      .size = sizeof options, .rules = built->rules, .message = plan_message, .data = built};
  built->result = built->rules_result;
  if (built->result == 0)
    built->result = sym_index_build(path, &options, &built->data, &built->size);
  if (built->result == 0)
    built->result = fmt_index_open(built->data, built->size, &built->index);
}

void plan_free(struct plan_index *built)
{
  free(built->data);
  sym_rules_free(built->rules);
}

static const struct fmt_index_function *find(const struct plan_index *built, const char *name)
{
  for (uint32_t i = 0; i < built->index.count[FMT_SECTION_FUNCTIONS]; i++)
    if (strcmp(fmt_index_string(&built->index, built->index.functions[i].name), name) == 0)
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

static void append_arg(const struct plan_index *built, const struct fmt_index_function *function, uint16_t at,
                       char *text, size_t size)
{
  const struct fmt_index *index = &built->index;
  const struct fmt_index_arg *args = index->args + function->first_arg;
  const struct fmt_index_arg *arg = &args[at];
  append(text, size, "%s: %s %s", fmt_index_string(index, arg->name), kinds[arg->kind],
         fmt_index_string(index, index->types[arg->type].name));
  if (arg->join != UINT16_MAX)
    append(text, size, "[%s]", fmt_index_string(index, args[arg->join].name));
  if (arg->kind == FMT_ARG_STRING)
    append(text, size, " %u", arg->aux);
  if (arg->flags & FMT_ARG_THIS)
    append(text, size, " this");
  if (arg->flags & FMT_ARG_RETURN)
    append(text, size, " returned");
  if (arg->flags & FMT_ARG_REFERENCE)
    append(text, size, " reference");
  if (arg->kind == FMT_ARG_GROUP)
    append(text, size, " '%s'", fmt_index_string(index, arg->text));
}

const char *plan_text(const struct plan_index *built, const char *function)
{
  static char text[4096];
  const struct fmt_index_function *found = built->result == 0 ? find(built, function) : NULL;
  uint16_t ends[8];
  int depth = 0;
  text[0] = '\0';
  if (!found)
    return "(none)";
  for (uint16_t at = 0; at < found->arg_count; at++) {
    const struct fmt_index_arg *arg = &built->index.args[found->first_arg + at];
    append_arg(built, found, at, text, sizeof text);
    if (arg->kind == FMT_ARG_GROUP && arg->children && depth < 8) {
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
  if (found->flags & FMT_FUNCTION_VARIADIC)
    append(text, sizeof text, "; ...");
  return text;
}

const struct fmt_index_type *plan_type(const struct plan_index *built, const char *function, const char *name)
{
  const struct fmt_index_function *found = built->result == 0 ? find(built, function) : NULL;
  for (uint16_t i = 0; found && i < found->arg_count; i++) {
    const struct fmt_index_arg *arg = &built->index.args[found->first_arg + i];
    if (strcmp(fmt_index_string(&built->index, arg->name), name) == 0)
      return &built->index.types[arg->type];
  }
  return NULL;
}
