/* Applies pstats's restrictions to a list of rows. */
#include "output/stats/restrict.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_object.h"
#include "output/text/message.h"
#include "output/text/regex.h"

/* Python's repr() of a string: in single quotes, unless it holds one and no double quote. */
static void add_repr(struct out_text *text, const char *string)
{
  char quote = strchr(string, '\'') && !strchr(string, '"') ? '"' : '\'';
  out_text_putc(text, quote);
  for (const char *at = string; *at; at++) {
    unsigned char byte = (unsigned char)*at;
    if (byte == (unsigned char)quote || byte == '\\')
      out_text_printf(text, "\\%c", byte);
    else if (byte == '\n' || byte == '\r' || byte == '\t')
      out_text_printf(text, "\\%c", byte == '\n' ? 'n' : byte == '\r' ? 'r' : 't');
    else if (byte < 0x20 || byte == 0x7F)
      out_text_printf(text, "\\x%02x", byte);
    else
      out_text_putc(text, (char)byte);
  }
  out_text_putc(text, quote);
}

/* What pstats says when a restriction took rows away. `shown` is the restriction as Python's repr() writes it. */
static void tell(struct out_text *message, uint32_t before, uint32_t after, const char *shown)
{
  if (before != after)
    out_text_printf(message, "   List reduced from %u to %u due to restriction <%s>\n", before, after, shown);
}

/* All of the text as an integer, as Python's int() reads it (without underscores): the nearest that there is. */
static bool read_integer(const char *text, long long *value)
{
  char *end;
  const char *digits = text + (*text == '+' || *text == '-');
  if (!isdigit((unsigned char)*digits))
    return false;
  *value = strtoll(text, &end, 10);
  return *end == '\0';
}

/* All of the text as a floating-point number in the C locale's form. */
static bool read_fraction(const char *text, double *value)
{
  size_t length = strspn(text, "+-.0123456789eE");
  if (text[length] || !text[strcspn(text, "0123456789")] || (!isdigit((unsigned char)*text) && !strchr("+-.", *text)))
    return false;
  const char *at = text + (*text == '+' || *text == '-');
  long double number = 0, scale = 1;
  for (; isdigit((unsigned char)*at); at++)
    number = number * 10 + (*at - '0');
  if (*at == '.')
    at++;
  for (; isdigit((unsigned char)*at); at++, scale *= 10)
    number = number * 10 + (*at - '0');
  number /= scale;
  if (*at == 'e' || *at == 'E') {
    long long exponent;
    if (!read_integer(at + 1, &exponent))
      return false;
    number *= powl(10, (long double)exponent);
    at = "";
  }
  *value = (double)(*text == '-' ? -number : number);
  return *at == '\0';
}

/* A row is found by its name, and by what a table has behind it. */
static bool is_found(struct out_regex *regex, const struct out_names *names, const struct out_row_key *key,
                     struct out_text *name)
{
  const struct out_known_function *function = out_row_function(names, key);
  if (out_regex_search(regex, out_text_string(name), name->length))
    return true;
  if (!function || !function->is_library)
    return false;
  out_text_puts(name, OUT_LIBRARY_MARK);
  return out_regex_search(regex, out_text_string(name), name->length);
}

static int restrict_by_name(const struct out_names *names, const struct out_rows *rows, const char *pattern,
                            struct out_list *list, struct out_text *message)
{
  struct out_regex *regex;
  char error[256];
  int result = out_regex_compile(pattern, &regex, error, sizeof error);
  if (result == -EINVAL) {
    out_text_puts(message, "   <Invalid regular expression ");
    add_repr(message, pattern);
    out_text_puts(message, ">\n");
  }
  if (result < 0)
    return result == -EINVAL ? 0 : result;
  struct out_arguments scratch = {0};
  struct out_text name = {0};
  uint32_t kept = 0, before = list->count;
  for (uint32_t i = 0; i < list->count; i++) {
    out_text_clear(&name);
    const struct out_row_key *key = &out_rows_at(rows, list->rows[i])->key;
    out_row_name(names, key, &scratch, &name);
    if (is_found(regex, names, key, &name))
      list->rows[kept++] = list->rows[i];
  }
  list->count = kept;
  if (out_regex_failed(regex))
    result = out_stats_fail(-EINVAL, "restriction '%s': the expression takes too long to search with: make it simpler",
                            pattern);
  else if (name.failed)
    result = -ENOMEM;
  out_text_clear(&name);
  add_repr(&name, pattern);
  tell(message, before, kept, out_text_string(&name));
  out_text_free(&name);
  out_arguments_free(&scratch);
  out_regex_free(regex);
  return result;
}

static int restrict_once(const struct out_names *names, const struct out_rows *rows, const char *restriction,
                         struct out_list *list, struct out_text *message)
{
  long long integer;
  double fraction;
  uint32_t before = list->count;
  struct out_text shown = {0};
  if (read_integer(restriction, &integer)) {
    if (integer >= 0 && integer < before)
      list->count = (uint32_t)integer;
    out_text_printf(&shown, "%lld", integer);
  } else if (read_fraction(restriction, &fraction)) {
    if (!(fraction >= 0 && fraction <= 1))
      return out_stats_fail(-EINVAL, "restriction %s: a fraction must lie in [0, 1]", restriction);
    if (fraction < 1)
      list->count = (uint32_t)((double)before * fraction + .5);
    out_text_double(&shown, fraction, false);
  } else {
    return restrict_by_name(names, rows, restriction, list, message);
  }
  tell(message, before, list->count, out_text_string(&shown));
  int result = shown.failed ? -ENOMEM : 0;
  out_text_free(&shown);
  return result;
}

int out_restrict(const struct out_names *names, const struct out_rows *rows, const char *const *restrictions,
                 size_t count, struct out_list *list, struct out_text *message)
{
  int result = 0;
  for (size_t i = 0; i < count && result == 0; i++)
    result = restrict_once(names, rows, restrictions[i], list, message);
  return result == 0 && message->failed ? -ENOMEM : result;
}

bool out_restriction_finds(struct callsig_stats *stats, const char *restriction)
{
  if (out_stats_prepare(stats) < 0)
    return true;
  const struct out_names names = out_stats_names(stats);
  struct out_list list = {.rows = malloc((stats->listed + 1u) * sizeof *list.rows), .count = stats->listed};
  if (!list.rows)
    return true;
  memcpy(list.rows, stats->order, stats->listed * sizeof *list.rows);
  struct out_text message = {0};
  const int result = restrict_by_name(&names, &stats->rows, restriction, &list, &message);
  out_text_free(&message);
  free(list.rows);
  return result < 0 || list.count > 0 || stats->listed == 0;
}
