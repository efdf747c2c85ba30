/* Finds the number of instructions below which functions are left out to keep a budget. */
#include "output/score/size.h"

#include <errno.h>
#include <stdlib.h>

#include "format/sled.h"
#include "output/score/report.h"
#include "output/text/message.h"

static void add_sled(struct out_score_function *function, const struct fmt_index_sled *sled)
{
  bool is_known = function->instructions != OUT_SCORE_SIZE_UNKNOWN && sled->instructions > 0;
  if (!is_known)
    function->instructions = OUT_SCORE_SIZE_UNKNOWN;
  else if (sled->instructions > function->instructions)
    function->instructions = sled->instructions;
  function->has_loop |= (sled->flags & FMT_SLED_LOOP) != 0;
}

static void add_module(struct out_score *score, uint32_t module, const uint32_t *scored)
{
  const struct callsig_stats *stats = score->stats;
  const struct fmt_index *index = &out_profile_module(&stats->profile, module)->index;
  for (uint32_t i = 0; i < index->count[FMT_SECTION_SLEDS]; i++) {
    const struct fmt_index_sled *sled = &index->sleds[i];
    if (!fmt_sled_is_entry(sled->kind) || sled->site == FMT_NONE)
      continue;
    uint32_t callable = out_profile_find_callable(&stats->profile, module, index->sites[sled->site].function);
    if (callable == FMT_NONE)
      continue;
    uint32_t function = stats->shown_function[out_profile_callable(&stats->profile, callable)->function];
    if (scored[function] != FMT_NONE)
      add_sled(out_score_at(score, scored[function]), sled);
  }
}

int out_score_find_sizes(struct out_score *score)
{
  const struct out_profile *profile = &score->stats->profile;
  uint32_t *scored = out_score_by_function(score);
  if (!scored)
    return -ENOMEM;
  for (uint32_t i = 0; i < profile->modules.count; i++) {
    if (out_profile_module(profile, i)->index.header)
      add_module(score, i, scored);
  }
  for (uint32_t i = 0; i < score->functions.count; i++) {
    struct out_score_function *function = out_score_at(score, i);
    if (function->instructions == OUT_SCORE_SIZE_UNKNOWN)
      function->instructions = 0;
  }
  free(scored);
  return 0;
}

/* Functions that a limit may leave out, the smallest first. */
struct small {
  uint32_t instructions, number; /* of score.functions */
};

static int by_size(const void *left, const void *right)
{
  const struct small *a = left, *b = right;
  if (a->instructions != b->instructions)
    return a->instructions < b->instructions ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static int list_small(const struct out_score *score, struct base_vector *list)
{
  for (uint32_t i = 0; i < score->functions.count; i++) {
    const struct out_score_function *function = out_score_at(score, i);
    if (function->instructions == 0 || function->has_loop)
      continue;
    struct small *added = base_vector_add(list, 1);
    if (!added)
      return -ENOMEM;
    *added = (struct small){.instructions = function->instructions, .number = i};
  }
  if (list->count > 1)
    qsort(list->data, list->count, sizeof(struct small), by_size);
  return 0;
}

static const struct small *small_at(const struct base_vector *list, uint32_t number)
{
  return base_vector_at(list, number);
}

/* Leaves functions out, the smallest first, all of a size at once, until the budget is kept. Returns the first that is
 * kept and in the way, NULL: none. */
static const struct out_score_function *leave_out(struct out_score *score, const struct base_vector *list,
                                                  uint32_t *minimum)
{
  const struct out_score_costs *costs = &score->costs;
  for (uint32_t first = 0, end; first < list->count; first = end) {
    if (out_score_slowdown(costs->hooks - score->saved, costs->own) <= score->wanted.factor)
      return NULL;
    for (end = first; end < list->count && small_at(list, end)->instructions == small_at(list, first)->instructions;
         end++) {
      const struct out_score_function *function = out_score_at(score, small_at(list, end)->number);
      if (function->reason == OUT_SCORE_TIME || function->reason == OUT_SCORE_ASKED)
        return function;
    }
    for (uint32_t i = first; i < end; i++) {
      struct out_score_function *function = out_score_at(score, small_at(list, i)->number);
      function->left_out = true;
      score->left_out++;
      score->saved += function->cost->hooks;
    }
    *minimum = small_at(list, first)->instructions + 1;
  }
  return NULL;
}

static void put_name(const struct out_score *score, const struct out_score_function *function, struct out_text *text)
{
  const struct out_profile *profile = &score->stats->profile;
  const struct out_known_function *known = out_score_known_function(score, function);
  out_text_printf(text, "%s:%u(%s)", out_profile_string(profile, known->file), known->line,
                  out_profile_string(profile, known->name));
}

static int refuse(const struct out_score *score, const struct out_score_function *kept, uint32_t minimum)
{
  struct out_text text = {0};
  out_text_printf(&text, "--overhead: no --min-instructions keeps the budget: with %u the run is still ", minimum);
  out_score_put_factor(&text, out_score_slowdown(score->costs.hooks - score->saved, score->costs.own));
  out_text_puts(&text, " times as slow, ");
  if (kept) {
    out_text_printf(&text, "and a larger one leaves out ");
    put_name(score, kept, &text);
    out_text_puts(&text, ", which is kept");
  } else {
    out_text_puts(&text, "and no larger function without a loop was called");
  }
  int result = text.failed ? -ENOMEM : out_stats_fail(-ERANGE, "%s", out_text_string(&text));
  out_text_free(&text);
  return result;
}

/* One line on what the limit leaves out. */
static int tell(const struct out_score *score, uint32_t minimum)
{
  enum { TOLD = 4 };
  struct out_text text = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < score->functions.count; i++) {
    if (!out_score_at(score, i)->left_out || count++ >= TOLD)
      continue;
    out_text_puts(&text, count > 1 ? ", " : "");
    put_name(score, out_score_at(score, i), &text);
  }
  if (count > TOLD)
    out_text_printf(&text, " and %u more", count - TOLD);
  int result = text.failed ? -ENOMEM : 0;
  if (result == 0)
    out_stats_message("--min-instructions %u leaves out, of what was called, %s", minimum,
                      count > 0 ? out_text_string(&text) : "nothing");
  out_text_free(&text);
  return result;
}

int out_score_write_size(struct out_score *score, FILE *out)
{
  struct base_vector list = BASE_VECTOR_OF(struct small);
  uint32_t minimum = 0;
  int result = list_small(score, &list);
  if (result == 0 && list.count == 0)
    result = out_stats_fail(-ENODATA, "--filter sled: the instructions of no function without a loop are known: gcc's "
                                      "plug-in writes them, beside the sleds of a program");
  if (result == 0) {
    const struct out_score_function *kept = leave_out(score, &list, &minimum);
    const struct out_score_costs *costs = &score->costs;
    if (out_score_slowdown(costs->hooks - score->saved, costs->own) > score->wanted.factor)
      result = refuse(score, kept, minimum);
  }
  if (result == 0)
    result = tell(score, minimum);
  if (result == 0 && fprintf(out, "--min-instructions %u\n", minimum) < 0)
    result = -EIO;
  base_vector_free(&list);
  return result;
}
