/*
 * The words of an identifier: "dstCapacity", "dst_capacity" and "DST_CAPACITY" are all "dst" "capacity".
 */
#ifndef CALLSIG_SYMBOLS_BASE_IDENTIFIER_WORDS_H
#define CALLSIG_SYMBOLS_BASE_IDENTIFIER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { SYM_IDENTIFIER_WORDS_MAX = 8, SYM_IDENTIFIER_WORD_SIZE = 32 };

/* Lower-case words. An identifier with more or longer words than fit has count 0: it matches nothing. */
struct sym_identifier_words {
  char word[SYM_IDENTIFIER_WORDS_MAX][SYM_IDENTIFIER_WORD_SIZE];
  size_t count;
};

/* Splits at underscores and where a lower-case letter or digit is followed by a capital, or capitals by a capitalised
 * word. */
void sym_identifier_words_split(const char *identifier, struct sym_identifier_words *words);

/* Whether words [first, first + count) of `a` are those of `b` from `b_first` to its end. */
bool sym_identifier_words_equal(const struct sym_identifier_words *a, size_t first, size_t count,
                                const struct sym_identifier_words *b, size_t b_first);

/* How many single-byte edits separate two texts: to find the name that was meant. */
size_t sym_edit_distance(const char *a, const char *b);

#endif
