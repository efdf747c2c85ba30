/* Takes the arguments off signatures that few ranks have. */
#include "output/merge/bound_rank_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "output/profile/process.h"

/* Does its row not have all ranks, and could do without its arguments? */
static bool is_candidate(const struct out_profile *profile, const struct out_rank_row *row)
{
  if (!row->of_signature || row->have == 0)
    return false;
  const struct out_signature *signature = out_profile_signature(profile, row->what);
  return row->have < out_process_rank_count(&out_profile_recording(profile, row->process)->process) &&
         !signature->any && !signature->text && signature->word_count > 0;
}

/* Those that go first come first. */
static int compare(const void *left, const void *right)
{
  const struct out_rank_row *a = *(struct out_rank_row *const *)left, *b = *(struct out_rank_row *const *)right;
  const uint64_t a_own = a->values[FMT_RANK_OWN].sum_low, b_own = b->values[FMT_RANK_OWN].sum_low;
  if (a->have != b->have)
    return a->have < b->have ? -1 : 1;
  if (a_own != b_own)
    return a_own < b_own ? -1 : 1;
  return a->what < b->what ? -1 : a->what > b->what;
}

static void tell(struct out_profile *profile, uint32_t process)
{
  struct out_recording_info *info = out_profile_recording(profile, process);
  info->process.loss[FMT_LOSS_SIGNATURES_MERGED] = ++info->loss[FMT_LOSS_SIGNATURES_MERGED];
}

/* Gives the variants of the signatures that are `gone` those without arguments. */
static int replace(struct out_profile *profile, const uint8_t *gone, uint32_t count)
{
  for (uint32_t i = 0; i < profile->variants.count; i++) {
    const uint32_t signature = out_profile_variant(profile, i)->signature;
    uint32_t any;
    if (signature == FMT_NONE || signature >= count || !gone[signature])
      continue;
    if (out_profile_intern_signature(profile, out_profile_signature(profile, signature)->layout, true, NULL, 0, &any) <
        0)
      return -ENOMEM;
    out_profile_variant(profile, i)->signature = any;
  }
  return 0;
}

int out_bound_rank_rows(struct callsig_stats *stats, uint32_t most, bool *changed)
{
  struct out_profile *profile = &stats->profile;
  const uint32_t signatures = profile->signatures.count;
  struct out_rank_row **candidates = malloc((profile->rank_rows.count + 1u) * sizeof(struct out_rank_row *));
  uint8_t *gone = calloc(signatures + 1u, 1);
  uint32_t count = 0;
  int result = candidates && gone ? 0 : -ENOMEM;
  *changed = false;
  for (uint32_t i = 0; i < profile->rank_rows.count && result == 0; i++) {
    struct out_rank_row *row = base_vector_at(&profile->rank_rows, i);
    if (is_candidate(profile, row))
      candidates[count++] = row;
  }
  if (result == 0 && count > most) {
    qsort(candidates, count, sizeof(struct out_rank_row *), compare);
    for (uint32_t i = 0; i < count - most; i++) {
      gone[candidates[i]->what] = 1;
      candidates[i]->have = 0;
      tell(profile, candidates[i]->process);
    }
    out_stats_forget(stats);
    *changed = true;
    result = replace(profile, gone, signatures);
    /* Of several processes one may have kept its row of a signature that is gone. */
    for (uint32_t i = 0; i < profile->rank_rows.count; i++) {
      struct out_rank_row *row = base_vector_at(&profile->rank_rows, i);
      if (row->of_signature && row->what < signatures && gone[row->what])
        row->have = 0;
    }
  }
  free(candidates);
  free(gone);
  return result;
}
