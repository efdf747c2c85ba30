/* Says how much of what functions computed was in code without hooks that they called, and in which files. */
#include "output/notes/library_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/text.h"

/* Told of from this part of the functions' samples on, if there are so many of these. */
#define TOLD  0.2
#define LEAST 100.0
/* Files are named that have this part of all, so many at most. */
#define NAMED      0.05
#define MOST_NAMED 3u

struct library {
  uint32_t name;
  double seconds;
};

struct libraries {
  const struct out_profile *profile;
  struct library *list; /* with room for all places; a file may be there several times until they are added up */
  uint32_t count;
  uint64_t samples; /* of functions and of what they called */
  double seconds;   /* the same */
  double called;    /* of them, in code without hooks */
};

/* A place in a function that has a file's name is the file's code without hooks, called there. */
static bool is_called(const struct libraries *libraries, const struct out_place *place)
{
  const char first = *out_profile_string(libraries->profile, place->name);
  return place->parent != FMT_NONE && !place->file && (first == '/' || first == '[');
}

static void add_run(struct libraries *libraries, const struct out_sampled_run *run)
{
  for (uint32_t i = 0; i < run->count; i++) {
    const struct out_place *place = out_profile_place(libraries->profile, run->first + i);
    const double seconds = (double)place->samples * (double)run->head.period / 1024e9;
    if (place->row == FMT_NONE)
      continue;
    libraries->samples += place->samples;
    libraries->seconds += seconds;
    if (!is_called(libraries, place))
      continue;
    libraries->called += seconds;
    libraries->list[libraries->count++] = (struct library){.name = place->name, .seconds = seconds};
  }
}

static int compare_names(const void *left, const void *right)
{
  const struct library *a = left, *b = right;
  return (a->name > b->name) - (a->name < b->name);
}

/* Makes those of one file one. */
static void add_up(struct libraries *libraries)
{
  uint32_t kept = 0;
  qsort(libraries->list, libraries->count, sizeof *libraries->list, compare_names);
  for (uint32_t i = 0; i < libraries->count; i++) {
    if (kept > 0 && libraries->list[kept - 1].name == libraries->list[i].name)
      libraries->list[kept - 1].seconds += libraries->list[i].seconds;
    else
      libraries->list[kept++] = libraries->list[i];
  }
  libraries->count = kept;
}

static int compare_seconds(const void *left, const void *right)
{
  const struct library *a = left, *b = right;
  if (a->seconds != b->seconds)
    return a->seconds < b->seconds ? 1 : -1;
  return (a->name > b->name) - (a->name < b->name);
}

static void put_percent(struct out_text *text, double part)
{
  out_text_decimals(text, 100 * part, 0, 1);
  out_text_puts(text, " %");
}

static int tell(const struct libraries *libraries, out_note_fn note, void *data)
{
  struct out_text text = {0};
  put_percent(&text, libraries->called / libraries->seconds);
  out_text_puts(&text, " of what functions computed is in code without hooks that they called");
  const char *separator = ": ";
  for (uint32_t i = 0; i < libraries->count && i < MOST_NAMED; i++) {
    const struct library *library = &libraries->list[i];
    if (library->seconds < NAMED * libraries->seconds)
      break;
    const char *path = out_profile_string(libraries->profile, library->name), *slash = strrchr(path, '/');
    out_text_puts(&text, separator);
    out_text_puts(&text, slash ? slash + 1 : path);
    out_text_putc(&text, ' ');
    put_percent(&text, library->seconds / libraries->seconds);
    separator = ", ";
  }
  out_text_puts(&text, "; callsig run --library-calls shows such calls");
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}

/* Of a part of the calls, or of the processes, nobody knows what part of the samples is theirs. */
static bool is_known(const struct callsig_stats *stats)
{
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++)
    if (out_profile_recording(&stats->profile, i)->sampled == FMT_NONE)
      return false;
  return !out_stats_is_filtered(stats);
}

int out_library_notes(const struct callsig_stats *stats, out_note_fn note, void *data)
{
  struct libraries libraries = {.profile = &stats->profile};
  if (!is_known(stats))
    return 0;
  libraries.list = calloc(stats->profile.places.count + 1u, sizeof *libraries.list);
  if (!libraries.list)
    return -ENOMEM;
  for (uint32_t i = 0; i < stats->profile.recordings.count; i++)
    add_run(&libraries, out_profile_sampled_run(&stats->profile, out_profile_recording(&stats->profile, i)->sampled));
  add_up(&libraries);
  qsort(libraries.list, libraries.count, sizeof *libraries.list, compare_seconds);
  int result = 0;
  if ((double)libraries.samples >= LEAST && libraries.called > TOLD * libraries.seconds)
    result = tell(&libraries, note, data);
  free(libraries.list);
  return result;
}
