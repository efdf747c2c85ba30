/*
 * The words of an identifier: "dstCapacity", "dst_capacity" and "DST_CAPACITY" are all "dst" "capacity".
 */
#ifndef CALLSIG_SYMBOLS_WORDS_H
#define CALLSIG_SYMBOLS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum { CS_WORDS_MAX = 8, CS_WORD_SIZE = 32 };

/* Lower-case words. An identifier with more or longer words than fit has count 0: it matches nothing. */
struct cs_words {
  char word[CS_WORDS_MAX][CS_WORD_SIZE];
  size_t count;
};

/* Splits at underscores and where a lower-case letter or digit is followed by a capital, or capitals by a capitalised
 * word. */
void cs_words_split(const char *identifier, struct cs_words *words);

/* Whether words [first, first + count) of `a` are those of `b` from `b_first` to its end. */
bool cs_words_equal(const struct cs_words *a, size_t first, size_t count, const struct cs_words *b, size_t b_first);

/* How many single-byte edits separate two texts: to find the name that was meant. */
size_t cs_edit_distance(const char *a, const char *b);

#endif
