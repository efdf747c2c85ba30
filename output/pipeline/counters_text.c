/* What a program counted by itself, as text: a line for each key, for each stage, and for each thread; and for each
 * event. */
#include <string.h>

#include "output/pipeline/counters.h"
#include "output/pipeline/pipeline_text.h"

static void put_figures(struct out_text *text, const struct callsig_counter_stats *stats, double elapsed)
{
  const char *times = stats->count == 1 ? "" : "s";
  if (stats->is_level) {
    out_text_printf(text, "%lld", (long long)stats->value);
    out_text_printf(text, " (from %lld to %lld", (long long)stats->min, (long long)stats->max);
    out_put_number(text, ", mean ", stats->mean, 2, "");
    out_text_printf(text, ", set %llu time%s)\n", (unsigned long long)stats->count, times);
    return;
  }
  out_text_printf(text, "%llu", (unsigned long long)stats->total);
  out_text_printf(text, " (in %llu call%s", (unsigned long long)stats->count, times);
  out_put_number(text, ", ", stats->mean, 2, " each");
  if (elapsed > 0)
    out_put_number(text, ", ", (double)stats->total / elapsed, 1, "/s");
  out_text_puts(text, ")\n");
}

/* Of all stages: rows of one key follow one another. */
static struct callsig_counter_stats sum_of(const struct callsig_pipeline *pipeline, uint32_t first, uint32_t *end)
{
  struct out_counter sum = *out_counter_at(pipeline, first);
  for (*end = first + 1; *end < pipeline->counters.count; ++*end) {
    const struct out_counter *row = out_counter_at(pipeline, *end);
    if (strcmp(row->stats.key, sum.stats.key) != 0 || row->stats.is_level != sum.stats.is_level)
      break;
    sum.stats.count += row->stats.count;
    sum.amount += row->amount;
    sum.stats.min = row->stats.min < sum.stats.min ? row->stats.min : sum.stats.min;
    sum.stats.max = row->stats.max > sum.stats.max ? row->stats.max : sum.stats.max;
    if (row->last_ticks > sum.last_ticks) {
      sum.last_ticks = row->last_ticks;
      sum.stats.value = row->stats.value;
    }
  }
  out_counter_derive(&sum.stats, sum.amount);
  return sum.stats;
}

static void put_parts(struct out_text *text, const struct callsig_pipeline *pipeline,
                      const struct callsig_counter_stats *row, double elapsed)
{
  for (uint32_t i = 0; i < pipeline->counter_parts.count; i++) {
    const struct callsig_counter_stats *part = &out_counter_thread_at(pipeline, i)->stats;
    if (out_counter_compare(part, row) != 0)
      continue;
    if (part->tid)
      out_text_printf(text, "      thread %s (%u): ", part->thread, part->tid);
    else
      out_text_puts(text, "      threads that ended: ");
    put_figures(text, part, elapsed);
  }
}

void out_put_counters(struct out_text *text, const struct callsig_pipeline *pipeline)
{
  const double elapsed = pipeline->recorded > 0 ? pipeline->recorded : pipeline->info.elapsed;
  for (uint32_t i = 0, end; i < pipeline->counters.count; i = end) {
    const struct callsig_counter_stats sum = sum_of(pipeline, i, &end);
    out_text_printf(text, "\n  %s: %s: ", sum.is_level ? "Level" : "Counter", sum.key);
    put_figures(text, &sum, elapsed);
    for (uint32_t j = i; j < end; j++) {
      const struct callsig_counter_stats *row = &out_counter_at(pipeline, j)->stats;
      out_text_printf(text, "    %s: ", row->stage ? row->stage : "outside of stages");
      put_figures(text, row, elapsed);
      put_parts(text, pipeline, row, elapsed);
    }
  }
}

void out_put_events(struct out_text *text, const struct callsig_pipeline *pipeline)
{
  for (uint32_t i = 0; i < pipeline->events.count; i++) {
    const struct callsig_event_stats *event = base_vector_at(&pipeline->events, i);
    out_text_printf(text, "\n  Event: %s: %llu time%s", event->name, (unsigned long long)event->count,
                    event->count == 1 ? "" : "s");
    if (event->total_time > 0)
      out_put_number(text, ", ", event->total_time, 4, "s in all");
  }
  out_text_puts(text, "\n");
}
