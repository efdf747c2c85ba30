/* Finds a span among those that were loaded, and asks the filters. */
#include "output/stats/span_match.h"

#include <errno.h>

#include "output/stats/names.h"

static const struct out_span *find_span(const struct out_profile *profile, uint64_t start, uint64_t duration)
{
  for (uint32_t i = profile->spans.count; i-- > 0;) {
    const struct out_span *span = out_profile_span(profile, i);
    if (span->start == start && span->duration == duration && !span->open &&
        (span->kind == FMT_SPAN_CALL || span->kind == FMT_SPAN_TASK))
      return span;
  }
  return NULL;
}

int out_span_match(struct callsig_stats *stats, uint64_t start, uint64_t duration, struct out_text *what)
{
  const struct out_profile *profile = &stats->profile;
  struct out_row counts;
  struct out_arguments scratch = {0};
  int result = out_stats_prepare(stats);
  if (result < 0)
    return result;
  const struct out_span *span = find_span(profile, start, duration);
  if (!span)
    return OUT_SPAN_GONE;
  const struct out_edge *edge = out_profile_edge(profile, span->what);
  if (!out_rows_edge(profile, &stats->grouping, edge, &counts))
    return OUT_SPAN_OTHER;
  const struct out_row_key key =
      out_rows_key(profile, &stats->grouping, out_profile_variant(profile, edge->to), edge->thread);
  struct out_names names = out_stats_names(stats);
  out_row_name(&names, &key, &scratch, what);
  out_text_printf(what, " took %.6f s", (double)duration * out_profile_recording(profile, 0)->tick);
  out_arguments_free(&scratch);
  return what->failed ? -ENOMEM : OUT_SPAN_SELECTED;
}

int out_stats_set_trigger(struct callsig_stats *stats, const char *what)
{
  struct out_recording_info *info = out_profile_recording(&stats->profile, 0);
  info->process.trigger = 1;
  return base_strings_add(stats->profile.strings, what, &info->trigger);
}
