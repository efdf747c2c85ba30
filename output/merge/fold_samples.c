/* Samples of processes that become one are those of one run, as long as all of theirs. */
#include "output/merge/fold_samples.h"

#include <errno.h>
#include <stdlib.h>

static const struct out_sampled_run *run_of(const struct out_profile *profile, const struct out_recording_info *info)
{
  return info->sampled == FMT_NONE ? NULL : out_profile_sampled_run(profile, info->sampled);
}

bool out_fold_same_samples(const struct out_profile *profile, const struct out_recording_info *left,
                           const struct out_recording_info *right)
{
  const struct out_sampled_run *one = run_of(profile, left), *other = run_of(profile, right);
  if (!one || !other)
    return !one && !other;
  return one->head.flags == other->head.flags && one->head.flags & FMT_SAMPLES_OWN_RUN &&
         one->head.method == other->head.method;
}

/* The places of several runs on their way to be those of one. */
struct places {
  struct out_profile *profile;
  uint32_t first;        /* in profile.places: those of the sum begin there */
  struct out_idset set;  /* of them, from 0 on */
  struct base_vector of; /* uint32_t by place of the run that is added: the place of the sum */
};

static bool equal_place(const void *owner, uint32_t number, const void *key)
{
  const struct places *places = owner;
  const struct out_place *there = out_profile_place(places->profile, places->first + number), *wanted = key;
  return there->name == wanted->name && there->file == wanted->file && there->line == wanted->line &&
         there->parent == wanted->parent;
}

/* The number of the sum's place that is as `place`, whose parent is the sum's already. FMT_NONE: no memory. */
static uint32_t place_in_sum(struct places *places, const struct out_place *place)
{
  const uint64_t hash = out_hash_mix(out_hash_mix(place->name, place->parent), place->line);
  const uint32_t known = out_idset_find(&places->set, hash, places, place, equal_place);
  if (known != FMT_NONE)
    return known;
  struct out_place *added = base_vector_add(&places->profile->places, 1);
  if (!added)
    return FMT_NONE;
  *added = *place;
  added->samples = 0;
  const uint32_t number = places->profile->places.count - 1 - places->first;
  return out_idset_add(&places->set, hash, number) == 0 ? number : FMT_NONE;
}

static int add_places(struct places *places, const struct out_sampled_run *run)
{
  places->of.count = 0;
  uint32_t *of = base_vector_add(&places->of, run->count);
  if (!of && run->count > 0)
    return -ENOMEM;
  for (uint32_t i = 0; i < run->count; i++) {
    struct out_place place = *out_profile_place(places->profile, run->first + i);
    if (place.parent != FMT_NONE)
      place.parent = of[place.parent];
    of[i] = place_in_sum(places, &place);
    if (of[i] == FMT_NONE)
      return -ENOMEM;
    struct out_place *sum = out_profile_place(places->profile, places->first + of[i]);
    sum->samples += place.samples;
    /* A function that one process called is known by its calls, and not by those of others. */
    if (sum->row == FMT_NONE)
      sum->row = place.row;
  }
  return 0;
}

/* What a sample stands for was measured of each run. A sample of the sum stands for the mean: so the time of all of
 * them stays, and their number, on which it depends how certain they are. */
static void add_head(struct fmt_rec_samples *sum, const struct fmt_rec_samples *more)
{
  const uint64_t one = sum->samples + sum->others, other = more->samples + more->others;
  if (one + other > 0)
    sum->period =
        (uint64_t)(((unsigned __int128)sum->period * one + (unsigned __int128)more->period * other) / (one + other));
  sum->samples += more->samples;
  sum->unmapped += more->unmapped;
  sum->others += more->others;
  sum->lost += more->lost;
  sum->flags |= more->flags & FMT_SAMPLES_LOST_WAITS;
  sum->used_ns += more->used_ns;
}

/* Gives the first of the processes in a list all samples of the others. */
static int add_up(struct out_profile *profile, uint32_t first, const uint32_t *next)
{
  const uint32_t number = out_profile_recording(profile, first)->sampled;
  struct out_sampled_run sum = *out_profile_sampled_run(profile, number);
  struct places places = {.profile = profile, .first = profile->places.count, .of = BASE_VECTOR_OF(uint32_t)};
  int result = add_places(&places, &sum);
  for (uint32_t i = next[first]; i != FMT_NONE && result == 0; i = next[i]) {
    struct out_recording_info *info = out_profile_recording(profile, i);
    const struct out_sampled_run *more = out_profile_sampled_run(profile, info->sampled);
    add_head(&sum.head, &more->head);
    result = add_places(&places, more);
    info->sampled = FMT_NONE;
  }
  sum.first = places.first;
  sum.count = profile->places.count - places.first;
  sum.head.count = sum.count;
  *out_profile_sampled_run(profile, number) = sum;
  out_idset_free(&places.set);
  base_vector_free(&places.of);
  return result;
}

int out_fold_samples(struct out_profile *profile, const uint32_t *process_of, uint32_t count)
{
  uint32_t *first = malloc((count + 1u) * sizeof *first), *last = malloc((count + 1u) * sizeof *last),
           *next = malloc((profile->recordings.count + 1u) * sizeof *next);
  int result = first && last && next ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++)
    first[i] = FMT_NONE;
  for (uint32_t i = 0; i < profile->recordings.count && result == 0; i++) {
    const uint32_t into = process_of[i];
    next[i] = FMT_NONE;
    if (out_profile_recording(profile, i)->sampled == FMT_NONE)
      continue;
    if (first[into] == FMT_NONE)
      first[into] = i;
    else
      next[last[into]] = i;
    last[into] = i;
  }
  for (uint32_t i = 0; i < count && result == 0; i++)
    if (first[i] != FMT_NONE && next[first[i]] != FMT_NONE)
      result = add_up(profile, first[i], next);
  free(first);
  free(last);
  free(next);
  return result;
}
