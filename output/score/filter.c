/* Writes the functions that are left out as a filter: for `callsig run`, for gcc, for clang. */
#include "output/score/filter.h"

#include <errno.h>
#include <stdlib.h>

#include "output/text/message.h"

/* A name that is one line and goes by its own bytes. */
static void see_text(const char *text, struct out_text *seen)
{
  for (const char *c = text; *c; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7F)
      return;
  }
  out_text_puts(seen, text);
}

static void see_run(const struct fmt_index *index, const struct fmt_index_function *entry, struct out_text *seen)
{
  if (!(entry->flags & FMT_FUNCTION_NO_NAME))
    see_text(index->strings + entry->name, seen);
}

/* What of a name comes after the functions that its class is local to. */
static const char *after_functions(const char *name)
{
  static const char word[] = "operator", call[] = "()::";
  const char *after = name, *c = name;
  int depth = 0; /* of template arguments, in which local classes may be, too */
  while (*c) {
    if (strncmp(c, word, sizeof word - 1) == 0) {
      c += sizeof word - 1;
      c += strspn(c, "<>=-");
      continue;
    }
    depth += (*c == '<') - (*c == '>');
    if (depth <= 0 && strncmp(c, call, sizeof call - 1) == 0)
      after = c + sizeof call - 1;
    c++;
  }
  return after;
}

/* gcc's own spelling differs in scopes without a name, and of functions around local classes, whose parameters it has;
 * of a lambda it is not in the index. */
static void see_gcc(const struct fmt_index *index, const struct fmt_index_function *entry, struct out_text *seen)
{
  static const char scope[] = "(anonymous namespace)", gcc_scope[] = "{anonymous}";
  const char *name = index->strings + entry->name;
  struct out_text plain = {0};
  if (entry->flags & FMT_FUNCTION_NO_NAME || strstr(name, "(anonymous)"))
    return;
  name = after_functions(name);
  for (const char *found; (found = strstr(name, scope)) != NULL; name = found + sizeof scope - 1) {
    out_text_add(&plain, name, (size_t)(found - name));
    out_text_puts(&plain, gcc_scope);
  }
  out_text_puts(&plain, name);
  seen->failed |= plain.failed;
  see_text(out_text_string(&plain), seen);
  out_text_free(&plain);
}

static void see_clang(const struct fmt_index *index, const struct fmt_index_function *entry, struct out_text *seen)
{
  const char *symbol = index->strings + entry->linkage_name;
  if (entry->flags & FMT_FUNCTION_NO_NAME)
    return;
  if (!*symbol && !(entry->flags & FMT_FUNCTION_CXX))
    symbol = index->strings + entry->name;
  see_text(symbol, seen);
}

/* The name with a backslash before each of `special`. */
static void put_escaped(const char *seen, const char *special, struct out_text *text)
{
  for (const char *c = seen; *c; c++) {
    if (strchr(special, *c))
      out_text_putc(text, '\\');
    out_text_putc(text, *c);
  }
}

static void put_run(const char *seen, struct out_text *text)
{
  out_text_puts(text, "function:");
  put_escaped(seen, "*?[\\", text);
}

/* In a list a comma has a backslash before it; in a file of options, so have blanks, quotes and backslashes. */
static void put_gcc(const char *seen, struct out_text *text)
{
  for (const char *c = seen; *c; c++) {
    if (*c == ',')
      out_text_puts(text, "\\\\");
    else if (strchr(" '\"\\", *c))
      out_text_putc(text, '\\');
    out_text_putc(text, *c);
  }
}

/* What is special in the regular expression that clang makes of it. */
static void put_clang(const char *seen, struct out_text *text)
{
  out_text_puts(text, "fun:");
  put_escaped(seen, ".$*?[](){}+^|\\", text);
}

static const struct out_score_filter filters[] = {
    {"run", see_run, false, "# callsig run --exclude-file, by callsig score\n", "\n", "\n", put_run},
    {"gcc", see_gcc, true, "-finstrument-functions-exclude-function-list=", ",", "\n", put_gcc},
    {"clang", see_clang, false, "# clang -fxray-attr-list, by callsig score\n[never]\n", "\n", "\n", put_clang},
};

const struct out_score_filter *out_score_filter_find(const char *name)
{
  for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
    if (strcmp(filters[i].name, name) == 0)
      return &filters[i];
  }
  return NULL;
}

static bool hits(const struct out_score_filter *filter, const struct out_score_names *names, uint32_t pattern,
                 uint32_t other)
{
  if (!filter->by_part)
    return out_score_name_at(names, pattern)->seen == out_score_name_at(names, other)->seen;
  return strstr(out_score_seen(names, other), out_score_seen(names, pattern)) != NULL;
}

static const struct out_score_function *scored(const struct out_score *score, const struct out_score_names *names,
                                               uint32_t number)
{
  uint32_t function = out_score_name_at(names, number)->function;
  return function == FMT_NONE ? NULL : out_score_at(score, function);
}

static bool is_kept(const struct out_score *score, const struct out_score_names *names, uint32_t number)
{
  const struct out_score_function *function = scored(score, names, number);
  return function && function->reason != OUT_SCORE_NONE;
}

static bool hits_kept(const struct out_score *score, const struct out_score_filter *filter,
                      const struct out_score_names *names, const struct base_vector *kept, uint32_t pattern)
{
  for (uint32_t i = 0; i < kept->count; i++) {
    uint32_t other = *(uint32_t *)base_vector_at(kept, i);
    if (scored(score, names, other) != scored(score, names, pattern) && hits(filter, names, pattern, other))
      return true;
  }
  return false;
}

int out_score_filter_keep(struct out_score *score, const struct out_score_filter *filter,
                          const struct out_score_names *names)
{
  struct base_vector kept = BASE_VECTOR_OF(uint32_t);
  for (uint32_t i = 0; i < names->list.count; i++) {
    uint32_t *added = is_kept(score, names, i) ? base_vector_add(&kept, 1) : NULL;
    if (added)
      *added = i;
    else if (is_kept(score, names, i)) {
      base_vector_free(&kept);
      return -ENOMEM;
    }
  }
  for (uint32_t i = 0; i < names->list.count; i++) {
    uint32_t number = out_score_name_at(names, i)->function;
    if (number == FMT_NONE || out_score_at(score, number)->reason != OUT_SCORE_NONE)
      continue;
    if (out_score_name_at(names, i)->seen == 0)
      out_score_at(score, number)->reason = OUT_SCORE_NAMELESS;
    else if (hits_kept(score, filter, names, &kept, i))
      out_score_at(score, number)->reason = OUT_SCORE_NAMESAKE;
  }
  base_vector_free(&kept);
  return 0;
}

static bool is_left_out(const struct out_score *score, const struct out_score_names *names, uint32_t number)
{
  const struct out_score_function *function = scored(score, names, number);
  return function && function->left_out;
}

/* One line on what else a name in the filter leaves out. */
static int tell_hits(const struct out_score *score, const struct out_score_filter *filter,
                     const struct out_score_names *names, uint32_t pattern)
{
  enum { TOLD = 4 };
  struct out_text text = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < names->list.count; i++) {
    if (is_left_out(score, names, i) || !hits(filter, names, pattern, i))
      continue;
    if (count++ < TOLD)
      out_text_printf(&text, "%s%s", count > 1 ? ", " : "",
                      base_strings_at(names->strings, out_score_name_at(names, i)->place));
  }
  if (count > TOLD)
    out_text_printf(&text, " and %u more", count - TOLD);
  bool failed = text.failed;
  if (count > 0 && !failed)
    out_stats_message("'%s' also leaves out %s", out_score_seen(names, pattern), out_text_string(&text));
  out_text_free(&text);
  return failed ? -ENOMEM : 0;
}

int out_score_filter_write(const struct out_score *score, const struct out_score_filter *filter,
                           const struct out_score_names *names, FILE *out)
{
  struct out_text text = {0};
  uint32_t before = 0;
  int result = 0;
  for (uint32_t i = 0; i < names->list.count && result == 0; i++) {
    uint32_t seen = out_score_name_at(names, i)->seen;
    if (!is_left_out(score, names, i) || seen == before)
      continue;
    out_text_puts(&text, before == 0 ? filter->head : filter->separator);
    filter->put(out_score_seen(names, i), &text);
    before = seen;
    result = tell_hits(score, filter, names, i);
  }
  if (before != 0)
    out_text_puts(&text, filter->tail);
  else
    out_stats_message("--overhead: the budget is kept as it is: nothing is left out");
  if (result == 0)
    result = text.failed ? -ENOMEM : 0;
  if (result == 0 && fwrite(out_text_string(&text), 1, text.length, out) != text.length)
    result = -EIO;
  out_text_free(&text);
  return result;
}
