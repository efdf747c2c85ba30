/*
 * Words separated by commas, as options have them: "tottime,name".
 */
#ifndef CALLSIG_OUTPUT_TEXT_WORD_LIST_H
#define CALLSIG_OUTPUT_TEXT_WORD_LIST_H

#include <stddef.h>

/* Receives one word, which is not NUL-terminated and may be empty. 0, or an error that ends it. */
typedef int out_word_fn(void *data, const char *word, size_t length);

/* Gives the words of a list to `take`, in order. 0 or what `take` returned. */
int out_each_word(const char *list, out_word_fn *take, void *data);

#endif
