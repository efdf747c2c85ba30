#define _GNU_SOURCE
#include "sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* pstats's keys, in its order, which decides about prefixes. */
static const struct key {
  char word[12];
  uint8_t fields[3];
  uint8_t field_count;
  char title[24];
} keys[] = {
    {"calls", {CS_SORT_CALLS}, 1, "call count"},
    {"ncalls", {CS_SORT_CALLS}, 1, "call count"},
    {"cumtime", {CS_SORT_CUMULATIVE}, 1, "cumulative time"},
    {"cumulative", {CS_SORT_CUMULATIVE}, 1, "cumulative time"},
    {"filename", {CS_SORT_FILE}, 1, "file name"},
    {"line", {CS_SORT_LINE}, 1, "line number"},
    {"module", {CS_SORT_FILE}, 1, "file name"},
    {"name", {CS_SORT_NAME}, 1, "function name"},
    {"nfl", {CS_SORT_NAME, CS_SORT_FILE, CS_SORT_LINE}, 3, "name/file/line"},
    {"pcalls", {CS_SORT_PRIMITIVE}, 1, "primitive call count"},
    {"stdname", {CS_SORT_STANDARD_NAME}, 1, "standard name"},
    {"time", {CS_SORT_OWN}, 1, "internal time"},
    {"tottime", {CS_SORT_OWN}, 1, "internal time"},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static int fail(const char *what, const char *word, size_t length)
{
  char list[256] = "";
  for (size_t i = 0; i < KEYS; i++) {
    strcat(list, i ? ", " : "");
    strcat(list, keys[i].word);
  }
  return cs_stats_fail(-EINVAL, "sort key '%.*s' %s: the keys are %s", (int)length, word, what, list);
}

/* A beginning of a key, and whether it stands for that key. */
struct prefix {
  const struct key *key;
  size_t length;
  bool ambiguous;
};

enum { PREFIXES_MAX = KEYS * sizeof keys[0].word };

/* pstats's table of prefixes, made as it makes it: each key in turn takes its beginnings from the longest down, until
 * one that an earlier key took; that one is ambiguous and ends it. (So "cu" is cumtime, but "cum", shared with
 * cumulative, is not.) */
static size_t list_prefixes(struct prefix *prefixes)
{
  size_t count = 0;
  for (size_t i = 0; i < KEYS; i++) {
    struct prefix *taken = NULL;
    for (size_t length = strlen(keys[i].word); length > 0 && !taken; length--) {
      for (size_t j = 0; j < count && !taken; j++) {
        if (prefixes[j].length == length && strncmp(prefixes[j].key->word, keys[i].word, length) == 0)
          taken = &prefixes[j];
      }
      if (taken)
        taken->ambiguous = true;
      else
        prefixes[count++] = (struct prefix){.key = &keys[i], .length = length};
    }
  }
  return count;
}

static int add_key(struct cs_sort *sort, const char *word, size_t length)
{
  struct prefix prefixes[PREFIXES_MAX];
  const struct prefix *found = NULL;
  for (size_t i = list_prefixes(prefixes); i-- > 0;) {
    if (prefixes[i].length == length && strncmp(prefixes[i].key->word, word, length) == 0)
      found = &prefixes[i];
  }
  if (!found || found->ambiguous)
    return fail(found ? "is ambiguous" : "is unknown", word, length);
  const struct key *key = found->key;
  if (sort->count + key->field_count > CS_SORT_MAX)
    return fail("is one too many", word, length);
  memcpy(&sort->fields[sort->count], key->fields, key->field_count);
  sort->count += key->field_count;
  if (sort->title[0])
    strcat(sort->title, ", ");
  strcat(sort->title, key->title);
  return 0;
}

int cs_sort_parse(const char *list, struct cs_sort *sort)
{
  struct cs_sort parsed = {.count = 0};
  for (const char *word = list;; word++) {
    size_t length = strcspn(word, ",");
    int result = add_key(&parsed, word, length);
    if (result < 0)
      return result;
    word += length;
    if (!*word)
      break;
  }
  *sort = parsed;
  return 0;
}

/* A row on its way through the sort, with the text that its keys need. */
struct sorting {
  const struct cs_sort *sort;
  const struct cs_rows *rows;
  const struct cs_names *names;
  char **texts;      /* by row: the text of CS_SORT_NAME or CS_SORT_STANDARD_NAME; NULL when no key needs any */
  char **names_only; /* by row: the text of CS_SORT_NAME when both are needed */
  struct cs_arguments scratch[2];
};

static int compare_values(uint64_t left, uint64_t right)
{
  return left < right ? -1 : left > right;
}

static int compare_files(const struct sorting *sorting, const struct cs_row_key *left, const struct cs_row_key *right)
{
  const struct cs_known_function *a = cs_row_function(sorting->names, left),
                                 *b = cs_row_function(sorting->names, right);
  if (!a || !b || a->file == b->file)
    return 0;
  return strcmp(cs_profile_string(sorting->names->profile, a->file),
                cs_profile_string(sorting->names->profile, b->file));
}

static int compare_lines(const struct sorting *sorting, const struct cs_row_key *left, const struct cs_row_key *right)
{
  const struct cs_known_function *a = cs_row_function(sorting->names, left),
                                 *b = cs_row_function(sorting->names, right);
  return a && b ? compare_values(a->line, b->line) : 0;
}

static int compare_field(const struct sorting *sorting, uint8_t field, uint32_t left, uint32_t right)
{
  const struct cs_row *a = cs_rows_at(sorting->rows, left), *b = cs_rows_at(sorting->rows, right);
  switch (field) {
  case CS_SORT_PRIMITIVE:
    return compare_values(b->primitive, a->primitive);
  case CS_SORT_CALLS:
    return compare_values(b->calls, a->calls);
  case CS_SORT_OWN:
    return compare_values(b->own, a->own);
  case CS_SORT_CUMULATIVE:
    return compare_values(b->cumulative, a->cumulative);
  case CS_SORT_FILE:
    return compare_files(sorting, &a->key, &b->key);
  case CS_SORT_LINE:
    return compare_lines(sorting, &a->key, &b->key);
  case CS_SORT_NAME:
    return strcmp(sorting->names_only[left], sorting->names_only[right]);
  default:
    return strcmp(sorting->texts[left], sorting->texts[right]);
  }
}

static int compare_rows(const void *left, const void *right, void *data)
{
  struct sorting *sorting = data;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = 0;
  for (uint32_t i = 0; i < sorting->sort->count && order == 0; i++)
    order = compare_field(sorting, sorting->sort->fields[i], a, b);
  if (order == 0)
    order = cs_row_compare(sorting->names, &cs_rows_at(sorting->rows, a)->key, &cs_rows_at(sorting->rows, b)->key,
                           sorting->scratch);
  if (order == 0)
    order = a < b ? -1 : a > b;
  return sorting->sort->reversed ? -order : order;
}

static bool needs(const struct cs_sort *sort, uint8_t field)
{
  return memchr(sort->fields, field, sort->count) != NULL;
}

/* The text of every row, made once, as sorting by it compares each many times. */
static int make_texts(struct sorting *sorting, struct cs_arena *arena, const uint32_t *order, uint32_t count,
                      bool standard, char ***texts)
{
  struct cs_text text = {0};
  *texts = calloc(sorting->rows->list.count + 1u, sizeof **texts);
  bool failed = !*texts;
  for (uint32_t i = 0; i < count && !failed; i++) {
    const struct cs_row_key *key = &cs_rows_at(sorting->rows, order[i])->key;
    cs_text_clear(&text);
    if (standard)
      cs_row_name(sorting->names, key, &sorting->scratch[0], &text);
    else
      cs_row_function_text(sorting->names, key, &sorting->scratch[0], &text);
    (*texts)[order[i]] = cs_arena_copy(arena, cs_text_string(&text), text.length);
    failed = text.failed || !(*texts)[order[i]];
  }
  cs_text_free(&text);
  return failed ? -ENOMEM : 0;
}

int cs_sort_rows(const struct cs_sort *sort, const struct cs_rows *rows, const struct cs_names *names, uint32_t *order,
                 uint32_t count)
{
  struct sorting sorting = {.sort = sort, .rows = rows, .names = names};
  struct cs_arena arena = {0};
  int result = 0;
  if (needs(sort, CS_SORT_STANDARD_NAME))
    result = make_texts(&sorting, &arena, order, count, true, &sorting.texts);
  if (result == 0 && needs(sort, CS_SORT_NAME))
    result = make_texts(&sorting, &arena, order, count, false, &sorting.names_only);
  if (result == 0)
    qsort_r(order, count, sizeof *order, compare_rows, &sorting);
  free(sorting.texts);
  free(sorting.names_only);
  cs_arena_free(&arena);
  cs_arguments_free(&sorting.scratch[0]);
  cs_arguments_free(&sorting.scratch[1]);
  return result;
}
