/* Says which arguments of which functions were widened. */
#include "output/notes/widened_notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Told of functions of a table at most. */
#define MOST 3u

/* "widened: resize.c:88(resize): w to log2 buckets, h to its type". Owned; NULL: memory is short. */
static char *describe(const struct callsig_stats *stats, const struct out_layout *layout, struct out_arguments *scratch)
{
  const struct out_names names = {
      .profile = &stats->profile, .shown_function = stats->shown_function, .by = CALLSIG_BY_FUNCTION};
  const struct out_row_key key = out_row_key_of(stats->shown_function[layout->function]);
  struct out_text text = {0};
  out_text_puts(&text, "widened: ");
  out_row_name(&names, &key, scratch, &text);
  const char *separator = ": ";
  for (uint32_t i = 0; i < layout->entry->arg_count; i++) {
    if (layout->levels[i] == FMT_WIDEN_NONE)
      continue;
    const struct fmt_index_arg *arg = &layout->index->args[layout->entry->first_arg + i];
    out_text_printf(&text, "%s%s to %s", separator, fmt_index_string(layout->index, arg->name),
                    layout->levels[i] == FMT_WIDEN_LOG2 ? "log2 buckets" : "its type");
    separator = ", ";
  }
  char *note = text.failed ? NULL : strdup(out_text_string(&text));
  out_text_free(&text);
  return note;
}

/* Notes that are found in no order of their own come in that of their text. */
static int compare_notes(const void *left, const void *right)
{
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorts the notes and frees those that are there twice. How many are left. */
static uint32_t sort_notes(char **list, uint32_t count)
{
  uint32_t left = 0;
  qsort(list, count, sizeof *list, compare_notes);
  for (uint32_t i = 0; i < count; i++) {
    if (left > 0 && strcmp(list[left - 1], list[i]) == 0)
      free(list[i]);
    else
      list[left++] = list[i];
  }
  return left;
}

/* The notes of those functions that `functions` has, or has not. *count: how many. NULL: memory is short. */
static char **find_notes(const struct callsig_stats *stats, const uint8_t *functions, bool has, uint32_t *count)
{
  const struct out_profile *profile = &stats->profile;
  struct out_arguments scratch = {0};
  char **list = calloc(profile->layouts.count + 1u, sizeof *list);
  bool failed = !list;
  *count = 0;
  for (uint32_t i = 0; !failed && i < profile->layouts.count; i++) {
    const struct out_layout *layout = out_profile_layout(profile, i);
    if (!layout->levels || (functions && (functions[stats->shown_function[layout->function]] != 0) != has))
      continue;
    list[*count] = describe(stats, layout, &scratch);
    failed = !list[(*count)++];
  }
  out_arguments_free(&scratch);
  if (!failed) {
    *count = sort_notes(list, *count);
    return list;
  }
  for (uint32_t i = 0; list && i < *count; i++)
    free(list[i]);
  free(list);
  return NULL;
}

static void free_notes(char **list, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    free(list[i]);
  free(list);
}

int out_widened_notes(const struct callsig_stats *stats, const uint8_t *functions, uint32_t *left_out, out_note_fn note,
                      void *data)
{
  uint32_t count, others;
  char **list = find_notes(stats, functions, true, &count);
  int result = list ? 0 : -ENOMEM;
  for (uint32_t i = 0; list && i < count && result == 0; i++) {
    if (functions && i >= MOST)
      ++*left_out;
    else
      result = note(list[i], data);
  }
  if (list)
    free_notes(list, count);
  if (result < 0 || !functions)
    return result;
  list = find_notes(stats, functions, false, &others);
  if (!list)
    return -ENOMEM;
  *left_out += others;
  free_notes(list, others);
  return 0;
}
