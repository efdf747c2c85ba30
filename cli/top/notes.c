/* Says what bounds the pipelines of a running program, and how its queues are filled. */
#include "cli/top/notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The verdict's lines begin so, in its text and here. */
static const char verdict_begin[] = "  Pipeline ", kept_begin[] = "pipeline ";

void cli_top_notes_clear(struct base_vector *notes)
{
  for (uint32_t i = 0; i < notes->count; i++)
    free(*(char **)base_vector_at(notes, i));
  notes->count = 0;
}

/* Takes over `line`; NULL is memory that was short. */
static int add(struct base_vector *notes, char *line)
{
  char **slot = line ? base_vector_add(notes, 1) : NULL;
  if (!slot) {
    free(line);
    return -ENOMEM;
  }
  *slot = line;
  return 0;
}

/* The sentences on what bounds each pipeline, out of the summary's text. */
static int add_verdicts(const char *text, struct base_vector *notes)
{
  int result = 0;
  const char *line = strstr(text, "Verdict:");
  for (; line && result == 0; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, verdict_begin, strlen(verdict_begin)) != 0)
      continue;
    const char *rest = line + strlen(verdict_begin);
    char *made = NULL;
    result = asprintf(&made, "%s%.*s", kept_begin, (int)strcspn(rest, "\n"), rest) < 0 ? -ENOMEM : add(notes, made);
  }
  return result;
}

static int make_verdict(const struct callsig_pipeline *pipeline, struct base_vector *notes)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return -ENOMEM;
  int result = callsig_pipeline_print(pipeline, out);
  bool is_whole = fclose(out) == 0;
  if (result == 0)
    result = is_whole ? add_verdicts(text, notes) : -ENOMEM;
  free(text);
  return result == -ENOMEM ? result : 0;
}

/* The queue of the same label in the look before. */
static bool find_before(const struct callsig_pipeline *before, const char *label, struct callsig_queue_stats *found)
{
  const size_t count = before ? callsig_pipeline_queue_count(before) : 0;
  for (size_t i = 0; i < count; i++) {
    *found = (struct callsig_queue_stats){.size = sizeof *found};
    if (callsig_pipeline_queue(before, i, found) == 0 && strcmp(found->label, label) == 0)
      return true;
  }
  return false;
}

static int add_queue(const struct callsig_pipeline *before, const struct callsig_queue_stats *queue,
                     struct base_vector *notes)
{
  struct callsig_queue_stats was = {.size = sizeof was};
  char *line = NULL, held[64], rates[96] = "";
  if (queue->capacity > 0)
    snprintf(held, sizeof held, "%llu of %llu items", (unsigned long long)queue->items,
             (unsigned long long)queue->capacity);
  else
    snprintf(held, sizeof held, "%llu items", (unsigned long long)queue->items);
  if (find_before(before, queue->label, &was) && queue->elapsed > was.elapsed) {
    const double elapsed = queue->elapsed - was.elapsed;
    snprintf(rates, sizeof rates, ", %.1f put and %.1f taken a second", (double)(queue->puts - was.puts) / elapsed,
             (double)(queue->num_items - was.num_items) / elapsed);
  }
  return asprintf(&line, "queue %s: %s%s", queue->label, held, rates) < 0 ? -ENOMEM : add(notes, line);
}

/* Drops what is of the last look alone. */
static void keep_verdicts(struct base_vector *notes)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < notes->count; i++) {
    char **line = base_vector_at(notes, i);
    if (strncmp(*line, kept_begin, strlen(kept_begin)) == 0)
      *(char **)base_vector_at(notes, kept++) = *line;
    else
      free(*line);
  }
  notes->count = kept;
}

int cli_top_notes_make(const struct callsig_pipeline *before, const struct callsig_pipeline *now, bool has_verdict,
                       struct base_vector *notes)
{
  int result = 0;
  const size_t stages = callsig_pipeline_stage_count(now), queues = callsig_pipeline_queue_count(now);
  if (has_verdict)
    cli_top_notes_clear(notes);
  else
    keep_verdicts(notes);
  if (has_verdict && stages + queues > 0)
    result = make_verdict(now, notes);
  for (size_t i = 0; i < queues && result == 0; i++) {
    struct callsig_queue_stats queue = {.size = sizeof queue};
    if (callsig_pipeline_queue(now, i, &queue) == 0)
      result = add_queue(before, &queue, notes);
  }
  return result;
}
