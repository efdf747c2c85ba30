/* Splits the text of a condition into words, numbers and signs. */
#include "output/stats/expression_lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"
#include "output/text/text.h"

int out_expression_fail(const struct out_expression *expression, uint32_t column, const char *format, ...)
{
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return out_stats_fail(-EINVAL, "--signature '%s', column %u: %s", expression->text, column, what);
}

static bool is_name_start(char byte)
{
  return isalpha((unsigned char)byte) || byte == '_' || byte == '$' || byte == '~' || (unsigned char)byte >= 0x80;
}

static bool is_name_byte(char byte)
{
  return byte != '~' && (is_name_start(byte) || isdigit((unsigned char)byte));
}

static int lex_index(struct out_expression *expression, const char *at, size_t *size, struct out_token *token)
{
  size_t i = *size + 1;
  uint64_t index = 0;
  for (; isdigit((unsigned char)at[i]) && index <= FMT_SPAN_MAX * 10; i++)
    index = index * 10 + (uint64_t)(at[i] - '0');
  uint32_t column = token->column + (uint32_t)*size;
  if (at[i] != ']' || i == *size + 1)
    return out_expression_fail(expression, column, "expected a number and ']' after '['");
  if (index >= FMT_SPAN_MAX)
    return out_expression_fail(expression, column, "at most %u elements are recorded, the last is [%u]", FMT_SPAN_MAX,
                               FMT_SPAN_MAX - 1);
  token->index = (uint32_t)index;
  *size = i + 1;
  return 0;
}

/* name, name.name, name->name, name::name, and one [index] at the end. "->" is kept as ".". */
static int lex_path(struct out_expression *expression, const char *at, struct out_token *token)
{
  size_t size = 0, length = 0;
  char *text = base_arena_alloc(&expression->arena, strlen(at) + 1);
  if (!text)
    return -ENOMEM;
  for (;;) {
    while (at[size] == '~' || is_name_byte(at[size]))
      text[length++] = at[size++];
    if (at[size] == ':' && at[size + 1] == ':' && is_name_start(at[size + 2])) {
      text[length++] = ':';
      text[length++] = ':';
      size += 2;
    } else if (at[size] == '.' && is_name_start(at[size + 1])) {
      text[length++] = '.';
      size++;
    } else if (at[size] == '-' && at[size + 1] == '>' && is_name_start(at[size + 2])) {
      text[length++] = '.';
      size += 2;
    } else {
      break;
    }
  }
  token->kind = OUT_TOKEN_PATH;
  token->text = text;
  token->length = length;
  token->index = FMT_NONE;
  int result = at[size] == '[' ? lex_index(expression, at, &size, token) : 0;
  token->size = size;
  return result;
}

static int digit_of(char byte)
{
  if (isdigit((unsigned char)byte))
    return byte - '0';
  return isxdigit((unsigned char)byte) ? tolower((unsigned char)byte) - 'a' + 10 : 99;
}

/* 4K is 4096: sizes are what these are compared with. u and l are C's. */
static size_t lex_suffix(const char *at, __int128 *value)
{
  static const char units[] = "KMGT";
  const char *unit = *at ? strchr(units, *at) : NULL;
  size_t size = 0;
  if (unit) {
    *value <<= 10 * (unit - units + 1);
    size = 1;
  } else {
    size = strspn(at, "uUlL");
  }
  return size;
}

/* An e, perhaps a sign, and digits. */
static bool has_exponent(const char *at)
{
  if (*at != 'e' && *at != 'E')
    return false;
  return isdigit((unsigned char)at[1]) || ((at[1] == '+' || at[1] == '-') && isdigit((unsigned char)at[2]));
}

static int lex_float(const char *at, struct out_token *token)
{
  /* strtod() reads the locale's separator: the digits are put together by hand and scaled. */
  size_t i = 0;
  long double value = 0, scale = 1;
  for (; isdigit((unsigned char)at[i]); i++)
    value = value * 10 + (at[i] - '0');
  if (at[i] == '.')
    i++;
  for (; isdigit((unsigned char)at[i]); i++, scale *= 10)
    value = value * 10 + (at[i] - '0');
  int exponent = 0, negative = 0;
  if (has_exponent(at + i)) {
    negative = at[i + 1] == '-';
    i += at[i + 1] == '-' || at[i + 1] == '+' ? 2 : 1;
    for (; isdigit((unsigned char)at[i]) && exponent < 1000; i++)
      exponent = exponent * 10 + (at[i] - '0');
  }
  value /= scale;
  for (; exponent > 0; exponent--)
    value = negative ? value / 10 : value * 10;
  token->kind = OUT_TOKEN_FLOAT;
  token->number = (double)value;
  token->size = i;
  return 0;
}

static int lex_number(struct out_expression *expression, const char *at, struct out_token *token)
{
  int base = at[0] == '0' && (at[1] == 'x' || at[1] == 'X')   ? 16
             : at[0] == '0' && (at[1] == 'b' || at[1] == 'B') ? 2
                                                              : 10;
  size_t i = base == 10 ? 0 : 2, first = i;
  __int128 value = 0;
  for (; digit_of(at[i]) < base; i++) {
    value = value * base + digit_of(at[i]);
    if (value > UINT64_MAX)
      return out_expression_fail(expression, token->column, "the number does not fit 64 bits");
  }
  if (base == 10 && (at[i] == '.' || has_exponent(at + i)))
    return lex_float(at, token);
  if (i == first)
    return out_expression_fail(expression, token->column, "expected digits after '%.2s'", at);
  i += lex_suffix(at + i, &value);
  if (is_name_byte(at[i]))
    return out_expression_fail(expression, token->column + (uint32_t)i,
                               "'%c' is no suffix of a number: K, M, G or T (powers of 1024)", at[i]);
  token->kind = OUT_TOKEN_INTEGER;
  token->integer = value;
  token->size = i;
  return 0;
}

/* One byte of a literal after `at`, escapes as in C. Returns how many bytes it took, 0 for a bad escape. */
static size_t lex_byte(const char *at, char *byte)
{
  static const char letters[] = "abtnvfr";
  if (*at != '\\') {
    *byte = *at;
    return 1;
  }
  const char *letter = at[1] ? strchr(letters, at[1]) : NULL;
  if (letter) {
    *byte = (char)(7 + (letter - letters));
    return 2;
  }
  if (at[1] == 'x' && digit_of(at[2]) < 16) {
    int value = digit_of(at[2]);
    if (digit_of(at[3]) < 16)
      value = value * 16 + digit_of(at[3]);
    *byte = (char)value;
    return digit_of(at[3]) < 16 ? 4 : 3;
  }
  if (at[1] == '0') {
    *byte = '\0';
    return 2;
  }
  *byte = at[1];
  return at[1] == '\\' || at[1] == '\'' || at[1] == '"' ? 2 : 0;
}

static int lex_quoted(struct out_expression *expression, const char *at, struct out_token *token)
{
  char quote = *at;
  size_t size = 1, length = 0;
  char *text = base_arena_alloc(&expression->arena, strlen(at) + 1);
  if (!text)
    return -ENOMEM;
  while (at[size] && at[size] != quote) {
    size_t taken = lex_byte(at + size, &text[length++]);
    if (taken == 0)
      return out_expression_fail(expression, token->column + (uint32_t)size, "unknown escape '%.2s'", at + size);
    size += taken;
  }
  if (!at[size])
    return out_expression_fail(expression, token->column, "the literal has no closing %c", quote);
  if (quote == '\'' && length != 1)
    return out_expression_fail(expression, token->column, "a character is one byte; text is written in double quotes");
  token->kind = quote == '\'' ? OUT_TOKEN_INTEGER : OUT_TOKEN_STRING;
  token->integer = (signed char)text[0];
  token->text = text;
  token->length = length;
  token->size = size + 1;
  return 0;
}

static int lex_operator(struct out_expression *expression, const char *at, struct out_token *token)
{
  static const struct {
    char text[3];
    enum out_token_kind kind;
    enum out_comparison comparison;
  } operators[] = {
      {"==", OUT_TOKEN_COMPARISON, OUT_EQUAL},
      {"!=", OUT_TOKEN_COMPARISON, OUT_NOT_EQUAL},
      {"<=", OUT_TOKEN_COMPARISON, OUT_LESS_EQUAL},
      {">=", OUT_TOKEN_COMPARISON, OUT_GREATER_EQUAL},
      {"&&", OUT_TOKEN_AND, OUT_EQUAL},
      {"||", OUT_TOKEN_OR, OUT_EQUAL},
      {"<", OUT_TOKEN_COMPARISON, OUT_LESS},
      {">", OUT_TOKEN_COMPARISON, OUT_GREATER},
      {"!", OUT_TOKEN_NOT, OUT_EQUAL},
      {"&", OUT_TOKEN_BIT_AND, OUT_EQUAL},
      {"|", OUT_TOKEN_BIT_OR, OUT_EQUAL},
      {"(", OUT_TOKEN_OPEN, OUT_EQUAL},
      {")", OUT_TOKEN_CLOSE, OUT_EQUAL},
  };
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    size_t size = strlen(operators[i].text);
    if (strncmp(at, operators[i].text, size) == 0) {
      token->kind = operators[i].kind;
      token->comparison = operators[i].comparison;
      token->size = size;
      return 0;
    }
  }
  if (*at == '=')
    return out_expression_fail(expression, token->column, "'=' is written '=='");
  return out_expression_fail(expression, token->column, "unexpected '%c'", *at);
}

int out_expression_lex(struct out_expression *expression, size_t at, struct out_token *token)
{
  const char *text = expression->text;
  at += strspn(text + at, " \t\n");
  *token = (struct out_token){.column = (uint32_t)at + 1, .index = FMT_NONE};
  if (!text[at])
    return 0;
  if (isdigit((unsigned char)text[at]))
    return lex_number(expression, text + at, token);
  if (text[at] == '-' && isdigit((unsigned char)text[at + 1])) {
    int result = lex_number(expression, text + at + 1, token);
    token->integer = -token->integer;
    token->number = -token->number;
    token->size++;
    return result;
  }
  if (text[at] == '"' || text[at] == '\'')
    return lex_quoted(expression, text + at, token);
  if (is_name_start(text[at]))
    return lex_path(expression, text + at, token);
  return lex_operator(expression, text + at, token);
}
