/*
 * Splits identifiers into words, and counts the edits between two of them.
 */
#include "symbols/base/identifier_words.h"

#include <ctype.h>
#include <string.h>

static bool starts_word(const char *text, size_t at)
{
  if (at == 0 || text[at - 1] == '_')
    return true;
  if (!isupper((unsigned char)text[at]))
    return false;
  if (!isupper((unsigned char)text[at - 1]))
    return true;
  return islower((unsigned char)text[at + 1]) != 0;
}

void sym_identifier_words_split(const char *identifier, struct sym_identifier_words *words)
{
  memset(words, 0, sizeof *words);
  size_t length = 0;
  for (size_t i = 0; identifier[i]; i++) {
    if (identifier[i] == '_')
      continue;
    if (starts_word(identifier, i)) {
      if (words->count == SYM_IDENTIFIER_WORDS_MAX) {
        words->count = 0;
        return;
      }
      words->count++;
      length = 0;
    }
    if (length == SYM_IDENTIFIER_WORD_SIZE - 1) {
      words->count = 0;
      return;
    }
    words->word[words->count - 1][length++] = (char)tolower((unsigned char)identifier[i]);
  }
}

bool sym_identifier_words_equal(const struct sym_identifier_words *a, size_t first, size_t count,
                                const struct sym_identifier_words *b, size_t b_first)
{
  if (b_first > b->count || b->count - b_first != count || count == 0)
    return false;
  for (size_t i = 0; i < count; i++)
    if (strcmp(a->word[first + i], b->word[b_first + i]) != 0)
      return false;
  return true;
}

size_t sym_edit_distance(const char *a, const char *b)
{
  enum { LIMIT = 128 };
  size_t row[LIMIT + 1];
  size_t a_length = strnlen(a, LIMIT), b_length = strnlen(b, LIMIT);
  for (size_t j = 0; j <= b_length; j++)
    row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t above = row[j];
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      if (above + 1 < best)
        best = above + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[b_length];
}
