/* Makes spans of the events that begin and end them: SPDL's "gc_start" and "gc_stop". */
#include "output/monitor/event_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An event whose name ends as those of a span do. */
struct half {
  struct out_band *band;
  size_t stem; /* the length of its name without that */
  bool stops;
};

static size_t stem_of(const char *name, const char *ending)
{
  size_t length = strlen(name), end = strlen(ending);
  return length > end && strcmp(name + length - end, ending) == 0 ? length - end : 0;
}

static int compare(const void *one, const void *other)
{
  const struct half *a = one, *b = other;
  int names = memcmp(a->band->name, b->band->name, a->stem < b->stem ? a->stem : b->stem);
  if (names != 0 || a->stem != b->stem)
    return names != 0 ? names : a->stem < b->stem ? -1 : 1;
  return a->band < b->band ? -1 : a->band > b->band;
}

static bool is_same(const struct half *one, const struct half *other)
{
  return one->stem == other->stem && memcmp(one->band->name, other->band->name, one->stem) == 0;
}

/* Each stop ends the first of the beginnings before it that no other has ended. */
static int pair(struct out_course *course, struct half *halves, size_t count)
{
  for (size_t first = 0, at = 0; at < count; at++) {
    if (!is_same(&halves[first], &halves[at]))
      first = at;
    if (!halves[at].stops)
      continue;
    while (first < at && halves[first].stops)
      first++;
    if (first == at)
      continue;
    struct out_band *band = halves[first].band;
    band->name = base_arena_copy(&course->strings, band->name, halves[first].stem);
    if (!band->name)
      return -ENOMEM;
    halves[first].stem = strlen(band->name);
    band->until = halves[at].band->from;
    band->total_time = band->until - band->from;
    halves[at].band->count = 0;
    first++;
  }
  return 0;
}

/* What has become the end of another. */
static void drop_stops(struct out_course *course)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < course->bands.count; i++) {
    const struct out_band *band = base_vector_at(&course->bands, i);
    if (band->count > 0)
      *(struct out_band *)base_vector_at(&course->bands, kept++) = *band;
  }
  course->bands.count = kept;
}

int out_event_spans(struct out_course *course)
{
  size_t count = 0;
  struct half *halves = calloc(course->bands.count + 1u, sizeof *halves);
  if (!halves)
    return -ENOMEM;
  for (uint32_t i = 0; i < course->bands.count; i++) {
    struct out_band *band = base_vector_at(&course->bands, i);
    const size_t begins = stem_of(band->name, "_start"), stops = stem_of(band->name, "_stop");
    /* Of what happened some time in an interval nothing is known. */
    if (begins + stops > 0 && band->count == 1 && !(band->until > band->from))
      halves[count++] = (struct half){.band = band, .stem = begins + stops, .stops = stops > 0};
  }
  qsort(halves, count, sizeof *halves, compare);
  int result = pair(course, halves, count);
  free(halves);
  drop_stops(course);
  return result;
}
