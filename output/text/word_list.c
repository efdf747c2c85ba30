/* Takes a list of words apart at its commas. */
#include "output/text/word_list.h"

#include <string.h>

int out_each_word(const char *list, out_word_fn *take, void *data)
{
  for (const char *word = list;; word++) {
    size_t length = strcspn(word, ",");
    int result = take(data, word, length);
    word += length;
    if (result < 0 || !*word)
      return result;
  }
}
