/*
 * Judges by an integer parameter's name whether it is a length, and of what.
 */
#include "symbols/plan/lengthname.h"

#include <string.h>

struct unit_word {
  const char *word;
  enum sym_length_unit unit;
};

/* Whole names that are lengths. */
static const struct unit_word plain_words[] = {
    {"n", SYM_UNIT_COUNT},       {"len", SYM_UNIT_LENGTH},  {"length", SYM_UNIT_LENGTH}, {"size", SYM_UNIT_SIZE},
    {"sz", SYM_UNIT_SIZE},       {"count", SYM_UNIT_COUNT}, {"cnt", SYM_UNIT_COUNT},     {"num", SYM_UNIT_COUNT},
    {"nmemb", SYM_UNIT_COUNT},   {"nel", SYM_UNIT_COUNT},   {"nelem", SYM_UNIT_COUNT},   {"nelems", SYM_UNIT_COUNT},
    {"nitems", SYM_UNIT_COUNT},  {"nbyte", SYM_UNIT_BYTES}, {"nbytes", SYM_UNIT_BYTES},  {"bytes", SYM_UNIT_BYTES},
    {"capacity", SYM_UNIT_SIZE},
};

/* Last words after a stem, and what may be run into a pointer's name from behind. */
static const struct unit_word suffix_words[] = {
    {"len", SYM_UNIT_LENGTH},    {"length", SYM_UNIT_LENGTH}, {"size", SYM_UNIT_SIZE},   {"sz", SYM_UNIT_SIZE},
    {"count", SYM_UNIT_COUNT},   {"cnt", SYM_UNIT_COUNT},     {"num", SYM_UNIT_COUNT},   {"n", SYM_UNIT_COUNT},
    {"capacity", SYM_UNIT_SIZE}, {"cap", SYM_UNIT_SIZE},      {"bytes", SYM_UNIT_BYTES},
};

/* First words before a stem, and what may be run into a pointer's name from the front. */
static const struct unit_word prefix_words[] = {
    {"n", SYM_UNIT_COUNT},    {"num", SYM_UNIT_COUNT}, {"nb", SYM_UNIT_COUNT}, {"count", SYM_UNIT_COUNT},
    {"len", SYM_UNIT_LENGTH}, {"size", SYM_UNIT_SIZE}, {"sz", SYM_UNIT_SIZE},
};

static const char *const element_words[] = {
    "elem", "elems", "element", "elements", "item",   "items",   "entry", "entries", "memb",  "member", "members",
    "char", "chars", "word",    "words",    "sample", "samples", "value", "values",  "point", "points", NULL,
};

static const char *const byte_words[] = {"byte", "bytes", NULL};

static const char *const one_words[] = {
    "max",    "min",   "limit",  "page", "block", "chunk",  "window", "word",   "elem", "element",
    "item",   "entry", "record", "line", "frame", "type",   "unit",   "cell",   "key",  "value",
    "header", "hdr",   "stack",  "step", "cache", "stride", "pixel",  "sector", NULL,
};

/* What a pointer's name may have after the stem: "src_buf" is measured by "src_len". */
static const char *const array_words[] = {
    "buf", "buffer", "ptr", "data", "array", "arr", "str", "start", "base", NULL,
};

/* Stems of sizes that do not name what they measure. */
static const char *const vague_words[] = {
    "buf",   "buffer", "data", "array", "mem",   "block", "in", "out",
    "input", "output", "new",  "old",   "total", "alloc", NULL,
};

static bool is_one_of(const char *word, const char *const *list)
{
  for (; *list; list++)
    if (strcmp(word, *list) == 0)
      return true;
  return false;
}

static bool find_unit(const char *word, const struct unit_word *list, size_t count, enum sym_length_unit *unit)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, list[i].word) == 0) {
      *unit = list[i].unit;
      return true;
    }
  }
  return false;
}

#define FIND_UNIT(word, list, unit) find_unit(word, list, sizeof(list) / sizeof *(list), unit)

static void judge_prefix(struct sym_length_name *length)
{
  length->form = SYM_LENGTH_PREFIX;
  length->stem_first = 1;
  length->stem_count = length->words.count - 1;
  const char *after = length->name + strlen(length->words.word[0]);
  length->underscore = *after == '_';
  if (length->stem_count != 1)
    return;
  if (is_one_of(length->words.word[1], byte_words)) {
    length->unit = SYM_UNIT_BYTES;
    length->counts_units = true;
  } else {
    length->counts_units = is_one_of(length->words.word[1], element_words);
  }
}

void sym_length_name(const char *name, struct sym_length_name *length)
{
  memset(length, 0, sizeof *length);
  length->name = name;
  struct sym_identifier_words *words = &length->words;
  sym_identifier_words_split(name, words);
  if (words->count == 0)
    return;
  if (words->count == 1) {
    if (FIND_UNIT(words->word[0], plain_words, &length->unit))
      length->form = SYM_LENGTH_PLAIN;
  } else if (FIND_UNIT(words->word[words->count - 1], suffix_words, &length->unit)) {
    length->form = SYM_LENGTH_SUFFIX;
    length->stem_count = words->count - 1;
    length->size_of_one = is_one_of(words->word[0], one_words);
  } else if (FIND_UNIT(words->word[0], prefix_words, &length->unit)) {
    judge_prefix(length);
  }
}

/* Whether two words are the same but for a plural's s, as "row" and "rows" are. */
static bool same_but_plural(const char *a, const char *b)
{
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length == b_length)
    return strcmp(a, b) == 0;
  const char *longer = a_length > b_length ? a : b, *shorter = a_length > b_length ? b : a;
  size_t shorter_length = strlen(shorter);
  return strlen(longer) == shorter_length + 1 && longer[shorter_length] == 's' &&
         strncmp(longer, shorter, shorter_length) == 0;
}

/* Compares the words of the stem with those of the pointer from number `skip` on: 3 when they are equal, 2 when they
 * differ by a plural's s, else 0. */
static int compare_stem(const struct sym_length_name *length, const struct sym_identifier_words *pointer, size_t skip)
{
  const struct sym_identifier_words *words = &length->words;
  if (sym_identifier_words_equal(words, length->stem_first, length->stem_count, pointer, skip))
    return 3;
  if (pointer->count - skip != length->stem_count)
    return 0;
  for (size_t i = 0; i + 1 < length->stem_count; i++)
    if (strcmp(words->word[length->stem_first + i], pointer->word[skip + i]) != 0)
      return 0;
  size_t last = length->stem_count - 1;
  return same_but_plural(words->word[length->stem_first + last], pointer->word[skip + last]) ? 2 : 0;
}

static int match_stem(const struct sym_length_name *length, const struct sym_identifier_words *pointer)
{
  int direct = compare_stem(length, pointer, 0);
  if (direct)
    return direct;
  /* "zBuf", "pData" and "azArg" carry their type in front. */
  if (pointer->count >= 2 && strlen(pointer->word[0]) <= 2 && compare_stem(length, pointer, 1))
    return 2;
  if (pointer->count == length->stem_count + 1 && is_one_of(pointer->word[pointer->count - 1], array_words)) {
    struct sym_identifier_words front = *pointer;
    front.count--;
    return compare_stem(length, &front, 0) ? 1 : 0;
  }
  return 0;
}

/* Single words: "buflen" for "buf", "nrows" for "rows", "argc" for "argv". */
static int match_run_together(const struct sym_length_name *length, const char *pointer, enum sym_length_unit *unit)
{
  const char *name = length->words.word[0];
  size_t pointer_length = strlen(pointer);
  if (strcmp(name, "argc") == 0 && strcmp(pointer, "argv") == 0) {
    *unit = SYM_UNIT_COUNT;
    return 2;
  }
  /* One letter and "n" make words of their own, such as "on" and "in"; "no" is a number. */
  if (strcmp(name, "no") == 0)
    return 0;
  bool too_short = pointer_length == 1 && strcmp(name + 1, "n") == 0;
  if (strncmp(name, pointer, pointer_length) == 0 && !too_short && FIND_UNIT(name + pointer_length, suffix_words, unit))
    return 2;
  for (size_t i = 0; i < sizeof prefix_words / sizeof *prefix_words; i++) {
    size_t prefix = strlen(prefix_words[i].word);
    if (strncmp(name, prefix_words[i].word, prefix) == 0 && name[prefix] && same_but_plural(name + prefix, pointer)) {
      *unit = prefix_words[i].unit;
      return 2;
    }
  }
  return 0;
}

int sym_length_names(const struct sym_length_name *length, const char *pointer, enum sym_length_unit *unit)
{
  struct sym_identifier_words words;
  sym_identifier_words_split(pointer, &words);
  *unit = length->unit;
  if (words.count == 0 || length->words.count == 0 || length->form == SYM_LENGTH_PLAIN)
    return 0;
  if (length->form == SYM_LENGTH_NOT)
    return length->words.count == 1 && words.count == 1 ? match_run_together(length, words.word[0], unit) : 0;
  return match_stem(length, &words);
}

/* Whether the letters of `shorter` come in this order in `longer`, which begins with the first of them. */
static bool shortens(const char *shorter, const char *longer)
{
  if (*shorter != *longer)
    return false;
  for (; *shorter && *longer; longer++)
    shorter += *shorter == *longer;
  return *shorter == '\0';
}

static void run_words_together(const struct sym_identifier_words *words, size_t first, size_t count,
                               char text[SYM_IDENTIFIER_WORDS_MAX * SYM_IDENTIFIER_WORD_SIZE])
{
  *text = '\0';
  for (size_t i = first; i < first + count; i++)
    strcat(text, words->word[i]);
}

bool sym_length_may_measure(const struct sym_length_name *length, const char *pointer)
{
  char stem[SYM_IDENTIFIER_WORDS_MAX * SYM_IDENTIFIER_WORD_SIZE],
      name[SYM_IDENTIFIER_WORDS_MAX * SYM_IDENTIFIER_WORD_SIZE];
  struct sym_identifier_words words;
  sym_identifier_words_split(pointer, &words);
  if (length->form != SYM_LENGTH_SUFFIX || length->unit != SYM_UNIT_SIZE || words.count == 0 ||
      is_one_of(length->words.word[length->stem_first], vague_words))
    return true;
  run_words_together(&length->words, length->stem_first, length->stem_count, stem);
  run_words_together(&words, 0, words.count, name);
  return shortens(stem, name) || shortens(name, stem);
}
