/* Reads pstats's sort keys, with the prefixes that pstats allows. */
#define _GNU_SOURCE
#include "output/stats/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"
#include "output/text/message.h"
#include "output/text/word_list.h"

/* pstats's keys, in its order, which decides about prefixes. */
static const struct key {
  char word[12];
  uint8_t fields[3];
  uint8_t field_count;
  char title[24];
} keys[] = {
    {"calls", {OUT_SORT_CALLS}, 1, "call count"},
    {"ncalls", {OUT_SORT_CALLS}, 1, "call count"},
    {"cumtime", {OUT_SORT_CUMULATIVE}, 1, "cumulative time"},
    {"cumulative", {OUT_SORT_CUMULATIVE}, 1, "cumulative time"},
    {"filename", {OUT_SORT_FILE}, 1, "file name"},
    {"line", {OUT_SORT_LINE}, 1, "line number"},
    {"module", {OUT_SORT_FILE}, 1, "file name"},
    {"name", {OUT_SORT_NAME}, 1, "function name"},
    {"nfl", {OUT_SORT_NAME, OUT_SORT_FILE, OUT_SORT_LINE}, 3, "name/file/line"},
    {"pcalls", {OUT_SORT_PRIMITIVE}, 1, "primitive call count"},
    {"stdname", {OUT_SORT_STANDARD_NAME}, 1, "standard name"},
    {"time", {OUT_SORT_OWN}, 1, "internal time"},
    {"tottime", {OUT_SORT_OWN}, 1, "internal time"},
    /* callsig's own. */
    {"allocs", {OUT_SORT_BLOCKS}, 1, "blocks asked for"},
    {"allocbytes", {OUT_SORT_ASKED}, 1, "bytes asked for"},
    {"unfreed", {OUT_SORT_UNFREED}, 1, "bytes not freed"},
    {"cpu", {OUT_SORT_COMPUTED}, 1, "computing time"},
    {"wait", {OUT_SORT_WAITED}, 1, "waiting time"},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

const char *callsig_stats_sort_key(size_t index, const char **meaning)
{
  if (index >= KEYS)
    return NULL;
  if (meaning)
    *meaning = keys[index].title;
  return keys[index].word;
}

static int fail(const char *what, const char *word, size_t length)
{
  char list[256] = "";
  for (size_t i = 0; i < KEYS; i++) {
    strcat(list, i ? ", " : "");
    strcat(list, keys[i].word);
  }
  return out_stats_fail(-EINVAL, "sort key '%.*s' %s: the keys are %s", (int)length, word, what, list);
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

static int add_key(void *data, const char *word, size_t length)
{
  struct out_sort *sort = data;
  struct prefix prefixes[PREFIXES_MAX];
  const struct prefix *found = NULL;
  for (size_t i = list_prefixes(prefixes); i-- > 0;) {
    if (prefixes[i].length == length && strncmp(prefixes[i].key->word, word, length) == 0)
      found = &prefixes[i];
  }
  if (!found || found->ambiguous)
    return fail(found ? "is ambiguous" : "is unknown", word, length);
  const struct key *key = found->key;
  if (sort->count + key->field_count > OUT_SORT_MAX)
    return fail("is one too many", word, length);
  memcpy(&sort->fields[sort->count], key->fields, key->field_count);
  sort->count += key->field_count;
  if (sort->title[0])
    strcat(sort->title, ", ");
  strcat(sort->title, key->title);
  return 0;
}

static bool has_field(const struct out_sort *sort, enum out_sort_field first, enum out_sort_field last)
{
  for (uint32_t i = 0; i < sort->count; i++)
    if (sort->fields[i] >= first && sort->fields[i] <= last)
      return true;
  return false;
}

int out_sort_parse(const char *list, struct out_sort *sort)
{
  struct out_sort parsed = {.asleep_last = !list};
  int result = out_each_word(list ? list : "cumulative", add_key, &parsed);
  if (result < 0)
    return result;
  /* Of a call all of whose own time was the hooks' there is left what its callee has: it stands before that. */
  if (has_field(&parsed, OUT_SORT_CUMULATIVE, OUT_SORT_CUMULATIVE))
    parsed.fields[parsed.count++] = OUT_SORT_CLOCK;
  *sort = parsed;
  return 0;
}

bool out_sort_is_by_asked(const struct out_sort *sort)
{
  return has_field(sort, OUT_SORT_BLOCKS, OUT_SORT_UNFREED);
}

bool out_sort_is_by_waits(const struct out_sort *sort)
{
  return has_field(sort, OUT_SORT_COMPUTED, OUT_SORT_WAITED);
}
