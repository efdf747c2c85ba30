/* Names a reading of a recording as a later one of the same does. */
#define _GNU_SOURCE
#include "output/profile/named_as.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/profile/layout.h"

/* ------------------------------------------------------------------------------------------------------------------ */

static int compare_functions(const struct out_profile *left, const struct out_known_function *a,
                             const struct out_profile *right, const struct out_known_function *b)
{
  int order = strcmp(out_profile_string(left, a->name), out_profile_string(right, b->name));
  if (order == 0)
    order = strcmp(out_profile_string(left, a->file), out_profile_string(right, b->file));
  if (order == 0 && a->line != b->line)
    order = a->line < b->line ? -1 : 1;
  return order ? order : (int)a->is_action - (int)b->is_action;
}

static int compare_numbers(const void *left, const void *right, void *data)
{
  const struct out_profile *profile = data;
  return compare_functions(profile, out_profile_function(profile, *(const uint32_t *)left), profile,
                           out_profile_function(profile, *(const uint32_t *)right));
}

/* The numbers of all functions, by their names. NULL when memory is short. */
static uint32_t *sort_functions(const struct out_profile *profile)
{
  const uint32_t count = profile->functions.count;
  uint32_t *sorted = malloc((count + 1u) * sizeof *sorted);
  for (uint32_t i = 0; sorted && i < count; i++)
    sorted[i] = i;
  if (sorted)
    qsort_r(sorted, count, sizeof *sorted, compare_numbers, (void *)profile);
  return sorted;
}

/* The number that a function of `profile` has in `later`, whose functions are `sorted`; FMT_NONE: none. */
static uint32_t find_function(const struct out_profile *profile, const struct out_known_function *function,
                              const struct out_profile *later, const uint32_t *sorted)
{
  uint32_t first = 0, end = later->functions.count;
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    const int order = compare_functions(profile, function, later, out_profile_function(later, sorted[middle]));
    if (order == 0)
      return sorted[middle];
    if (order < 0)
      end = middle;
    else
      first = middle + 1;
  }
  return FMT_NONE;
}

/* The layout of a function of `later` that reads as this one does; NULL: none. */
static const struct out_layout *find_layout(const struct out_profile *later, uint32_t function,
                                            const struct out_layout *wanted)
{
  uint32_t number = function == FMT_NONE ? FMT_NONE : *(uint32_t *)base_vector_at(&later->first_layout, function);
  while (number != FMT_NONE) {
    const struct out_layout *there = out_profile_layout(later, number);
    if (there->entry && out_layout_equal(there->index, there->entry, wanted->index, wanted->entry))
      return there;
    number = there->next;
  }
  return NULL;
}

static int take_levels(struct out_layout *layout, const struct out_layout *later)
{
  const uint32_t count = layout->entry->arg_count;
  uint8_t *levels = later->levels ? malloc(count + 1u) : NULL;
  if (later->levels && !levels)
    return -ENOMEM;
  if (levels)
    memcpy(levels, later->levels, count);
  free(layout->levels);
  layout->levels = levels;
  layout->is_settled = true;
  return 0;
}

static int widen_as(struct out_profile *profile, const struct out_profile *later)
{
  uint32_t *sorted = sort_functions(later);
  int result = sorted ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < profile->layouts.count && result == 0; i++) {
    struct out_layout *layout = out_profile_layout(profile, i);
    if (!layout->entry)
      continue;
    const struct out_known_function *function = out_profile_function(profile, layout->function);
    const struct out_layout *there = find_layout(later, find_function(profile, function, later, sorted), layout);
    if (there)
      result = take_levels(layout, there);
  }
  free(sorted);
  return result;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool is_same_process(const struct out_recording_info *a, const struct out_recording_info *b)
{
  return a->pid == b->pid && a->process.start_realtime_ns == b->process.start_realtime_ns;
}

/* What ran the same program with the same arguments is folded into one process. */
static bool is_same_command(const struct out_profile *left, const struct out_recording_info *a,
                            const struct out_profile *right, const struct out_recording_info *b)
{
  return strcmp(out_profile_string(left, a->program), out_profile_string(right, b->program)) == 0 &&
         a->command_size == b->command_size &&
         (a->command_size == 0 || memcmp(a->command, b->command, a->command_size) == 0);
}

/* Where a thread's calls are in a later reading, the surest first. */
enum { NOWHERE, IN_SAME_COMMAND, IN_SAME_COMMAND_BY_NAME, IN_SAME_PROCESS, IN_SAME_PROCESS_BY_NAME, IN_ITSELF };

static int match(const struct out_profile *profile, const struct out_known_thread *thread,
                 const struct out_profile *later, const struct out_known_thread *there)
{
  const struct out_recording_info *process = out_profile_recording(profile, thread->recording);
  const struct out_recording_info *later_process = out_profile_recording(later, there->recording);
  const bool is_same = is_same_process(process, later_process);
  const bool has_name = strncmp(thread->raw_name, there->raw_name, sizeof there->raw_name) == 0;
  if (there->state != FMT_THREAD_FOLDED)
    return is_same && thread->state != FMT_THREAD_FOLDED && there->tid == thread->tid &&
                   there->start_ticks == thread->start_ticks
               ? IN_ITSELF
               : NOWHERE;
  /* Those that ended are folded in a process without their names, and by their names when processes are. */
  if (!has_name && there->raw_name[0])
    return NOWHERE;
  if (is_same)
    return has_name ? IN_SAME_PROCESS_BY_NAME : IN_SAME_PROCESS;
  if (!is_same_command(profile, process, later, later_process))
    return NOWHERE;
  return has_name ? IN_SAME_COMMAND_BY_NAME : IN_SAME_COMMAND;
}

/* Threads are in the same order in both, but for those that came or went: the search begins behind the last one that
 * was found, `*next`. */
static int label_as(struct out_profile *profile, struct out_known_thread *thread, const struct out_profile *later,
                    uint32_t *next)
{
  const struct out_known_thread *best = NULL;
  const uint32_t first = *next, count = later->threads.count;
  int surest = NOWHERE;
  for (uint32_t i = 0; i < count && surest != IN_ITSELF; i++) {
    const uint32_t number = (uint32_t)(((uint64_t)first + i) % count);
    const struct out_known_thread *there = out_profile_thread(later, number);
    const int how = match(profile, thread, later, there);
    if (how > surest) {
      surest = how;
      best = there;
      *next = number + 1;
    }
  }
  return best ? base_strings_add(profile->strings, out_profile_string(later, best->label), &thread->label) : 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

int out_profile_name_as(struct out_profile *profile, const struct out_profile *later)
{
  int result = widen_as(profile, later);
  uint32_t next = 0;
  for (uint32_t i = 0; i < profile->threads.count && result == 0; i++)
    result = label_as(profile, out_profile_thread(profile, i), later, &next);
  return result < 0 ? -ENOMEM : 0;
}
