/* Says how many calls are open, and which are the innermost. */
#include "output/notes/open_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "output/profile/process.h"
#include "output/stats/render.h"

/* So many innermost calls are named at most. */
#define MOST_NAMED 3

/* What became of a process. */
enum end { END_NONE, END_OFF, END_EXIT, END_OTHER, ENDS };

/* Of one and of more: calls where none has ended the process, else recordings. */
static const char *const when[ENDS][2] = {
    [END_NONE] = {" is open", " are open"},
    [END_OFF] = {" was open when recording was switched off", " were open when recording was switched off"},
    [END_EXIT] = {" still open when the process exited", " still open when they exited"},
    [END_OTHER] = {" still open when the recording ended", " still open when their recordings ended"},
};

/* An innermost call, as it prints, and how many processes are named by it: of those that were folded the recording has
 * that of one. */
struct innermost {
  const char *name;
  uint32_t processes;
};

/* Those that came to one end with calls open. */
struct open_calls {
  const struct callsig_stats *stats;
  uint64_t calls;
  uint32_t processes, recordings;
  const struct out_recording_info *first;
  struct innermost *list; /* one a recording, then one a name */
  struct base_arena names;
};

/* Recording that is off has ended the calls that were open, which no hook of their threads may have noticed yet. */
static enum end end_of(const struct out_recording_info *info)
{
  if (info->pauses && info->pauses->since)
    return END_OFF;
  return info->is_running ? END_NONE : info->flags & FMT_REC_FINISHED ? END_EXIT : END_OTHER;
}

/* The name of a recording's innermost call, in the arena. NULL: no memory. */
static const char *name_innermost(struct open_calls *open, const struct out_recording_info *info)
{
  const struct out_profile *profile = &open->stats->profile;
  const struct out_variant *variant = out_profile_variant(profile, info->innermost);
  const struct out_names names = {.profile = profile,
                                  .shown_function = open->stats->shown_function,
                                  .by = CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE};
  const struct out_row_key key = out_row_key_of(variant->signature);
  struct out_arguments scratch = {0};
  struct out_text text = {0};
  out_row_name(&names, &key, &scratch, &text);
  const char *name = text.failed ? NULL : base_arena_copy(&open->names, out_text_string(&text), text.length);
  out_text_free(&text);
  out_arguments_free(&scratch);
  return name;
}

static int add(struct open_calls *open, const struct out_recording_info *info)
{
  const char *name = name_innermost(open, info);
  if (!name)
    return -ENOMEM;
  open->first = open->first ? open->first : info;
  open->list[open->recordings++] = (struct innermost){name, out_process_count(info)};
  open->processes += out_process_count(info);
  open->calls += info->open_frames;
  return 0;
}

static int compare_names(const void *left, const void *right)
{
  const struct innermost *a = left, *b = right;
  return strcmp(a->name, b->name);
}

/* The most frequent first. */
static int compare_counts(const void *left, const void *right)
{
  const struct innermost *a = left, *b = right;
  return a->processes != b->processes ? (a->processes < b->processes ? 1 : -1) : compare_names(left, right);
}

/* Makes the list one of names. How many. */
static uint32_t join_names(struct open_calls *open)
{
  uint32_t names = 0;
  qsort(open->list, open->recordings, sizeof *open->list, compare_names);
  for (uint32_t i = 0; i < open->recordings; i++) {
    if (names > 0 && strcmp(open->list[names - 1].name, open->list[i].name) == 0)
      open->list[names - 1].processes += open->list[i].processes;
    else
      open->list[names++] = open->list[i];
  }
  qsort(open->list, names, sizeof *open->list, compare_counts);
  return names;
}

static void put_innermost(struct open_calls *open, struct out_text *text)
{
  const uint32_t names = join_names(open);
  out_text_puts(text, "; the innermost: ");
  for (uint32_t i = 0; i < names && i < MOST_NAMED; i++)
    out_text_printf(text, "%s%s", i > 0 ? ", " : "", open->list[i].name);
  if (names > MOST_NAMED)
    out_text_printf(text, " and %u more", names - MOST_NAMED);
}

static int tell(struct open_calls *open, enum end end, out_note_fn note, void *data)
{
  struct out_text text = {0};
  if (open->recordings == 1 && open->stats->profile.recordings.count > 1)
    out_text_printf(&text, "%s: ", out_process_source(&open->stats->profile, open->first));
  out_text_printf(&text, "%llu call%s", (unsigned long long)open->calls, open->calls == 1 ? "" : "s");
  if (open->recordings > 1)
    out_text_printf(&text, " of %u processes", open->processes);
  out_text_puts(&text, when[end][end <= END_OFF ? open->calls > 1 : open->recordings > 1]);
  put_innermost(open, &text);
  int result = text.failed ? -ENOMEM : note(out_text_string(&text), data);
  out_text_free(&text);
  return result;
}

static int note_end(const struct callsig_stats *stats, const uint32_t *processes, enum end end, out_note_fn note,
                    void *data)
{
  const uint32_t count = stats->profile.recordings.count;
  struct open_calls open = {.stats = stats, .list = calloc(count + 1u, sizeof *open.list)};
  int result = open.list ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    const struct out_recording_info *info = out_profile_recording(&stats->profile, processes[i]);
    if (info->open_frames > 0 && end_of(info) == end)
      result = add(&open, info);
  }
  if (result == 0 && open.recordings > 0)
    result = tell(&open, end, note, data);
  free(open.list);
  base_arena_free(&open.names);
  return result;
}

int out_open_notes(const struct callsig_stats *stats, const uint32_t *processes, out_note_fn note, void *data)
{
  int result = 0;
  for (enum end end = END_NONE; end < ENDS && result == 0; end++)
    result = note_end(stats, processes, end, note, data);
  return result;
}
