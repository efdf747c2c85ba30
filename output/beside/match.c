/* Finds the functions of a recording that samples of another run are of. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/beside/beside.h"

/* The functions that have calls in the recording, ascending by name. */
struct rows {
  const struct out_profile *profile;
  uint32_t *functions;
  uint32_t count;
};

static uint32_t name_of(const struct rows *rows, uint32_t function)
{
  return out_profile_function(rows->profile, function)->name;
}

static int compare_names(const void *left, const void *right, void *data)
{
  const struct rows *rows = data;
  uint32_t a = name_of(rows, *(const uint32_t *)left), b = name_of(rows, *(const uint32_t *)right);
  return (a > b) - (a < b);
}

static int find_rows(const struct out_profile *profile, uint32_t recording, struct rows *rows)
{
  bool *has_calls = calloc(profile->functions.count + 1u, sizeof *has_calls);
  *rows =
      (struct rows){.profile = profile, .functions = malloc((profile->functions.count + 1u) * sizeof *rows->functions)};
  if (!has_calls || !rows->functions) {
    free(has_calls);
    return -ENOMEM;
  }
  const struct out_beside_times times = {.profile = (struct out_profile *)profile, .recording = recording};
  for (uint32_t i = 0; i < profile->edges.count; i++) {
    const struct out_edge *edge = out_profile_edge(profile, i);
    if (out_beside_has(&times, edge))
      has_calls[out_beside_function(profile, edge->to)] = true;
  }
  for (uint32_t i = 0; i < profile->functions.count; i++)
    if (has_calls[i] && !out_profile_function(profile, i)->is_action)
      rows->functions[rows->count++] = i;
  qsort_r(rows->functions, rows->count, sizeof *rows->functions, compare_names, rows);
  free(has_calls);
  return 0;
}

/* The first of the rows whose name is not before `name`. */
static uint32_t first_named(const struct rows *rows, uint32_t name)
{
  uint32_t low = 0, high = rows->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (name_of(rows, rows->functions[middle]) < name)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool same_base_name(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  const char *a = out_profile_string(profile, left), *b = out_profile_string(profile, right);
  const char *a_slash = strrchr(a, '/'), *b_slash = strrchr(b, '/');
  return strcmp(a_slash ? a_slash + 1 : a, b_slash ? b_slash + 1 : b) == 0;
}

/* How well a function fits a place of its name: 0 not at all, 3 in all. A function that the sampled build knows by its
 * symbol alone has no file, and fits whatever has its name. */
static int fit(const struct out_profile *profile, const struct out_place *place, uint32_t function)
{
  const struct out_known_function *known = out_profile_function(profile, function);
  if (!place->file)
    return 1;
  if (known->file == place->file)
    return known->line == place->line ? 3 : 2;
  return same_base_name(profile, known->file, place->file) ? 1 : 0;
}

/* The one that fits best; FMT_NONE when none does, or two do equally well. */
static uint32_t find_row(const struct rows *rows, const struct out_place *place)
{
  uint32_t best = FMT_NONE;
  int best_fit = 0;
  for (uint32_t i = first_named(rows, place->name); i < rows->count; i++) {
    uint32_t function = rows->functions[i];
    if (name_of(rows, function) != place->name)
      break;
    int fits = fit(rows->profile, place, function);
    if (fits > 0 && fits == best_fit)
      best = FMT_NONE;
    if (fits > best_fit) {
      best = function;
      best_fit = fits;
    }
  }
  return best;
}

int out_beside_match(struct out_profile *profile, uint32_t recording)
{
  const struct out_sampled_run *run =
      out_profile_sampled_run(profile, out_profile_recording(profile, recording)->sampled);
  struct rows rows;
  int result = find_rows(profile, recording, &rows);
  for (uint32_t i = 0; i < run->count && result == 0; i++) {
    struct out_place *place = out_profile_place(profile, run->first + i);
    if (place->parent == FMT_NONE)
      continue;
    place->row = find_row(&rows, place);
    if (place->row == FMT_NONE)
      place->row = out_profile_place(profile, run->first + place->parent)->row;
  }
  free(rows.functions);
  return result;
}
