/* Says of which functions calls count twice, and whose own time has that of library calls in it. */
#include "output/notes/counting_notes.h"

#include <errno.h>
#include <stdlib.h>

#include "output/stats/edge_share.h"
#include "output/stats/render.h"

struct counting {
  const struct callsig_stats *stats;
  const uint8_t *functions; /* by function: those to tell of; NULL: all */
  out_note_fn note;
  void *data;
  struct out_text text;
};

static bool is_told(const struct counting *counting, uint32_t function)
{
  return !counting->functions || counting->functions[counting->stats->shown_function[function]];
}

static void put_function(struct counting *counting, uint32_t function)
{
  const struct callsig_stats *stats = counting->stats;
  const struct out_names names = {
      .profile = &stats->profile, .shown_function = stats->shown_function, .by = CALLSIG_BY_FUNCTION};
  const struct out_row_key key = out_row_key_of(stats->shown_function[function]);
  struct out_arguments scratch = {0};
  out_row_name(&names, &key, &scratch, &counting->text);
  out_arguments_free(&scratch);
}

static int give(struct counting *counting)
{
  const int result = counting->text.failed ? -ENOMEM : counting->note(out_text_string(&counting->text), counting->data);
  out_text_clear(&counting->text);
  return result;
}

/* Functions that gcc split in two, of which it is the part's call that counts again. */
static int tell_split(struct counting *counting)
{
  const struct out_profile *profile = &counting->stats->profile;
  uint8_t *is_split = calloc(profile->functions.count + 1u, 1);
  if (!is_split)
    return -ENOMEM;
  uint32_t count = 0, first = FMT_NONE;
  for (uint32_t i = 0; i < profile->layouts.count; i++) {
    const struct out_layout *layout = out_profile_layout(profile, i);
    if (!layout->entry || !(layout->entry->flags & FMT_FUNCTION_SPLIT) || is_split[layout->function] ||
        !is_told(counting, layout->function))
      continue;
    is_split[layout->function] = 1;
    count++;
    first = first == FMT_NONE ? layout->function : first;
  }
  free(is_split);
  if (count == 0)
    return 0;
  put_function(counting, first);
  if (count > 1)
    out_text_printf(&counting->text, " and %u more", count - 1);
  out_text_puts(&counting->text, count > 1
                                     ? ": gcc split these functions, and a call that goes on in the rest counts twice"
                                     : ": gcc split this function, and a call that goes on in the rest counts twice");
  out_text_puts(&counting->text, " (-fno-partial-inlining keeps it from that)");
  return give(counting);
}

/* Adds up, by the caller's function, the calls of library functions that have no times; of those to tell of. */
static uint64_t sum_untimed(const struct counting *counting, uint64_t *calls)
{
  const struct callsig_stats *stats = counting->stats;
  const struct out_profile *profile = &stats->profile;
  uint64_t all = 0;
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (edge->from == FMT_NONE || !out_edge_is_selected(profile, &stats->grouping, edge))
      continue;
    const uint32_t callee = out_signature_function(profile, out_profile_variant(profile, edge->to)->signature);
    const uint32_t caller_signature = out_profile_variant(profile, edge->from)->signature;
    const struct out_known_function *known = base_vector_at(&profile->functions, callee);
    if (!known->is_untimed || caller_signature == FMT_NONE)
      continue;
    const uint32_t caller = out_signature_function(profile, caller_signature);
    if (!is_told(counting, caller))
      continue;
    calls[caller] += edge->calls;
    all += edge->calls;
  }
  return all;
}

static int tell_untimed(struct counting *counting)
{
  const uint32_t count = counting->stats->profile.functions.count;
  uint64_t *calls = calloc(count + 1u, sizeof *calls);
  if (!calls)
    return -ENOMEM;
  const uint64_t all = sum_untimed(counting, calls);
  uint32_t most = 0;
  for (uint32_t i = 1; i < count; i++)
    most = calls[i] > calls[most] ? i : most;
  const uint64_t of_most = calls[most];
  free(calls);
  if (all == 0)
    return 0;
  out_text_printf(&counting->text, "%llu call%s of library functions without times (?): what %s took is in %s own time",
                  (unsigned long long)all, all == 1 ? "" : "s", all == 1 ? "it" : "they",
                  all == 1 ? "its caller's" : "their callers'");
  out_text_printf(&counting->text, ", %llu of them called by ", (unsigned long long)of_most);
  put_function(counting, most);
  return give(counting);
}

int out_counting_notes(const struct callsig_stats *stats, const uint8_t *functions, out_note_fn note, void *data)
{
  struct counting counting = {.stats = stats, .functions = functions, .note = note, .data = data};
  int result = tell_untimed(&counting);
  if (result == 0)
    result = tell_split(&counting);
  out_text_free(&counting.text);
  return result;
}
