/* Counters of one key become one, and so does what threads that are one by now counted with them. */
#include "output/merge/fold_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/idset.h"

static struct out_counter_record *counter_at(const struct out_profile *profile, uint32_t number)
{
  return base_vector_at(&profile->stage_records.counters, number);
}

static struct out_counter_use_record *use_at(const struct out_profile *profile, uint32_t number)
{
  return base_vector_at(&profile->stage_records.counter_uses, number);
}

static bool equal_counter(const void *owner, uint32_t number, const void *key)
{
  const struct out_counter_record *there = counter_at(owner, number), *wanted = key;
  return there->recording == wanted->recording && there->key == wanted->key &&
         there->record.kind == wanted->record.kind;
}

static bool equal_use(const void *owner, uint32_t number, const void *key)
{
  const struct out_counter_use_record *there = use_at(owner, number), *wanted = key;
  return there->thread == wanted->thread && there->counter == wanted->counter && there->stage == wanted->stage;
}

/* Moves the first of each kind to the front, in their order; `counter_of`: by counter, where it went. */
static int fold_counters(struct out_profile *profile, uint32_t *counter_of)
{
  struct base_vector *counters = &profile->stage_records.counters;
  struct out_idset set = {0};
  uint32_t kept = 0;
  int result = 0;
  for (uint32_t i = 0; i < counters->count && result == 0; i++) {
    const struct out_counter_record counter = *counter_at(profile, i);
    const uint64_t hash = out_hash_mix(out_hash_mix(counter.recording, counter.key), counter.record.kind);
    counter_of[i] = out_idset_find(&set, hash, profile, &counter, equal_counter);
    if (counter_of[i] != FMT_NONE)
      continue;
    counter_of[i] = kept;
    *counter_at(profile, kept) = counter;
    result = out_idset_add(&set, hash, kept++);
  }
  if (result == 0)
    counters->count = kept;
  out_idset_free(&set);
  return result;
}

/* Slots begin with a process each, and lie nowhere beside those of another. */
static void add_use(struct fmt_rec_counter_use *sum, const struct fmt_rec_counter_use *more)
{
  sum->count += more->count;
  sum->amount += more->amount;
  if (more->last_ticks > sum->last_ticks) {
    sum->last_ticks = more->last_ticks;
    sum->last = more->last;
  }
  sum->least = more->least < sum->least ? more->least : sum->least;
  sum->most = more->most > sum->most ? more->most : sum->most;
  sum->shift = 0;
  memset(sum->slots, 0, sizeof sum->slots);
}

static int fold_uses(struct out_profile *profile, const uint32_t *counter_of)
{
  struct base_vector *uses = &profile->stage_records.counter_uses;
  struct out_idset set = {0};
  uint32_t kept = 0;
  int result = 0;
  for (uint32_t i = 0; i < uses->count && result == 0; i++) {
    struct out_counter_use_record use = *use_at(profile, i);
    use.counter = counter_of[use.counter];
    const uint64_t hash = out_hash_mix(out_hash_mix(use.thread, use.counter), use.stage);
    const uint32_t known = out_idset_find(&set, hash, profile, &use, equal_use);
    if (known != FMT_NONE) {
      add_use(&use_at(profile, known)->record, &use.record);
      continue;
    }
    *use_at(profile, kept) = use;
    result = out_idset_add(&set, hash, kept++);
  }
  if (result == 0)
    uses->count = kept;
  out_idset_free(&set);
  return result;
}

int out_fold_counters(struct out_profile *profile)
{
  uint32_t *counter_of = malloc((profile->stage_records.counters.count + 1u) * sizeof *counter_of);
  int result = counter_of ? fold_counters(profile, counter_of) : -ENOMEM;
  if (result == 0)
    result = fold_uses(profile, counter_of);
  free(counter_of);
  return result;
}
