/* Writes the timeline of a page: its rows, and their spans as they begin. */
#include "output/export/page_timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "output/export/timeline.h"

struct writer {
  struct out_page_identities *identities;
  struct out_page_block *block;
  struct out_timeline timeline;
  struct out_text text;
};

static uint32_t take_text(struct writer *writer)
{
  const uint32_t number = out_page_text(writer->block, out_text_string(&writer->text));
  writer->block->failed |= writer->text.failed;
  out_text_clear(&writer->text);
  return number;
}

static void put_rows(struct writer *writer)
{
  const struct out_timeline *timeline = &writer->timeline;
  const struct out_profile *profile = &timeline->stats->profile;
  out_page_number(writer->block, timeline->rows.count);
  for (uint32_t i = 0; i < timeline->rows.count; i++) {
    const struct out_timeline_row *row = out_timeline_row(timeline, i);
    const uint32_t recording = out_timeline_process(timeline, row->process)->recording;
    out_timeline_row_name(timeline, row, &writer->text);
    out_page_number(writer->block, take_text(writer));
    const char *label = out_profile_string(profile, out_profile_recording(profile, recording)->label);
    out_page_number(writer->block, out_page_text(writer->block, label));
  }
}

static uint64_t duration(const struct out_timeline_span *span)
{
  return span->end - span->start;
}

static void put_span(struct writer *writer, const struct out_timeline_span *shown, const struct out_timeline_span *last)
{
  struct out_timeline *timeline = &writer->timeline;
  const struct out_profile *profile = &timeline->stats->profile;
  const struct out_span *span = out_profile_span(profile, shown->span);
  const enum out_shown_kind kind = out_timeline_kind(timeline, shown);
  const uint32_t code = out_timeline_code(timeline, shown);
  out_page_number(writer->block, shown->row == FMT_NONE ? 0 : shown->row + 1u);
  out_page_signed(writer->block, (int64_t)(shown->start - (last ? last->start : 0)));
  out_page_number(writer->block, duration(shown));
  out_page_number(writer->block, kind);
  out_page_number(writer->block,
                  (span->open ? 1u : 0u) | (kind == OUT_SHOWN_TASK && !span->open && span->value ? 2u : 0u));
  out_timeline_signature(timeline, shown, &writer->text);
  if (writer->text.length == 0)
    out_timeline_name(timeline, shown, &writer->text);
  out_page_number(writer->block, take_text(writer));
  const uint32_t function =
      code == FMT_NONE ? FMT_NONE : timeline->stats->shown_function[out_profile_callable(profile, code)->function];
  out_page_number(writer->block, function == FMT_NONE ? 0 : out_page_function(writer->identities, function) + 1u);
  const char *stage = kind == OUT_SHOWN_CALL || kind == OUT_SHOWN_TASK ? out_timeline_stage(timeline, shown) : NULL;
  out_page_number(writer->block, stage ? out_page_text(writer->block, stage) + 1u : 0);
}

static int compare_durations(const void *left, const void *right)
{
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a > b ? -1 : a < b;
}

/* How long a span is that is among the longest `most`. */
static int least_of(const struct out_timeline *timeline, uint32_t most, uint64_t *least)
{
  const uint32_t count = timeline->spans.count;
  *least = 0;
  if (count <= most)
    return 0;
  uint64_t *durations = malloc(count * sizeof *durations);
  if (!durations)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    durations[i] = duration(out_timeline_span(timeline, i));
  qsort(durations, count, sizeof *durations, compare_durations);
  *least = durations[most] + 1;
  free(durations);
  return 0;
}

static int put_spans(struct writer *writer, uint32_t most)
{
  const struct out_timeline *timeline = &writer->timeline;
  const struct out_timeline_span *last = NULL;
  uint64_t least;
  uint32_t kept = 0;
  int result = least_of(timeline, most, &least);
  if (result < 0)
    return result;
  for (uint32_t i = 0; i < timeline->spans.count; i++)
    kept += duration(out_timeline_span(timeline, i)) >= least;
  out_page_number(writer->block, kept);
  out_page_number(writer->block, timeline->spans.count - kept);
  for (uint32_t i = 0; i < timeline->spans.count; i++) {
    const struct out_timeline_span *span = out_timeline_span(timeline, i);
    if (duration(span) < least)
      continue;
    put_span(writer, span, last);
    last = span;
  }
  return 0;
}

int out_page_timeline(struct out_page_identities *identities, uint32_t most)
{
  struct writer writer = {.identities = identities, .block = identities->block};
  int result = out_timeline_make(identities->stats, &writer.timeline);
  if (result == 0) {
    out_page_section(writer.block, "time");
    put_rows(&writer);
    result = put_spans(&writer, most);
    out_page_section_end(writer.block);
  }
  out_timeline_free(&writer.timeline);
  out_text_free(&writer.text);
  return result;
}
