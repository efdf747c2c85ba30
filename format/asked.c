/*
 * The functions that memory is asked for by, and given back to.
 */
#include "format/asked.h"

#include <stdbool.h>
#include <stddef.h>

static const struct {
  const char *symbol;
  enum fmt_asking asking;
} family[] = {
    {"malloc", FMT_ASKING_FIRST},
    {"calloc", FMT_ASKING_PRODUCT},
    {"realloc", FMT_ASKING_RESIZE},
    {"reallocarray", FMT_ASKING_RESIZE_PRODUCT},
    {"free", FMT_ASKING_FREE},
    {"cfree", FMT_ASKING_FREE},
    {"free_sized", FMT_ASKING_FREE},
    {"free_aligned_sized", FMT_ASKING_FREE},
    {"aligned_alloc", FMT_ASKING_SECOND},
    {"memalign", FMT_ASKING_SECOND},
    {"posix_memalign", FMT_ASKING_THIRD},
    {"valloc", FMT_ASKING_FIRST},
    {"pvalloc", FMT_ASKING_FIRST},
    {"strdup", FMT_ASKING_TEXT},
    {"__strdup", FMT_ASKING_TEXT},
    {"strndup", FMT_ASKING_TEXT},
    {"__strndup", FMT_ASKING_TEXT},
};

/* Does `text` begin with `begin`? What follows. */
static const char *after(const char *text, const char *begin)
{
  while (*begin && *text == *begin) {
    text++;
    begin++;
  }
  return *begin ? NULL : text;
}

static bool is_same(const char *a, const char *b)
{
  const char *rest = after(a, b);
  return rest && !*rest;
}

enum fmt_asking fmt_asking_of(const char *symbol)
{
  for (size_t i = 0; i < sizeof family / sizeof *family; i++)
    if (is_same(symbol, family[i].symbol))
      return family[i].asking;
  /* C++'s operator new and new[], with the size first (Itanium C++ ABI: unsigned long is m, unsigned int j), and
   * operator delete and delete[], whatever else they are given. */
  if (after(symbol, "_Znw") || after(symbol, "_Zna"))
    return symbol[4] == 'm' || symbol[4] == 'j' ? FMT_ASKING_FIRST : FMT_ASKING_NOTHING;
  if (after(symbol, "_ZdlPv") || after(symbol, "_ZdaPv"))
    return FMT_ASKING_FREE;
  return FMT_ASKING_NOTHING;
}
