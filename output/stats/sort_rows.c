/*
 * Rows in order, field by field: the rows that are equal by one field are sorted by the next.
 *
 * Numbers are sorted by radix. Text is not made for all rows at once: functions are ranked by what all their rows'
 * texts begin with, and only where rows share that are their texts made, compared, and given up again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hugepage_array.h"
#include "callsig/stats.h"
#include "output/stats/sort.h"

struct item {
  uint64_t key;
  uint32_t row;
};

/* By function: where it stands among all by one of its texts. Functions that stand together have the same number. */
enum ranking { RANK_IDENTITY, RANK_FILE, RANK_NAME, RANK_STANDARD, RANKINGS };

struct sorting {
  const struct out_sort *sort;
  const struct out_rows *rows;
  const struct out_row_sleep *sleep; /* by row, or NULL */
  const struct out_names *names;
  uint32_t *order;
  uint32_t *ranks;             /* by ranking, and in each by function number */
  bool is_ranked[RANKINGS];    /* which of them are made */
  uint32_t *stripped;          /* the same as RANK_IDENTITY, of what is shown */
  struct item *items, *spares; /* as many as rows; a range of rows uses its own range of these */
  struct out_arguments scratch[2];
};

/* ---- Ranks of functions ---- */

struct ranked {
  uint32_t function;
  const char *text; /* what the rows' texts begin with */
};

struct by_text {
  const struct out_profile *profile;
  enum ranking ranking;
};

static int compare_identity(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  const struct out_known_function *a = out_profile_function(profile, left), *b = out_profile_function(profile, right);
  int order = strcmp(out_profile_string(profile, a->file), out_profile_string(profile, b->file));
  if (order == 0)
    order = a->line < b->line ? -1 : a->line > b->line;
  return order ? order : strcmp(out_profile_string(profile, a->name), out_profile_string(profile, b->name));
}

static int compare_ranked(const void *left, const void *right, void *data)
{
  const struct ranked *a = left, *b = right;
  const struct by_text *by = data;
  return by->ranking == RANK_IDENTITY ? compare_identity(by->profile, a->function, b->function)
                                      : strcmp(a->text, b->text);
}

/* What the texts of all rows of a function begin with, before their signature. Braces enclose all of an action's. */
static char *text_of(const struct out_profile *profile, enum ranking ranking, uint32_t number, struct base_arena *arena)
{
  const struct out_known_function *function = out_profile_function(profile, number);
  const char *file = out_profile_string(profile, function->file), *name = out_profile_string(profile, function->name);
  if (ranking == RANK_FILE)
    return base_arena_copy(arena, file, strlen(file));
  if (function->is_action)
    return base_arena_copy(arena, "{", 1);
  if (ranking == RANK_NAME)
    return base_arena_copy(arena, name, strlen(name));
  return base_arena_printf(arena, "%s:%u(%s", file, function->line, name);
}

/* Do rows of both functions sort as their beginnings do? What follows a beginning is nothing, or begins with a
 * parenthesis: so not where one is the beginning of the other and goes on with what sorts up to there. */
static bool stand_together(enum ranking ranking, const char *first, const char *next)
{
  size_t length = strlen(first);
  if (ranking == RANK_FILE)
    return strcmp(first, next) == 0;
  return strncmp(first, next, length) == 0 && next[length] <= ')';
}

static void number_ranks(const struct by_text *by, const struct ranked *list, uint32_t count, uint32_t *ranks)
{
  uint32_t first = 0, rank = 1;
  for (uint32_t i = 0; i < count; i++) {
    bool together = by->ranking == RANK_IDENTITY
                        ? compare_identity(by->profile, list[first].function, list[i].function) == 0
                        : stand_together(by->ranking, list[first].text, list[i].text);
    if (!together) {
      first = i;
      rank++;
    }
    ranks[list[i].function] = rank;
  }
}

/* What became equal when names were stripped of their folders stands where the first of it stands by its own file, as
 * in pstats: by function, or by signature where rows are by those. NULL when memory is short. */
static uint32_t *rank_stripped(const struct out_names *names, const uint32_t *ranks)
{
  const struct out_profile *profile = names->profile;
  uint32_t count = names->row_of ? profile->signatures.count : profile->functions.count;
  uint32_t *stripped = malloc((count + 1u) * sizeof *stripped);
  if (!stripped)
    return NULL;
  memset(stripped, 0xFF, (count + 1u) * sizeof *stripped);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t function = i;
    if (names->row_of)
      function = out_profile_layout(profile, out_profile_signature(profile, i)->layout)->function;
    uint32_t *first = &stripped[names->row_of ? names->row_of[i] : names->shown_function[i]];
    /* A function without a layout is a name that stripping made. */
    if (*(uint32_t *)base_vector_at(&profile->first_layout, function) != FMT_NONE && ranks[function] < *first)
      *first = ranks[function];
  }
  return stripped;
}

static uint32_t *ranks_by(const struct sorting *sorting, enum ranking ranking)
{
  return sorting->ranks + (size_t)ranking * sorting->names->profile->functions.count;
}

static int rank(struct sorting *sorting, enum ranking ranking)
{
  const struct out_profile *profile = sorting->names->profile;
  uint32_t count = profile->functions.count;
  struct base_arena arena = {0};
  struct by_text by = {.profile = profile, .ranking = ranking};
  struct ranked *list = calloc(count + 1u, sizeof *list);
  uint32_t *ranks = ranks_by(sorting, ranking);
  bool failed = !list;
  for (uint32_t i = 0; i < count && !failed; i++) {
    list[i].function = i;
    if (ranking != RANK_IDENTITY)
      list[i].text = text_of(profile, ranking, i, &arena);
    failed = ranking != RANK_IDENTITY && !list[i].text;
  }
  if (!failed) {
    qsort_r(list, count, sizeof *list, compare_ranked, &by);
    number_ranks(&by, list, count, ranks);
    sorting->is_ranked[ranking] = true;
    if (ranking == RANK_IDENTITY)
      failed = !(sorting->stripped = rank_stripped(sorting->names, ranks));
  }
  free(list);
  base_arena_free(&arena);
  return failed ? -ENOMEM : 0;
}

static uint64_t rank_of(const struct sorting *sorting, enum ranking ranking, const struct out_row *row)
{
  if (ranking == RANK_IDENTITY && row->function != FMT_NONE)
    return sorting->stripped[sorting->names->row_of ? row->key.what : row->function];
  return row->function == FMT_NONE ? 0 : ranks_by(sorting, ranking)[row->function];
}

/* ---- Items by their keys ---- */

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, DIGIT_VALUES = 1 << DIGIT_BITS, RADIX_MIN = 512 };

static int compare_items(const void *left, const void *right)
{
  const struct item *a = left, *b = right;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* From the least significant digit to the most significant one; a digit that all keys share costs nothing. */
static void sort_by_radix(struct item *items, struct item *spare, uint32_t count)
{
  uint32_t counts[DIGITS][DIGIT_VALUES] = {{0}};
  struct item *from = items, *to = spare;
  for (uint32_t i = 0; i < count; i++) {
    for (unsigned digit = 0; digit < DIGITS; digit++)
      counts[digit][items[i].key >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1)]++;
  }
  for (unsigned digit = 0; digit < DIGITS; digit++) {
    uint32_t *starts = counts[digit], start = 0;
    if (starts[items[0].key >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1)] == count)
      continue;
    for (unsigned i = 0; i < DIGIT_VALUES; i++) {
      uint32_t next = start + starts[i];
      starts[i] = start;
      start = next;
    }
    for (uint32_t i = 0; i < count; i++)
      to[starts[from[i].key >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1)]++] = from[i];
    struct item *swap = from;
    from = to;
    to = swap;
  }
  if (from != items)
    memcpy(items, from, count * sizeof *items);
}

static void sort_items(struct item *items, struct item *spare, uint32_t count)
{
  if (count >= RADIX_MIN)
    sort_by_radix(items, spare, count);
  else
    qsort(items, count, sizeof *items, compare_items);
}

/* ---- Rows by their fields ---- */

static enum ranking ranking_of(uint8_t field)
{
  return field == OUT_SORT_FILE ? RANK_FILE : field == OUT_SORT_NAME ? RANK_NAME : RANK_STANDARD;
}

static uint64_t unfreed(const struct out_rows *rows, uint32_t number)
{
  const struct out_row_asked asked = out_row_asked(rows, number);
  return out_asked_kept_bytes(&asked.sum);
}

/* What threads waited of the row's own time, or the rest of it, in ticks; 0 where it is not known. */
static uint64_t own_part(const struct sorting *sorting, uint32_t number, bool is_waited)
{
  const uint64_t own = out_rows_at(sorting->rows, number)->own;
  const struct out_row_sleep *sleep = sorting->sleep ? &sorting->sleep[number] : NULL;
  if (!sleep)
    return is_waited ? 0 : own;
  if (isnan(sleep->own) || out_sleep_is_open(sleep->own_error, own))
    return 0;
  const uint64_t waited = (uint64_t)fmin(fmax(sleep->own, 0), (double)own);
  return is_waited ? waited : own - waited;
}

static uint64_t clock_read(const struct out_rows *rows, uint32_t number)
{
  const struct out_subtraction *taken =
      number < rows->subtractions.count ? base_vector_at(&rows->subtractions, number) : NULL;
  return out_rows_at(rows, number)->cumulative + (taken ? (uint64_t)taken->cumulative : 0);
}

/* Ascending by this is the field's order. */
static uint64_t key_of(const struct sorting *sorting, uint8_t field, uint32_t number)
{
  const struct out_row *row = out_rows_at(sorting->rows, number);
  switch (field) {
  case OUT_SORT_PRIMITIVE:
    return ~row->primitive;
  case OUT_SORT_CALLS:
    return ~row->calls;
  case OUT_SORT_OWN:
    return ~row->own;
  case OUT_SORT_CUMULATIVE:
    return ~row->cumulative;
  case OUT_SORT_CLOCK:
    return ~clock_read(sorting->rows, number);
  case OUT_SORT_BLOCKS:
    return ~out_row_asked(sorting->rows, number).sum.calls;
  case OUT_SORT_ASKED:
    return ~out_row_asked(sorting->rows, number).sum.bytes;
  case OUT_SORT_UNFREED:
    return ~unfreed(sorting->rows, number);
  case OUT_SORT_COMPUTED:
  case OUT_SORT_WAITED:
    return ~own_part(sorting, number, field == OUT_SORT_WAITED);
  case OUT_SORT_LINE:
    return row->function == FMT_NONE ? 0 : out_profile_function(sorting->names->profile, row->function)->line;
  default:
    return rank_of(sorting, ranking_of(field), row);
  }
}

static int compare_identities(const void *left, const void *right, void *data)
{
  struct sorting *sorting = data;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = out_row_compare(sorting->names, &out_rows_at(sorting->rows, a)->key, &out_rows_at(sorting->rows, b)->key,
                              sorting->scratch);
  return order ? order : a < b ? -1 : a > b;
}

static int sort_range(struct sorting *sorting, uint32_t first, uint32_t count, uint32_t level);

struct named {
  const char *text;
  uint32_t row;
};

static int compare_named(const void *left, const void *right)
{
  const struct named *a = left, *b = right;
  int order = strcmp(a->text, b->text);
  return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static int make_texts(struct sorting *sorting, const uint32_t *order, uint32_t count, bool standard,
                      struct named *named, struct base_arena *arena)
{
  struct out_text text = {0};
  bool failed = false;
  for (uint32_t i = 0; i < count && !failed; i++) {
    const struct out_row_key *key = &out_rows_at(sorting->rows, order[i])->key;
    out_text_clear(&text);
    (standard ? out_row_name : out_row_function_text)(sorting->names, key, &sorting->scratch[0], &text);
    named[i] = (struct named){.text = base_arena_copy(arena, out_text_string(&text), text.length), .row = order[i]};
    failed = text.failed || !named[i].text;
  }
  out_text_free(&text);
  return failed ? -ENOMEM : 0;
}

/* Rows whose texts begin alike, by their whole texts. */
static int sort_texts(struct sorting *sorting, uint32_t first, uint32_t count, uint32_t level)
{
  uint32_t *order = sorting->order + first;
  struct base_arena arena = {0};
  struct named *named = calloc(count, sizeof *named);
  bool standard = sorting->sort->fields[level] == OUT_SORT_STANDARD_NAME;
  int result = named ? make_texts(sorting, order, count, standard, named, &arena) : -ENOMEM;
  if (result == 0)
    qsort(named, count, sizeof *named, compare_named);
  for (uint32_t i = 0; i < count && result == 0; i++)
    order[i] = named[i].row;
  for (uint32_t i = 0, end; i < count && result == 0; i = end) {
    for (end = i + 1; end < count && strcmp(named[i].text, named[end].text) == 0; end++) {
    }
    result = sort_range(sorting, first + i, end - i, level + 1);
  }
  free(named);
  base_arena_free(&arena);
  return result;
}

/* The rows that are equal by the field of `level`: by their texts where that is all that was ranked, else by the next
 * field. `level` beyond the fields is the order of out_row_compare(), by function first. */
static int sort_equal(struct sorting *sorting, uint32_t first, uint32_t count, uint32_t level)
{
  if (count == 1)
    return 0;
  if (level == sorting->sort->count) {
    qsort_r(sorting->order + first, count, sizeof *sorting->order, compare_identities, sorting);
    return 0;
  }
  uint8_t field = sorting->sort->fields[level];
  if (field == OUT_SORT_NAME || field == OUT_SORT_STANDARD_NAME)
    return sort_texts(sorting, first, count, level);
  return sort_range(sorting, first, count, level + 1);
}

static int sort_range(struct sorting *sorting, uint32_t first, uint32_t count, uint32_t level)
{
  uint32_t *order = sorting->order + first;
  struct item *items = sorting->items + first;
  if (count < 2)
    return 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t key = level < sorting->sort->count ? key_of(sorting, sorting->sort->fields[level], order[i])
                                                : rank_of(sorting, RANK_IDENTITY, out_rows_at(sorting->rows, order[i]));
    items[i] = (struct item){.key = key, .row = order[i]};
  }
  sort_items(items, sorting->spares + first, count);
  for (uint32_t i = 0; i < count; i++)
    order[i] = items[i].row;
  int result = 0;
  for (uint32_t i = 0, end; i < count && result == 0; i = end) {
    for (end = i + 1; end < count && items[i].key == items[end].key; end++) {
    }
    result = sort_equal(sorting, first + i, end - i, level);
  }
  return result;
}

static int prepare(struct sorting *sorting, uint32_t count)
{
  sorting->items = base_hugepage_array_new(count, sizeof *sorting->items);
  sorting->spares = base_hugepage_array_new(count, sizeof *sorting->spares);
  sorting->ranks = calloc((size_t)RANKINGS * sorting->names->profile->functions.count + 1u, sizeof *sorting->ranks);
  int result = sorting->items && sorting->spares && sorting->ranks ? rank(sorting, RANK_IDENTITY) : -ENOMEM;
  for (uint32_t i = 0; i < sorting->sort->count && result == 0; i++) {
    uint8_t field = sorting->sort->fields[i];
    bool text = field == OUT_SORT_FILE || field == OUT_SORT_NAME || field == OUT_SORT_STANDARD_NAME;
    if (text && !sorting->is_ranked[ranking_of(field)])
      result = rank(sorting, ranking_of(field));
  }
  return result;
}

static void turn_around(uint32_t *order, uint32_t count)
{
  for (uint32_t i = 0; i < count / 2; i++) {
    uint32_t row = order[i];
    order[i] = order[count - 1 - i];
    order[count - 1 - i] = row;
  }
}

int out_sort_rows(const struct out_sort *sort, const struct out_rows *rows, const struct out_row_sleep *sleep,
                  const struct out_names *names, uint32_t *order, uint32_t count)
{
  struct sorting sorting = {.sort = sort, .rows = rows, .sleep = sleep, .names = names, .order = order};
  int result = prepare(&sorting, count);
  if (result == 0)
    result = sort_range(&sorting, 0, count, 0);
  if (result == 0 && sort->reversed)
    turn_around(order, count);
  free(sorting.ranks);
  free(sorting.stripped);
  base_hugepage_array_free(sorting.items, count * sizeof *sorting.items);
  base_hugepage_array_free(sorting.spares, count * sizeof *sorting.spares);
  out_arguments_free(&sorting.scratch[0]);
  out_arguments_free(&sorting.scratch[1]);
  return result;
}
