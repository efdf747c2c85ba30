/*
 * Parses the rules language of docs/rules.md.
 */
#include "symbols/plan/rules.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbols/base/text_file.h"
#include "symbols/plan/rule_lexer.h"

/* A rules file larger than this is not a rules file. */
enum { FILE_MAX = 16 * 1024 * 1024 };

static void tell(base_message_fn message, void *data, const char *format, ...)
{
  if (!message)
    return;
  char line[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  message(line, data);
}

static bool parse_bounds(struct sym_rule_lexer *lexer, struct sym_rule_how *how)
{
  how->action = SYM_ACTION_RANGE;
  how->bounds = base_arena_alloc(lexer->arena, SYM_RULE_BOUNDS_MAX * sizeof *how->bounds);
  if (!how->bounds) {
    lexer->no_memory = true;
    return sym_rule_lexer_fail(lexer, " ");
  }
  do {
    bool negative = sym_rule_lexer_text(lexer, "-");
    uint64_t number;
    if (!sym_rule_lexer_number(lexer, &number))
      return sym_rule_lexer_fail(lexer, "'bucket' needs log2 or numbers separated by commas, such as 0,64,1024");
    if (number > (uint64_t)INT64_MAX)
      return sym_rule_lexer_fail(lexer, "a bucket's bound is at most %lld", (long long)INT64_MAX);
    if (how->bound_count == SYM_RULE_BOUNDS_MAX)
      return sym_rule_lexer_fail(lexer, "a bucket rule has at most %u bounds", SYM_RULE_BOUNDS_MAX);
    int64_t bound = negative ? -(int64_t)number : (int64_t)number;
    if (how->bound_count && bound <= how->bounds[how->bound_count - 1])
      return sym_rule_lexer_fail(lexer, "the bounds of a bucket rule must ascend");
    how->bounds[how->bound_count++] = bound;
  } while (sym_rule_lexer_text(lexer, ","));
  return true;
}

static bool parse_string(struct sym_rule_lexer *lexer, struct sym_rule_how *how)
{
  uint64_t limit;
  how->action = SYM_ACTION_STRING;
  how->limit = SYM_RULE_STRING_DEFAULT;
  if (sym_rule_lexer_number(lexer, &limit)) {
    if (limit == 0 || limit > FMT_STRING_MAX)
      return sym_rule_lexer_fail(lexer, "a string's limit is 1 to %u bytes", FMT_STRING_MAX);
    how->limit = (uint32_t)limit;
  }
  if (sym_rule_lexer_word(lexer, "length"))
    how->length = sym_rule_lexer_path(lexer, false);
  return !lexer->problem;
}

static bool parse_length(struct sym_rule_lexer *lexer, struct sym_rule_how *how)
{
  how->action = SYM_ACTION_LENGTH;
  if (!sym_rule_lexer_number(lexer, &how->length_constant))
    how->length = sym_rule_lexer_path(lexer, false);
  return !lexer->problem;
}

/* Reads what is to be done with a value. Without any word: the default. */
static bool parse_how(struct sym_rule_lexer *lexer, struct sym_rule_how *how)
{
  if (sym_rule_lexer_word(lexer, "string"))
    return parse_string(lexer, how);
  if (sym_rule_lexer_word(lexer, "bucket")) {
    if (!sym_rule_lexer_word(lexer, "log2"))
      return parse_bounds(lexer, how);
    how->action = SYM_ACTION_LOG2;
  } else if (sym_rule_lexer_word(lexer, "ignore")) {
    how->action = SYM_ACTION_IGNORE;
  } else if (sym_rule_lexer_word(lexer, "length")) {
    return parse_length(lexer, how);
  } else if (sym_rule_lexer_word(lexer, "value")) {
    how->action = SYM_ACTION_VALUE;
  } else if (sym_rule_lexer_word(lexer, "type")) {
    how->action = SYM_ACTION_TYPE;
  }
  return !lexer->problem;
}

/* The one parameter that a rule is about, which a path is not. */
static const char *parse_parameter(struct sym_rule_lexer *lexer)
{
  const char *start = lexer->at + strspn(lexer->at, " \t");
  const char *name = sym_rule_lexer_identifier(lexer, "a parameter, 'return', or 'show' and a path,");
  if (name && (*lexer->at == '.' || *lexer->at == '[' || strncmp(lexer->at, "->", 2) == 0))
    sym_rule_lexer_fail(lexer, "a parameter comes here, by its name alone; a path is shown by 'show %.*s'",
                        (int)strcspn(start, " \t\r#"), start);
  return name;
}

/* "{2}" must name a field. */
static bool check_template(struct sym_rule_lexer *lexer, const struct sym_rule *rule)
{
  for (const char *at = rule->print; (at = strchr(at, '{')) != NULL; at++) {
    char *end;
    unsigned long field = strtoul(at + 1, &end, 10);
    if (end == at + 1 || *end != '}')
      return sym_rule_lexer_fail(lexer, "in a print text '{' begins the number of a field, such as {0}");
    if (field >= rule->field_count)
      return sym_rule_lexer_fail(lexer, "the print text names field {%lu} and there are %zu, counted from 0", field,
                                 rule->field_count);
  }
  return true;
}

/* The second path of a difference, behind its minus. */
static bool parse_difference(struct sym_rule_lexer *lexer, struct sym_rule_field *field, bool labelled)
{
  field->minus = sym_rule_lexer_path(lexer, false);
  if (lexer->problem)
    return false;
  if (!labelled || field->path->is_span)
    return sym_rule_lexer_fail(lexer, "a difference is of two pointers, and has a name: size=end - begin");
  return true;
}

/* A path that may have an enumeration before it, which `as` then is. */
static struct sym_rule_path *parse_cast_path(struct sym_rule_lexer *lexer, const char **as)
{
  *as = sym_rule_lexer_cast(lexer);
  return lexer->problem ? NULL : sym_rule_lexer_path(lexer, true);
}

/* Where an enumeration was given, nothing more can be said of the value. */
static bool check_cast(struct sym_rule_lexer *lexer, const struct sym_rule_path *path, const struct sym_rule_how *how)
{
  if (how->as && (path->is_span || how->action != SYM_ACTION_DEFAULT))
    return sym_rule_lexer_fail(lexer, "what is shown by an enumeration is one value and takes no further word");
  return true;
}

/* [LABEL=][(enum NAME)]PATH */
static bool parse_field_path(struct sym_rule_lexer *lexer, struct sym_rule_field *field)
{
  lexer->at += strspn(lexer->at, " \t");
  const char *start = lexer->at;
  const char *label = *start == '(' ? NULL : sym_rule_lexer_identifier(lexer, "a field");
  const bool labelled = label && sym_rule_lexer_text(lexer, "=");
  if (labelled) {
    field->label = label;
  } else if (label) {
    lexer->at = start;
  }
  if (!lexer->problem)
    field->path = parse_cast_path(lexer, &field->how.as);
  if (!labelled)
    field->label = field->path ? field->path->text : NULL;
  return labelled;
}

static bool parse_field(struct sym_rule_lexer *lexer, struct sym_rule_field *field)
{
  const bool labelled = parse_field_path(lexer, field);
  if (!lexer->problem && sym_rule_lexer_text(lexer, "-") && !parse_difference(lexer, field, labelled))
    return false;
  if (lexer->problem || !field->path || !parse_how(lexer, &field->how))
    return false;
  if (!check_cast(lexer, field->path, &field->how))
    return false;
  if (field->minus && (field->how.as || field->how.action != SYM_ACTION_DEFAULT))
    return sym_rule_lexer_fail(lexer, "a difference prints as a number and takes no further word");
  if (field->how.action == SYM_ACTION_LENGTH || field->how.action == SYM_ACTION_IGNORE)
    return sym_rule_lexer_fail(lexer,
                               "a field can be a string, bucket, value or type; leave out what is not to be seen");
  if (field->path->is_span && field->how.action != SYM_ACTION_DEFAULT)
    return sym_rule_lexer_fail(lexer, "a range of elements prints as its values and takes no further word");
  return true;
}

static bool parse_type_rule(struct sym_rule_lexer *lexer, struct sym_rule *rule)
{
  rule->kind = SYM_RULE_TYPE;
  rule->name = sym_rule_lexer_name(lexer, "the type's name");
  rule->is_glob = rule->name && strpbrk(rule->name, "*?") != NULL;
  rule->fields = base_arena_alloc(lexer->arena, SYM_RULE_FIELDS_MAX * sizeof *rule->fields);
  if (!rule->fields) {
    lexer->no_memory = true;
    return sym_rule_lexer_fail(lexer, " ");
  }
  do {
    if (rule->field_count == SYM_RULE_FIELDS_MAX)
      return sym_rule_lexer_fail(lexer, "a type rule has at most %u fields", SYM_RULE_FIELDS_MAX);
    if (!parse_field(lexer, &rule->fields[rule->field_count]))
      return false;
    rule->field_count++;
  } while (sym_rule_lexer_text(lexer, ","));
  if (!sym_rule_lexer_word(lexer, "print"))
    return !lexer->problem;
  rule->print = sym_rule_lexer_quoted(lexer);
  return rule->print && check_template(lexer, rule);
}

static bool parse_function_rule(struct sym_rule_lexer *lexer, struct sym_rule *rule)
{
  rule->name = sym_rule_lexer_name(lexer, "the function's name");
  rule->is_glob = rule->name && strpbrk(rule->name, "*?[") != NULL;
  if (sym_rule_lexer_word(lexer, "show")) {
    rule->kind = SYM_RULE_SHOW;
    rule->path = parse_cast_path(lexer, &rule->how.as);
    if (lexer->problem || !parse_how(lexer, &rule->how) || !check_cast(lexer, rule->path, &rule->how))
      return false;
    if (rule->how.action == SYM_ACTION_IGNORE || rule->how.action == SYM_ACTION_LENGTH)
      return sym_rule_lexer_fail(lexer, "what is shown can be a string, bucket, value or type");
    if (rule->path->is_span && rule->how.action != SYM_ACTION_DEFAULT)
      return sym_rule_lexer_fail(lexer, "a range of elements prints as its values and takes no further word");
    return true;
  }
  if (sym_rule_lexer_word(lexer, "return")) {
    rule->kind = SYM_RULE_RETURN;
    if (!parse_how(lexer, &rule->how))
      return false;
    if (rule->how.action != SYM_ACTION_DEFAULT && rule->how.action != SYM_ACTION_VALUE &&
        rule->how.action != SYM_ACTION_LOG2 && rule->how.action != SYM_ACTION_RANGE)
      return sym_rule_lexer_fail(lexer, "what is returned can be a bucket or a value");
    return true;
  }
  rule->kind = SYM_RULE_PARAMETER;
  rule->parameter = parse_parameter(lexer);
  if (lexer->problem || !parse_how(lexer, &rule->how))
    return false;
  if (rule->how.action == SYM_ACTION_DEFAULT)
    return sym_rule_lexer_fail(lexer, "after the parameter comes string, bucket, ignore, length, value or type");
  return true;
}

static bool parse_rule(struct sym_rule_lexer *lexer, struct sym_rule *rule)
{
  rule->is_soft = sym_rule_lexer_word(lexer, "soft");
  if (sym_rule_lexer_word(lexer, "file")) {
    rule->file = sym_rule_lexer_name(lexer, "the file's name");
    if (!sym_rule_lexer_word(lexer, "function"))
      return sym_rule_lexer_fail(lexer, "after 'file NAME:' comes 'function'");
    parse_function_rule(lexer, rule);
  } else if (sym_rule_lexer_word(lexer, "function")) {
    parse_function_rule(lexer, rule);
  } else if (sym_rule_lexer_word(lexer, "type")) {
    parse_type_rule(lexer, rule);
  } else {
    sym_rule_lexer_fail(lexer, "a rule begins with 'type', 'function' or 'file', behind 'soft' where it may not fit");
  }
  if (!lexer->problem && !sym_rule_lexer_end(lexer))
    sym_rule_lexer_fail(lexer, "unexpected text: '%.40s'", lexer->at);
  return !lexer->problem;
}

static struct sym_rule *new_rule(struct sym_rules *rules)
{
  if (rules->count == rules->capacity) {
    size_t capacity = rules->capacity ? rules->capacity * 2 : 16;
    struct sym_rule *list = realloc(rules->rules, capacity * sizeof *list);
    if (!list)
      return NULL;
    rules->rules = list;
    rules->capacity = capacity;
  }
  struct sym_rule *rule = &rules->rules[rules->count];
  memset(rule, 0, sizeof *rule);
  return rule;
}

/* One line of the text, NUL-terminated. */
static int parse_line(struct sym_rules *rules, const char *line, unsigned number, base_message_fn message, void *data)
{
  struct sym_rule_lexer lexer = {.arena = &rules->arena, .at = line};
  if (sym_rule_lexer_end(&lexer))
    return 0;
  struct sym_rule *rule = new_rule(rules);
  if (!rule)
    return -ENOMEM;
  rule->line = number;
  if (parse_rule(&lexer, rule)) {
    rules->count++;
    return 0;
  }
  if (lexer.no_memory)
    return -ENOMEM;
  tell(message, data, "%s:%u: %s", rules->origin, number, lexer.problem);
  return -EINVAL;
}

static int parse_text(struct sym_rules *rules, base_message_fn message, void *data)
{
  int result = 0;
  unsigned number = 0;
  const char *end = rules->text + rules->size;
  for (const char *at = rules->text; at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((newline ? newline : end) - at);
    number++;
    if (memchr(at, '\0', length)) {
      tell(message, data, "%s:%u: the line holds a NUL byte: not a rules file", rules->origin, number);
      return -EINVAL;
    }
    char *line = base_arena_copy(&rules->arena, at, length);
    int parsed = line ? parse_line(rules, line, number, message, data) : -ENOMEM;
    if (parsed == -ENOMEM)
      return parsed;
    if (parsed < 0)
      result = parsed;
    at += length + 1;
  }
  return result;
}

int sym_rules_parse(const char *text, size_t size, const char *origin, base_message_fn message, void *data,
                    struct sym_rules **rules)
{
  struct sym_rules *made = calloc(1, sizeof *made);
  int result = -ENOMEM;
  if (!made)
    goto out;
  made->origin = base_arena_copy(&made->arena, origin, strlen(origin));
  made->text = base_arena_copy(&made->arena, text, size);
  made->size = size;
  if (!made->origin || !made->text)
    goto out;
  result = parse_text(made, message, data);
  if (result < 0)
    goto out;
  made->seen = calloc(made->count ? made->count : 1, sizeof *made->seen);
  if (!made->seen) {
    result = -ENOMEM;
    goto out;
  }
  *rules = made;
  made = NULL;
out:
  if (result == -ENOMEM)
    tell(message, data, "%s: not enough memory for the rules", origin);
  sym_rules_free(made);
  return result;
}

/* Reads the whole of `file` into `text`, from malloc(). */
static int read_file(FILE *file, char **text, size_t *size)
{
  char *data = NULL;
  size_t used = 0, capacity = 0;
  for (;;) {
    if (used == capacity) {
      capacity = capacity ? capacity * 2 : 4096;
      char *grown = capacity <= FILE_MAX ? realloc(data, capacity) : NULL;
      if (!grown) {
        free(data);
        return capacity <= FILE_MAX ? -ENOMEM : -EFBIG;
      }
      data = grown;
    }
    size_t got = fread(data + used, 1, capacity - used, file);
    used += got;
    if (got == 0)
      break;
  }
  if (ferror(file)) {
    free(data);
    return errno ? -errno : -EIO;
  }
  *text = data;
  *size = used;
  return 0;
}

int sym_rules_load(const char *path, base_message_fn message, void *data, struct sym_rules **rules)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = NULL;
  int result = sym_text_file_open(path, &file);
  if (result < 0) {
    tell(message, data, "%s: cannot read the rules file: %s", path, sym_text_file_problem(result));
    return result;
  }
  result = read_file(file, &text, &size);
  if (result < 0) {
    tell(message, data, "%s: cannot read the rules file: %s", path, strerror(-result));
    goto out;
  }
  result = sym_rules_parse(text, size, path, message, data, rules);
out:
  free(text);
  fclose(file);
  return result;
}

void sym_rules_free(struct sym_rules *rules)
{
  if (!rules)
    return;
  for (size_t i = 0; rules->seen && i < rules->count; i++)
    free(rules->seen[i].problem);
  free(rules->seen);
  free(rules->rules);
  base_arena_free(&rules->arena);
  free(rules);
}

uint64_t sym_rules_hash(const struct sym_rules *rules)
{
  return rules ? XXH64(rules->text, rules->size, 0) : 0;
}
