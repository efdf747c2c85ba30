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
  unsigned *site_flags; /* by function: enum fmt_site_flag, of any of its probe sites */
  bool is_same_build;   /* the samples are of the code that has the hooks */
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

/* Notes the kinds of the functions' probe sites. */
static void find_sites(const struct rows *rows, uint32_t recording)
{
  const struct out_profile *profile = rows->profile;
  for (uint32_t i = 0; i < profile->modules.count; i++) {
    const struct out_known_module *module = out_profile_module(profile, i);
    if (module->recording != recording || !module->index.header)
      continue;
    for (uint32_t k = 0; k < module->index.count[FMT_SECTION_SITES]; k++) {
      const struct fmt_index_site *site = &module->index.sites[k];
      const uint32_t callable = out_profile_find_callable(profile, i, site->function);
      if (callable != FMT_NONE)
        rows->site_flags[out_profile_callable(profile, callable)->function] |= site->flags;
    }
  }
}

/* Is what a function does where it was inlined its own? In the build that has the hooks it is where such a place has a
 * probe site, and else its caller's. In another build a function may be inlined that is not in the one with hooks,
 * which tells all of its calls; but one that has sleds inlined what the other did. */
static bool is_told_inlined(const struct rows *rows, uint32_t function)
{
  const unsigned flags = rows->site_flags[function];
  return flags & FMT_SITE_INLINED || (!rows->is_same_build && !(flags & FMT_SITE_SLED));
}

static int find_rows(const struct out_profile *profile, uint32_t recording, bool is_same_build, struct rows *rows)
{
  const size_t functions = profile->functions.count + 1u;
  bool *has_calls = calloc(functions, sizeof *has_calls);
  *rows = (struct rows){.profile = profile,
                        .functions = malloc(functions * sizeof *rows->functions),
                        .site_flags = calloc(functions, sizeof *rows->site_flags),
                        .is_same_build = is_same_build};
  if (!has_calls || !rows->functions || !rows->site_flags) {
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
  find_sites(rows, recording);
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
static uint32_t find_row(const struct rows *rows, const struct out_place *place, bool is_inlined)
{
  uint32_t best = FMT_NONE;
  int best_fit = 0;
  for (uint32_t i = first_named(rows, place->name); i < rows->count; i++) {
    uint32_t function = rows->functions[i];
    if (name_of(rows, function) != place->name)
      break;
    int fits = is_inlined && !is_told_inlined(rows, function) ? 0 : fit(rows->profile, place, function);
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
  int result = find_rows(profile, recording, !(run->head.flags & FMT_SAMPLES_OTHER_BUILD), &rows);
  for (uint32_t i = 0; i < run->count && result == 0; i++) {
    struct out_place *place = out_profile_place(profile, run->first + i);
    if (place->parent == FMT_NONE)
      continue;
    const struct out_place *parent = out_profile_place(profile, run->first + place->parent);
    place->row = find_row(&rows, place, parent->parent != FMT_NONE);
    if (place->row == FMT_NONE)
      place->row = parent->row;
  }
  free(rows.functions);
  free(rows.site_flags);
  return result;
}
