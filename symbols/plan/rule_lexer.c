/*
 * Reads the words, names, numbers and paths of one line of the rules language.
 */
#include "symbols/plan/rule_lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_start(char c)
{
  return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_blanks(struct sym_rule_lexer *lexer)
{
  while (*lexer->at == ' ' || *lexer->at == '\t' || *lexer->at == '\r')
    lexer->at++;
}

bool sym_rule_lexer_fail(struct sym_rule_lexer *lexer, const char *format, ...)
{
  if (lexer->problem)
    return false;
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  lexer->problem = base_arena_copy(lexer->arena, text, strlen(text));
  if (!lexer->problem) {
    lexer->no_memory = true;
    lexer->problem = "";
  }
  return false;
}

static void *allocate(struct sym_rule_lexer *lexer, size_t size)
{
  void *out = base_arena_alloc(lexer->arena, size);
  if (!out) {
    lexer->no_memory = true;
    lexer->problem = "";
  }
  return out;
}

static const char *copy(struct sym_rule_lexer *lexer, const char *text, size_t length)
{
  char *out = base_arena_copy(lexer->arena, text, length);
  if (!out) {
    lexer->no_memory = true;
    lexer->problem = "";
  }
  return out;
}

bool sym_rule_lexer_end(struct sym_rule_lexer *lexer)
{
  skip_blanks(lexer);
  return *lexer->at == '\0' || *lexer->at == '#';
}

bool sym_rule_lexer_word(struct sym_rule_lexer *lexer, const char *word)
{
  skip_blanks(lexer);
  size_t length = strlen(word);
  if (lexer->problem || strncmp(lexer->at, word, length) != 0 || is_name(lexer->at[length]))
    return false;
  lexer->at += length;
  return true;
}

bool sym_rule_lexer_text(struct sym_rule_lexer *lexer, const char *text)
{
  skip_blanks(lexer);
  size_t length = strlen(text);
  if (lexer->problem || strncmp(lexer->at, text, length) != 0)
    return false;
  lexer->at += length;
  return true;
}

const char *sym_rule_lexer_identifier(struct sym_rule_lexer *lexer, const char *what)
{
  skip_blanks(lexer);
  if (lexer->problem)
    return NULL;
  if (!is_name_start(*lexer->at)) {
    sym_rule_lexer_fail(lexer, "%s is missing", what);
    return NULL;
  }
  const char *start = lexer->at;
  while (is_name(*lexer->at))
    lexer->at++;
  return copy(lexer, start, (size_t)(lexer->at - start));
}

const char *sym_rule_lexer_name(struct sym_rule_lexer *lexer, const char *what)
{
  skip_blanks(lexer);
  if (lexer->problem)
    return NULL;
  const char *start = lexer->at, *end = start;
  while (*end && !(*end == ':' && end[1] != ':')) {
    end += *end == ':' ? 2 : 1;
  }
  if (*end != ':') {
    sym_rule_lexer_fail(lexer, "a ':' is missing after %s", what);
    return NULL;
  }
  lexer->at = end + 1;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  if (end == start) {
    sym_rule_lexer_fail(lexer, "%s is missing before ':'", what);
    return NULL;
  }
  return copy(lexer, start, (size_t)(end - start));
}

bool sym_rule_lexer_number(struct sym_rule_lexer *lexer, uint64_t *number)
{
  skip_blanks(lexer);
  if (lexer->problem || !isdigit((unsigned char)*lexer->at))
    return false;
  char *end;
  errno = 0;
  *number = strtoull(lexer->at, &end, 10);
  if (errno == ERANGE || is_name(*end))
    return sym_rule_lexer_fail(lexer, "not a number: '%.*s'", (int)strcspn(lexer->at, " \t,]"), lexer->at);
  lexer->at = end;
  return true;
}

const char *sym_rule_lexer_quoted(struct sym_rule_lexer *lexer)
{
  if (!sym_rule_lexer_text(lexer, "\"")) {
    sym_rule_lexer_fail(lexer, "a text in double quotes is missing");
    return NULL;
  }
  char *out = allocate(lexer, strlen(lexer->at) + 1);
  size_t length = 0;
  while (out && *lexer->at && *lexer->at != '"') {
    if (*lexer->at == '\\' && (lexer->at[1] == '"' || lexer->at[1] == '\\'))
      lexer->at++;
    out[length++] = *lexer->at++;
  }
  if (*lexer->at != '"') {
    sym_rule_lexer_fail(lexer, "the closing '\"' is missing");
    return NULL;
  }
  lexer->at++;
  return out;
}

static bool add_part(struct sym_rule_lexer *lexer, struct sym_rule_path *path, struct sym_rule_path_part part)
{
  if (path->part_count == SYM_RULE_PARTS_MAX)
    return sym_rule_lexer_fail(lexer, "a path has at most %u parts", SYM_RULE_PARTS_MAX);
  path->parts[path->part_count++] = part;
  return true;
}

/* After '[': N] or from..to]. */
static bool take_brackets(struct sym_rule_lexer *lexer, struct sym_rule_path *path, bool spans)
{
  uint64_t number;
  if (!sym_rule_lexer_number(lexer, &number))
    return sym_rule_lexer_fail(lexer, "a number is missing after '['");
  if (!sym_rule_lexer_text(lexer, "..")) {
    if (!sym_rule_lexer_text(lexer, "]"))
      return sym_rule_lexer_fail(lexer, "a ']' is missing");
    return add_part(lexer, path, (struct sym_rule_path_part){.kind = SYM_PART_INDEX, .index = number});
  }
  if (!spans)
    return sym_rule_lexer_fail(
        lexer, "a range [%llu..] can stand only at the end of a field of a type rule or of a shown path",
        (unsigned long long)number);
  path->is_span = true;
  path->from = number;
  path->to_is_constant = sym_rule_lexer_number(lexer, &path->to_constant);
  if (!path->to_is_constant)
    path->to = sym_rule_lexer_path(lexer, false);
  if (!lexer->problem && path->to_is_constant && path->to_constant < path->from)
    return sym_rule_lexer_fail(lexer, "the range ends before it begins");
  if (!sym_rule_lexer_text(lexer, "]"))
    return sym_rule_lexer_fail(lexer, "a ']' is missing");
  return true;
}

/* How deep parentheses, casts and stars may be nested. */
enum { NESTING_MAX = 16 };

/* A path while it is read: where its text ends, and how deep in it we are. */
struct path_reading {
  struct sym_rule_path *path;
  bool spans;
  const char *end;
  int depth;
};

/* The ')' that ends what begins behind `at`, if that is a type and stars: "(struct header *)". NULL: it is not. */
static const char *cast_end(const char *at)
{
  const char *end = at + strcspn(at, "()");
  const char *last = end;
  while (last > at && isspace((unsigned char)last[-1]))
    last--;
  return *end == ')' && last > at && last[-1] == '*' ? end : NULL;
}

/* Behind '(': TYPE *...). */
static bool take_cast(struct sym_rule_lexer *lexer, struct sym_rule_path_part *part)
{
  skip_blanks(lexer);
  const char *start = lexer->at, *end = cast_end(start), *last = end;
  *part = (struct sym_rule_path_part){.kind = SYM_PART_CAST};
  lexer->at = end + 1;
  while (last > start && (last[-1] == '*' || isspace((unsigned char)last[-1])))
    part->index += *--last == '*';
  if (last == start)
    return sym_rule_lexer_fail(lexer, "a type comes before the '*' of a cast: (struct header *)data");
  part->name = copy(lexer, start, (size_t)(last - start));
  return part->name != NULL;
}

static bool take_operand(struct sym_rule_lexer *lexer, struct path_reading *reading);

/* A name, or an operand in parentheses. */
static bool take_primary(struct sym_rule_lexer *lexer, struct path_reading *reading)
{
  if (sym_rule_lexer_text(lexer, "(")) {
    const bool spans = reading->spans;
    reading->spans = false;
    if (!take_operand(lexer, reading))
      return false;
    reading->spans = spans;
    return sym_rule_lexer_text(lexer, ")") || sym_rule_lexer_fail(lexer, "a ')' is missing");
  }
  const char *name = sym_rule_lexer_identifier(lexer, "a name");
  return name && add_part(lexer, reading->path, (struct sym_rule_path_part){.kind = SYM_PART_NAME, .name = name});
}

/* A primary, and what is reached from it. */
static bool take_parts(struct sym_rule_lexer *lexer, struct path_reading *reading)
{
  struct sym_rule_path *path = reading->path;
  if (!take_primary(lexer, reading))
    return false;
  for (;;) {
    reading->end = lexer->at;
    if (*lexer->at == '[') {
      lexer->at++;
      if (!take_brackets(lexer, path, reading->spans))
        return false;
      if (path->is_span)
        return true;
    } else if (*lexer->at == '.' || (*lexer->at == '-' && lexer->at[1] == '>')) {
      lexer->at += *lexer->at == '.' ? 1 : 2;
      const char *name = sym_rule_lexer_identifier(lexer, "a field's name");
      if (!name || !add_part(lexer, path, (struct sym_rule_path_part){.kind = SYM_PART_NAME, .name = name}))
        return false;
    } else {
      return true;
    }
  }
}

/* As in C: stars and casts stand before what they are applied to last. */
static bool take_operand(struct sym_rule_lexer *lexer, struct path_reading *reading)
{
  if (reading->depth == NESTING_MAX)
    return sym_rule_lexer_fail(lexer, "a path is nested at most %d deep", NESTING_MAX);
  reading->depth++;
  struct sym_rule_path_part last = {.kind = SYM_PART_NAME};
  skip_blanks(lexer);
  if (sym_rule_lexer_text(lexer, "*")) {
    last.kind = SYM_PART_DEREF;
  } else if (*lexer->at == '(' && cast_end(lexer->at + 1)) {
    lexer->at++;
    if (!take_cast(lexer, &last))
      return false;
  }
  bool taken = last.kind == SYM_PART_NAME ? take_parts(lexer, reading) : take_operand(lexer, reading);
  reading->depth--;
  if (taken && last.kind == SYM_PART_CAST && reading->path->is_span)
    return sym_rule_lexer_fail(lexer, "a range stands behind the parentheses of a cast: ((short *)data)[0..2]");
  return taken && (last.kind == SYM_PART_NAME || add_part(lexer, reading->path, last));
}

struct sym_rule_path *sym_rule_lexer_path(struct sym_rule_lexer *lexer, bool spans)
{
  struct sym_rule_path *path = allocate(lexer, sizeof *path);
  if (!path || !(path->parts = allocate(lexer, SYM_RULE_PARTS_MAX * sizeof *path->parts)))
    return NULL;
  skip_blanks(lexer);
  const char *start = lexer->at;
  struct path_reading reading = {.path = path, .spans = spans, .end = start};
  if (!take_operand(lexer, &reading))
    return NULL;
  path->text = copy(lexer, start, (size_t)(reading.end - start));
  return path->text && !lexer->problem ? path : NULL;
}

/* Does what begins with this '(' belong to a path: a cast to a pointer, or an operand in parentheses? */
static bool is_of_path(const char *at)
{
  if (cast_end(at + 1))
    return true;
  at += 1 + strspn(at + 1, " \t");
  if (*at == '(' || *at == '*')
    return true;
  const char *end = at + strcspn(at, "()");
  if (*end != ')')
    return false;
  /* A cast stands before an operand. */
  const char *next = end + 1 + strspn(end + 1, " \t");
  return !isalnum((unsigned char)*next) && strspn(next, "_$(*") == 0;
}

const char *sym_rule_lexer_cast(struct sym_rule_lexer *lexer)
{
  static const char keyword[] = "enum ";
  skip_blanks(lexer);
  if (*lexer->at != '(' || is_of_path(lexer->at))
    return NULL;
  lexer->at++;
  const char *start = lexer->at + strspn(lexer->at, " \t");
  if (strncmp(start, keyword, strlen(keyword)) == 0)
    start += strlen(keyword);
  start += strspn(start, " \t");
  const char *end = start + strcspn(start, ")");
  if (*end != ')' || end == start) {
    sym_rule_lexer_fail(lexer, "an enumeration's name and a ')' come after '(': (enum color)kind");
    return NULL;
  }
  lexer->at = end + 1;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  return copy(lexer, start, (size_t)(end - start));
}
