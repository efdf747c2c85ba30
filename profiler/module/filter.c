/*
 * Which functions are recorded: the globs of `--include` and `--exclude`, one a line (docs/filters.md). Asked once a
 * site.
 */
#include "profiler/module/filter.h"

#include "profiler/base/text.h"

/* What a pattern is held against. */
enum pattern_kind { MATCH_ANY, MATCH_FUNCTION, MATCH_FILE, MATCH_MODULE };

struct pattern {
  enum pattern_kind kind;
  const char *start, *end;
};

/* One element of a bracket expression or the whole of it: does `c` match at *glob, which is moved behind it? */
static bool match_bracket(const char **glob, const char *end, char c)
{
  const char *g = *glob + 1;
  bool negated = g < end && (*g == '!' || *g == '^');
  g += negated;
  bool matches = false;
  for (const char *first = g; g < end && (*g != ']' || g == first); g++) {
    char low = *g, high = low;
    if (g + 2 < end && g[1] == '-' && g[2] != ']') {
      high = g[2];
      g += 2;
    }
    matches |= c >= low && c <= high;
  }
  if (g == end) { /* no closing bracket: it stands for itself */
    (*glob)++;
    return c == '[';
  }
  *glob = g + 1;
  return matches != negated;
}

/* Moves *glob behind one element that is not a star and tells whether `c` matches it. */
static bool match_one(const char **glob, const char *end, char c)
{
  if (**glob == '[')
    return match_bracket(glob, end, c);
  bool any = **glob == '?';
  if (**glob == '\\' && *glob + 1 < end)
    (*glob)++;
  char wanted = *(*glob)++;
  return any || wanted == c;
}

bool prof_glob_matches(const char *glob, const char *end, const char *text)
{
  const char *star = NULL, *retry = NULL;
  while (*text) {
    if (glob < end && *glob == '*') {
      star = ++glob;
      retry = text;
      continue;
    }
    if (glob < end && match_one(&glob, end, *text)) {
      text++;
      continue;
    }
    if (!star)
      return false;
    glob = star;
    text = ++retry;
  }
  while (glob < end && *glob == '*')
    glob++;
  return glob == end;
}

/* Reads the line at *list into `pattern` and moves on; false at the end. Empty lines are stepped over. */
static bool next_pattern(const char **list, struct pattern *pattern)
{
  static const struct {
    const char *prefix;
    enum pattern_kind kind;
  } prefixes[] = {{"function:", MATCH_FUNCTION}, {"file:", MATCH_FILE}, {"module:", MATCH_MODULE}};
  while (**list == '\n')
    (*list)++;
  if (!**list)
    return false;
  pattern->kind = MATCH_ANY;
  pattern->start = *list;
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    size_t length = prof_length(prefixes[i].prefix);
    if (prof_starts_with(*list, prefixes[i].prefix) && (*list)[length] != ':') { /* "file::read" is a C++ name */
      pattern->kind = prefixes[i].kind;
      pattern->start += length;
    }
  }
  while (**list && **list != '\n')
    (*list)++;
  pattern->end = *list;
  return true;
}

/* A path matches as a whole or by what follows its last slash. */
static bool matches_path(const struct pattern *pattern, const char *path)
{
  return prof_glob_matches(pattern->start, pattern->end, path) ||
         prof_glob_matches(pattern->start, pattern->end, prof_base_name(path));
}

static bool matches(const struct pattern *pattern, const struct prof_filter_subject *subject)
{
  bool any = pattern->kind == MATCH_ANY;
  if ((any || pattern->kind == MATCH_FUNCTION) && subject->function &&
      prof_glob_matches(pattern->start, pattern->end, subject->function))
    return true;
  if ((any || pattern->kind == MATCH_FILE) && subject->file && matches_path(pattern, subject->file))
    return true;
  return (any || pattern->kind == MATCH_MODULE) && subject->module && matches_path(pattern, subject->module);
}

static bool any_matches(const char *list, const struct prof_filter_subject *subject)
{
  struct pattern pattern;
  while (next_pattern(&list, &pattern))
    if (matches(&pattern, subject))
      return true;
  return false;
}

bool prof_filter_admits(const char *include, const char *exclude, const struct prof_filter_subject *subject)
{
  if (exclude && any_matches(exclude, subject))
    return false;
  return !include || any_matches(include, subject);
}

bool prof_filter_excludes_module(const char *include, const char *exclude, const char *path)
{
  struct pattern pattern;
  const struct prof_filter_subject subject = {.module = path};
  if (exclude && any_matches(exclude, &subject))
    return true;
  if (!include || any_matches(include, &subject))
    return false;
  while (next_pattern(&include, &pattern))
    if (pattern.kind != MATCH_MODULE)
      return false;
  return true;
}

bool prof_filter_allows(const struct prof_process *process, const struct prof_module *module,
                        const struct fmt_index_function *function)
{
  const struct prof_settings *settings = &process->settings;
  if (!settings->include && !settings->exclude)
    return true;
  if (module && module->excluded)
    return false;
  struct prof_filter_subject subject = {0};
  if (module && module->record->path)
    subject.module = ((const struct fmt_rec_name *)(uintptr_t)module->record->path)->text;
  if (module && function) {
    subject.function = module->index.strings + function->name;
    subject.file = module->index.strings + function->file;
  }
  return prof_filter_admits(settings->include, settings->exclude, &subject);
}
