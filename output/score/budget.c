/* Says which functions are never left out of a profile, and chooses among the others those that keep a budget. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "output/score/score.h"
#include "output/text/message.h"

const char *out_score_reason_name(enum out_score_reason reason)
{
  static const char *const names[OUT_SCORE_REASONS] = {
      [OUT_SCORE_NONE] = "",         [OUT_SCORE_TIME] = "time",
      [OUT_SCORE_ASKED] = "asked",   [OUT_SCORE_NAMESAKE] = "namesake",
      [OUT_SCORE_ACTION] = "action", [OUT_SCORE_NAMELESS] = "no name",
  };
  return names[reason];
}

static bool matches(const char *glob, const char *text)
{
  return fnmatch(glob, text, 0) == 0;
}

/* A path matches as a whole or by what follows its last slash. */
static bool matches_path(const char *glob, const char *path)
{
  const char *slash = strrchr(path, '/');
  return matches(glob, path) || (slash && matches(glob, slash + 1));
}

/* As the filters of `callsig run` do: a glob alone is held against names and files. */
static bool is_asked(const struct out_profile *profile, const struct out_known_function *function, const char *glob)
{
  static const char by_name[] = "function:", by_file[] = "file:";
  const char *name = out_profile_string(profile, function->name), *file = out_profile_string(profile, function->file);
  if (strncmp(glob, by_name, sizeof by_name - 1) == 0 && glob[sizeof by_name - 1] != ':')
    return matches(glob + sizeof by_name - 1, name);
  if (strncmp(glob, by_file, sizeof by_file - 1) == 0 && glob[sizeof by_file - 1] != ':')
    return matches_path(glob + sizeof by_file - 1, file);
  return matches(glob, name) || matches_path(glob, file);
}

/* What is kept whatever it costs, by itself. */
static enum out_score_reason reason_of(const struct out_score *score, const struct out_score_function *function,
                                       const struct out_known_function *known)
{
  if (known->is_action)
    return OUT_SCORE_ACTION;
  if (known->address)
    return OUT_SCORE_NAMELESS;
  if (out_score_is_known(score) && function->cost->sure > score->wanted.matters * score->costs.own)
    return OUT_SCORE_TIME;
  return OUT_SCORE_NONE;
}

struct named {
  uint32_t name, number; /* of score.functions */
};

/* Functions of one name, which filters take together. */
struct namesakes {
  struct named *order; /* by name, in the order of the list within it. Owned */
  uint32_t count;
};

static int by_name(const void *left, const void *right)
{
  const struct named *a = left, *b = right;
  if (a->name != b->name)
    return a->name < b->name ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static int find_namesakes(struct out_score *score, struct namesakes *all)
{
  all->count = score->functions.count;
  all->order = malloc((all->count + 1u) * sizeof *all->order);
  if (!all->order)
    return -ENOMEM;
  for (uint32_t i = 0; i < all->count; i++)
    all->order[i] = (struct named){.name = out_score_at(score, i)->name, .number = i};
  qsort(all->order, all->count, sizeof *all->order, by_name);
  return 0;
}

static struct out_score_function *at(const struct out_score *score, const struct namesakes *all, uint32_t place)
{
  return out_score_at(score, all->order[place].number);
}

/* Where the functions end that have the name of the one at `first`. */
static uint32_t end_of(const struct namesakes *all, uint32_t first)
{
  uint32_t name = all->order[first].name, end = first;
  while (end < all->count && all->order[end].name == name)
    end++;
  return end;
}

static void keep_namesakes(struct out_score *score, const struct namesakes *all)
{
  for (uint32_t first = 0, end; first < all->count; first = end) {
    bool any = false;
    end = end_of(all, first);
    for (uint32_t i = first; i < end; i++)
      any |= at(score, all, i)->reason != OUT_SCORE_NONE;
    for (uint32_t i = first; i < end && any; i++) {
      struct out_score_function *function = at(score, all, i);
      if (function->reason == OUT_SCORE_NONE)
        function->reason = OUT_SCORE_NAMESAKE;
    }
  }
}

/* Marks what one of the caller's globs matches. False when that is nothing. */
static bool keep_matches(struct out_score *score, const char *glob)
{
  const struct callsig_stats *stats = score->stats;
  bool any = false;
  for (uint32_t i = 0; i < score->functions.count; i++) {
    struct out_score_function *function = out_score_at(score, i);
    uint32_t number = out_rows_at(&stats->rows, function->row)->key.what;
    if (!is_asked(&stats->profile, out_profile_function(&stats->profile, number), glob))
      continue;
    any = true;
    if (function->reason == OUT_SCORE_NONE)
      function->reason = OUT_SCORE_ASKED;
  }
  return any;
}

static int keep_asked(struct out_score *score, bool *told)
{
  char *globs = score->wanted.keep ? strdup(score->wanted.keep) : NULL, *rest = globs;
  if (score->wanted.keep && !globs)
    return -ENOMEM;
  int result = 0;
  for (char *glob; result == 0 && (glob = strsep(&rest, "\n")) != NULL;) {
    *told = *glob && !keep_matches(score, glob);
    if (*told)
      result = out_stats_fail(-EINVAL, "--keep '%s' matches no function that was called, nor its file", glob);
  }
  free(globs);
  return result;
}

int out_score_find_kept(struct out_score *score, bool *told)
{
  const struct callsig_stats *stats = score->stats;
  struct namesakes all;
  for (uint32_t i = 0; i < score->functions.count; i++) {
    struct out_score_function *function = out_score_at(score, i);
    uint32_t number = out_rows_at(&stats->rows, function->row)->key.what;
    function->reason = reason_of(score, function, out_profile_function(&stats->profile, number));
  }
  int result = keep_asked(score, told);
  if (result == 0)
    result = find_namesakes(score, &all);
  if (result < 0)
    return result;
  keep_namesakes(score, &all);
  free(all.order);
  return 0;
}

/* Functions of one name that may be left out. */
struct candidate {
  uint32_t first, end; /* of namesakes.order */
  double saving;
};

static int by_saving(const void *left, const void *right)
{
  const struct candidate *a = left, *b = right;
  if (a->saving != b->saving)
    return a->saving > b->saving ? -1 : 1;
  return a->first < b->first ? -1 : a->first > b->first;
}

static int find_candidates(struct out_score *score, const struct namesakes *all, struct base_vector *candidates)
{
  for (uint32_t first = 0, end; first < all->count; first = end) {
    struct candidate candidate = {.first = first, .end = end_of(all, first)};
    end = candidate.end;
    for (uint32_t i = first; i < end; i++)
      candidate.saving += at(score, all, i)->cost->hooks;
    if (at(score, all, first)->reason != OUT_SCORE_NONE || candidate.saving <= 0)
      continue;
    struct candidate *added = base_vector_add(candidates, 1);
    if (!added)
      return -ENOMEM;
    *added = candidate;
    score->most += candidate.saving;
  }
  if (candidates->count > 1)
    qsort(candidates->data, candidates->count, sizeof(struct candidate), by_saving);
  return 0;
}

/* Savings add up, so the fewest names that save enough are those that save most each. */
static void choose(struct out_score *score, const struct namesakes *all, const struct base_vector *candidates)
{
  const struct out_score_costs *costs = &score->costs;
  for (uint32_t i = 0; i < candidates->count; i++) {
    const struct candidate *candidate = base_vector_at(candidates, i);
    if (out_score_slowdown(costs->hooks - score->saved, costs->own) <= score->wanted.factor)
      return;
    score->saved += candidate->saving;
    for (uint32_t k = candidate->first; k < candidate->end; k++) {
      at(score, all, k)->left_out = true;
      score->left_out++;
    }
  }
}

int out_score_keep_budget(struct out_score *score)
{
  struct namesakes all;
  struct base_vector candidates = BASE_VECTOR_OF(struct candidate);
  int result = find_namesakes(score, &all);
  if (result < 0)
    return result;
  result = find_candidates(score, &all, &candidates);
  score->possible =
      result == 0 && out_score_slowdown(score->costs.hooks - score->most, score->costs.own) <= score->wanted.factor;
  if (score->possible)
    choose(score, &all, &candidates);
  base_vector_free(&candidates);
  free(all.order);
  return result;
}
