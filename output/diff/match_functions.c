/* Finds the functions of two builds that are the same function, from the nearest places to the farthest. */
#define _GNU_SOURCE
#include "output/diff/match_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, size_t length)
{
  return length > 0 && strspn(text, "0123456789") >= length;
}

/* Is the last part of a name, after its dot, what a compiler appends to a clone's? */
static bool is_suffix(const char *part, size_t length)
{
  static const char *const suffixes[] = {"constprop", "isra",  "part",        "cold", "llvm",
                                         "lto_priv",  "clone", "specialized", "str",  "localalias"};
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    if (strlen(suffixes[i]) == length && memcmp(suffixes[i], part, length) == 0)
      return true;
  }
  return false;
}

size_t out_plain_name(const char *name)
{
  size_t length = strlen(name);
  for (;;) {
    const char *dot = memrchr(name, '.', length);
    if (!dot || dot == name)
      return length;
    size_t end = (size_t)(dot - name);
    if (is_number(dot + 1, length - end - 1)) {
      /* A number belongs to the word before it. */
      dot = memrchr(name, '.', end);
      if (!dot || dot == name)
        return length;
      length = end;
      end = (size_t)(dot - name);
    }
    if (!is_suffix(dot + 1, length - end - 1))
      return name[length] == '\0' ? length : length + 1 + strcspn(name + length + 1, ".");
    length = end;
  }
}

/* A function of one side, or of both, while partners are looked for. */
struct candidate {
  uint32_t function; /* what it is shown as now */
  uint8_t sides;
  const char *name, *file, *base;
  size_t length; /* of the plain name */
  uint32_t line;
};

struct match {
  const struct out_profile *profile;
  struct candidate *list;
  uint32_t count;
  uint32_t *partner; /* by function: what it is shown as from now on */
};

static int compare_names(const struct candidate *left, const struct candidate *right)
{
  size_t shorter = left->length < right->length ? left->length : right->length;
  int order = memcmp(left->name, right->name, shorter);
  if (order == 0)
    order = left->length < right->length ? -1 : left->length > right->length;
  return order;
}

/* Which functions of a name may meet: of the same file and line (clones), file, file name, or any. */
enum nearness { NEAR_LINE, NEAR_FILE, NEAR_BASE, NEAR_NAME, NEAR_COUNT };

static int compare_places(const struct candidate *left, const struct candidate *right, enum nearness nearness)
{
  int order = 0;
  if (nearness == NEAR_BASE)
    order = strcmp(left->base, right->base);
  else if (nearness <= NEAR_FILE)
    order = strcmp(left->file, right->file);
  if (order == 0 && nearness == NEAR_LINE)
    order = left->line < right->line ? -1 : left->line > right->line;
  return order;
}

/* Sorted by what may meet, then by where they are. */
static int compare(const void *a, const void *b, void *data)
{
  const struct candidate *left = a, *right = b;
  int order = compare_names(left, right);
  if (order == 0)
    order = compare_places(left, right, *(const enum nearness *)data);
  if (order == 0)
    order = compare_places(left, right, NEAR_LINE);
  if (order == 0)
    order = strcmp(left->name, right->name);
  return order;
}

/* All of the functions from `first` to `end` are one: clones of one another. The plain one gives the name. */
static void join(struct match *match, uint32_t first, uint32_t end)
{
  struct candidate *plain = &match->list[first];
  for (uint32_t i = first; i < end; i++) {
    if (!match->list[i].name[match->list[i].length]) {
      plain = &match->list[i];
      break;
    }
  }
  for (uint32_t i = first; i < end; i++) {
    match->partner[match->list[i].function] = plain->function;
    plain->sides |= match->list[i].sides;
    if (&match->list[i] != plain)
      match->list[i].sides = 0;
  }
}

/* The functions from `first` to `end` may meet. Those of the old side are shown as those of the new one. */
static void pair(struct match *match, uint32_t first, uint32_t end, enum nearness nearness)
{
  uint32_t counts[4] = {0};
  for (uint32_t i = first; i < end; i++)
    counts[match->list[i].sides & 3]++;
  if (counts[OUT_MATCH_OLD] == 0 || counts[OUT_MATCH_OLD] != counts[OUT_MATCH_NEW] ||
      (nearness == NEAR_NAME && counts[OUT_MATCH_OLD] > 1))
    return;
  uint32_t next = first;
  for (uint32_t i = first; i < end; i++) {
    if (match->list[i].sides != OUT_MATCH_OLD)
      continue;
    while (match->list[next].sides != OUT_MATCH_NEW)
      next++;
    match->partner[match->list[i].function] = match->list[next].function;
    match->list[next].sides = OUT_MATCH_OLD | OUT_MATCH_NEW;
    match->list[i].sides = 0;
    next++;
  }
}

static void meet(struct match *match, enum nearness nearness)
{
  qsort_r(match->list, match->count, sizeof *match->list, compare, &nearness);
  for (uint32_t first = 0, end; first < match->count; first = end) {
    const struct candidate *head = &match->list[first];
    for (end = first + 1; end < match->count; end++) {
      if (compare_names(head, &match->list[end]) != 0 || compare_places(head, &match->list[end], nearness) != 0)
        break;
    }
    if (nearness == NEAR_LINE)
      join(match, first, end);
    else
      pair(match, first, end, nearness);
  }
  /* What has found its partner is out of the question. */
  uint32_t left = 0;
  for (uint32_t i = 0; i < match->count; i++) {
    if (match->list[i].sides != 0)
      match->list[left++] = match->list[i];
  }
  match->count = left;
}

static void add_candidates(struct match *match, const uint8_t *sides, const uint32_t *shown)
{
  const struct out_profile *profile = match->profile;
  uint32_t count = profile->functions.count;
  for (uint32_t i = 0; i < count; i++)
    match->partner[i] = i;
  for (uint32_t i = 0; i < count; i++) {
    const struct out_known_function *function = out_profile_function(profile, shown[i]);
    /* An address says nothing of another build's. */
    if (sides[i] == 0 || strncmp(out_profile_string(profile, function->name), "0x", 2) == 0)
      continue;
    const char *file = out_profile_string(profile, function->file), *slash = strrchr(file, '/');
    const char *name = out_profile_string(profile, function->name);
    match->list[match->count++] =
        (struct candidate){.function = shown[i],
                           .sides = sides[i],
                           .name = name,
                           .file = file,
                           .base = slash ? slash + 1 : file,
                           .length = function->is_action ? strlen(name) : out_plain_name(name),
                           .line = function->line};
  }
}

int out_match_functions(const struct out_profile *profile, const uint8_t *sides, uint32_t *shown)
{
  uint32_t count = profile->functions.count;
  struct match match = {.profile = profile,
                        .list = malloc((count + 1u) * sizeof *match.list),
                        .partner = malloc((count + 1u) * sizeof *match.partner)};
  int result = match.list && match.partner ? 0 : -ENOMEM;
  if (result == 0) {
    add_candidates(&match, sides, shown);
    for (enum nearness nearness = NEAR_LINE; nearness < NEAR_COUNT; nearness++)
      meet(&match, nearness);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t at = shown[i];
      /* A clone's function may have a partner in its turn. */
      for (uint32_t steps = 0; steps < NEAR_COUNT && match.partner[at] != at; steps++)
        at = match.partner[at];
      shown[i] = at;
    }
  }
  free(match.list);
  free(match.partner);
  return result;
}
