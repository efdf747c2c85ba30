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

static void skip_blanks(struct sym_scan *scan)
{
  while (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r')
    scan->at++;
}

bool sym_scan_fail(struct sym_scan *scan, const char *format, ...)
{
  if (scan->problem)
    return false;
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  scan->problem = base_arena_copy(scan->arena, text, strlen(text));
  if (!scan->problem) {
    scan->no_memory = true;
    scan->problem = "";
  }
  return false;
}

static void *allocate(struct sym_scan *scan, size_t size)
{
  void *out = base_arena_alloc(scan->arena, size);
  if (!out) {
    scan->no_memory = true;
    scan->problem = "";
  }
  return out;
}

static const char *copy(struct sym_scan *scan, const char *text, size_t length)
{
  char *out = base_arena_copy(scan->arena, text, length);
  if (!out) {
    scan->no_memory = true;
    scan->problem = "";
  }
  return out;
}

bool sym_scan_end(struct sym_scan *scan)
{
  skip_blanks(scan);
  return *scan->at == '\0' || *scan->at == '#';
}

bool sym_scan_word(struct sym_scan *scan, const char *word)
{
  skip_blanks(scan);
  size_t length = strlen(word);
  if (scan->problem || strncmp(scan->at, word, length) != 0 || is_name(scan->at[length]))
    return false;
  scan->at += length;
  return true;
}

bool sym_scan_text(struct sym_scan *scan, const char *text)
{
  skip_blanks(scan);
  size_t length = strlen(text);
  if (scan->problem || strncmp(scan->at, text, length) != 0)
    return false;
  scan->at += length;
  return true;
}

const char *sym_scan_identifier(struct sym_scan *scan, const char *what)
{
  skip_blanks(scan);
  if (scan->problem)
    return NULL;
  if (!is_name_start(*scan->at)) {
    sym_scan_fail(scan, "%s is missing", what);
    return NULL;
  }
  const char *start = scan->at;
  while (is_name(*scan->at))
    scan->at++;
  return copy(scan, start, (size_t)(scan->at - start));
}

const char *sym_scan_name(struct sym_scan *scan, const char *what)
{
  skip_blanks(scan);
  if (scan->problem)
    return NULL;
  const char *start = scan->at, *end = start;
  while (*end && !(*end == ':' && end[1] != ':')) {
    end += *end == ':' ? 2 : 1;
  }
  if (*end != ':') {
    sym_scan_fail(scan, "a ':' is missing after %s", what);
    return NULL;
  }
  scan->at = end + 1;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  if (end == start) {
    sym_scan_fail(scan, "%s is missing before ':'", what);
    return NULL;
  }
  return copy(scan, start, (size_t)(end - start));
}

bool sym_scan_number(struct sym_scan *scan, uint64_t *number)
{
  skip_blanks(scan);
  if (scan->problem || !isdigit((unsigned char)*scan->at))
    return false;
  char *end;
  errno = 0;
  *number = strtoull(scan->at, &end, 10);
  if (errno == ERANGE || is_name(*end))
    return sym_scan_fail(scan, "not a number: '%.*s'", (int)strcspn(scan->at, " \t,]"), scan->at);
  scan->at = end;
  return true;
}

const char *sym_scan_quoted(struct sym_scan *scan)
{
  if (!sym_scan_text(scan, "\"")) {
    sym_scan_fail(scan, "a text in double quotes is missing");
    return NULL;
  }
  char *out = allocate(scan, strlen(scan->at) + 1);
  size_t length = 0;
  while (out && *scan->at && *scan->at != '"') {
    if (*scan->at == '\\' && (scan->at[1] == '"' || scan->at[1] == '\\'))
      scan->at++;
    out[length++] = *scan->at++;
  }
  if (*scan->at != '"') {
    sym_scan_fail(scan, "the closing '\"' is missing");
    return NULL;
  }
  scan->at++;
  return out;
}

static bool add_part(struct sym_scan *scan, struct sym_rule_path *path, struct sym_path_part part)
{
  if (path->part_count == SYM_RULE_PARTS_MAX)
    return sym_scan_fail(scan, "a path has at most %u parts", SYM_RULE_PARTS_MAX);
  path->parts[path->part_count++] = part;
  return true;
}

/* After '[': N] or from..to]. */
static bool scan_brackets(struct sym_scan *scan, struct sym_rule_path *path, bool spans)
{
  uint64_t number;
  if (!sym_scan_number(scan, &number))
    return sym_scan_fail(scan, "a number is missing after '['");
  if (!sym_scan_text(scan, "..")) {
    if (!sym_scan_text(scan, "]"))
      return sym_scan_fail(scan, "a ']' is missing");
    return add_part(scan, path, (struct sym_path_part){.kind = SYM_PART_INDEX, .index = number});
  }
  if (!spans)
    return sym_scan_fail(scan,
                         "a range [%llu..] can stand only at the end of a field of a type rule or of a shown path",
                         (unsigned long long)number);
  path->is_span = true;
  path->from = number;
  path->to_is_constant = sym_scan_number(scan, &path->to_constant);
  if (!path->to_is_constant)
    path->to = sym_scan_path(scan, false);
  if (!scan->problem && path->to_is_constant && path->to_constant < path->from)
    return sym_scan_fail(scan, "the range ends before it begins");
  if (!sym_scan_text(scan, "]"))
    return sym_scan_fail(scan, "a ']' is missing");
  return true;
}

static bool scan_parts(struct sym_scan *scan, struct sym_rule_path *path, bool spans, const char **text_end)
{
  const char *name = sym_scan_identifier(scan, "a name");
  if (!name || !add_part(scan, path, (struct sym_path_part){.kind = SYM_PART_NAME, .name = name}))
    return false;
  for (;;) {
    *text_end = scan->at;
    if (*scan->at == '[') {
      scan->at++;
      if (!scan_brackets(scan, path, spans))
        return false;
      if (path->is_span)
        return true;
    } else if (*scan->at == '.' || (*scan->at == '-' && scan->at[1] == '>')) {
      scan->at += *scan->at == '.' ? 1 : 2;
      name = sym_scan_identifier(scan, "a field's name");
      if (!name || !add_part(scan, path, (struct sym_path_part){.kind = SYM_PART_NAME, .name = name}))
        return false;
    } else {
      return true;
    }
  }
}

struct sym_rule_path *sym_scan_path(struct sym_scan *scan, bool spans)
{
  struct sym_rule_path *path = allocate(scan, sizeof *path);
  if (!path || !(path->parts = allocate(scan, SYM_RULE_PARTS_MAX * sizeof *path->parts)))
    return NULL;
  skip_blanks(scan);
  const char *start = scan->at, *end = start;
  size_t stars = 0;
  while (sym_scan_text(scan, "*"))
    stars++;
  if (!scan_parts(scan, path, spans, &end))
    return NULL;
  for (size_t i = 0; i < stars; i++)
    if (!add_part(scan, path, (struct sym_path_part){.kind = SYM_PART_DEREF}))
      return NULL;
  path->text = copy(scan, start, (size_t)(end - start));
  return path->text && !scan->problem ? path : NULL;
}
