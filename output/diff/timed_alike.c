/* Tells by the header of each recording how its calls were timed. */
#include "output/diff/timed_alike.h"

#include <errno.h>
#include <string.h>

/* A recording's way of timing is a clock and which calls are timed. */
enum { CLOCK_WALL, CLOCK_CPU, CLOCK_OWN, CLOCKS };
enum { CALLS_SAMPLED, CALLS_ALL, CALLS_BESIDE, CALL_KINDS };

static const char *const clock_names[CLOCKS] = {"wall clock", "CPU clock", "the program's own clock"};
static const char *const call_names[CALL_KINDS] = {"calls timed at random", "every call timed",
                                                   "times of a run beside"};

static unsigned clock_of(const struct out_recording_info *info)
{
  return info->clock == FMT_CLOCK_CPU ? CLOCK_CPU : info->clock == FMT_CLOCK_INJECTED ? CLOCK_OWN : CLOCK_WALL;
}

static bool is_beside(const struct out_profile *profile, const struct out_recording_info *info)
{
  if (info->sampled == FMT_NONE)
    return false;
  const struct fmt_rec_samples *head = &out_profile_sampled_run(profile, info->sampled)->head;
  return head->samples > 0 && !(head->flags & FMT_SAMPLES_OWN_RUN);
}

/* The ways of the recordings from `first` to `end`, which are those of one file: bits. A process of a run beside that
 * ended before a sample was taken has times of its own, and is of that run all the same. */
static uint32_t ways_of(const struct out_profile *profile, uint32_t first, uint32_t end)
{
  uint32_t own = 0, beside = 0;
  for (uint32_t i = first; i < end; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    const unsigned calls = info->flags & FMT_REC_SAMPLED ? CALLS_SAMPLED : CALLS_ALL;
    own |= 1u << (clock_of(info) * CALL_KINDS + calls);
    if (is_beside(profile, info))
      beside |= 1u << (clock_of(info) * CALL_KINDS + CALLS_BESIDE);
  }
  return beside ? beside : own;
}

static void put_ways(struct out_text *text, const char *side, uint32_t ways)
{
  out_text_printf(text, "%s: ", side);
  for (unsigned i = 0; i < CLOCKS * CALL_KINDS; i++) {
    if (!(ways & 1u << i))
      continue;
    ways &= ~(1u << i);
    out_text_printf(text, "%s, %s%s", clock_names[i / CALL_KINDS], call_names[i % CALL_KINDS], ways ? " and " : "");
  }
}

int out_diff_timed_alike(const struct out_profile *profile, const struct out_diff_file *files, uint32_t count,
                         char **words)
{
  uint32_t of_side[2] = {0, 0}, first = 0, of_first = 0;
  bool alike = true;
  *words = NULL;
  for (uint32_t i = 0; i < count; first = files[i++].end) {
    const uint32_t ways = ways_of(profile, first, files[i].end);
    of_side[files[i].is_new] |= ways;
    of_first = i == 0 ? ways : of_first;
    alike &= ways == of_first;
  }
  if (alike)
    return 0;
  struct out_text text = {0};
  put_ways(&text, "old", of_side[0]);
  put_ways(&text, "; new", of_side[1]);
  if (!text.failed)
    *words = strdup(out_text_string(&text));
  out_text_free(&text);
  return *words ? 0 : -ENOMEM;
}
