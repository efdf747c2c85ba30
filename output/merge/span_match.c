/* Finds a span among those that were loaded, and asks the filters. */
#include "output/merge/span_match.h"

#include <errno.h>
#include <string.h>

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
  const struct out_row_key key = out_rows_key_of_edge(profile, &stats->grouping, edge);
  struct out_names names = out_stats_names(stats);
  out_row_name(&names, &key, &scratch, what);
  out_text_printf(what, " took %.6f s", (double)duration * out_profile_recording(profile, 0)->tick);
  out_arguments_free(&scratch);
  return what->failed ? -ENOMEM : OUT_SPAN_SELECTED;
}

int out_stats_set_trigger(struct callsig_stats *stats, const char *path, const char *what)
{
  struct out_recording_info *info = out_profile_recording(&stats->profile, 0);
  struct out_text text = {0};
  info->process.trigger = 1;
  out_text_printable(&text, path, strlen(path));
  int result = text.failed ? -ENOMEM : base_strings_add(stats->profile.strings, out_text_string(&text), &info->path);
  out_text_free(&text);
  return result < 0 ? result : base_strings_add(stats->profile.strings, what, &info->trigger);
}
