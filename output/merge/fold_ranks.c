/* callsig_stats_fold_ranks(): the ranks of a program become one process, which has of each row what it was over them.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/merge/bound_rank_rows.h"
#include "output/merge/fold_processes.h"
#include "output/merge/rescale.h"
#include "output/profile/edge_time.h"
#include "output/profile/process.h"
#include "output/text/message.h"

/* By process: what it spent is not told by rank yet. */
static bool *find_new(const struct out_profile *profile)
{
  bool *is_new = calloc(profile->recordings.count + 1u, sizeof *is_new),
       *stays = calloc(profile->recordings.count + 1u, sizeof *stays);
  if (is_new && stays) {
    out_fold_find_staying(profile, stays);
    for (uint32_t i = 0; i < profile->recordings.count; i++)
      is_new[i] =
          !stays[i] && out_process_has_rank(profile, i) && out_profile_recording(profile, i)->process.ranks == 0;
    for (uint32_t i = 0; i < profile->rank_rows.count; i++)
      is_new[((struct out_rank_row *)base_vector_at(&profile->rank_rows, i))->process] = false;
  }
  free(stays);
  if (!stays) {
    free(is_new);
    return NULL;
  }
  return is_new;
}

static int add_row(struct callsig_stats *stats, const struct out_row *row, bool of_signature)
{
  const double nanoseconds = stats->grouping.tick * 1e9;
  const int64_t rank = out_profile_recording(&stats->profile, row->key.process)->process.rank;
  struct out_rank_row *added = base_vector_add(&stats->profile.rank_rows, 1);
  if (!added)
    return -ENOMEM;
  *added = (struct out_rank_row){.process = row->key.process,
                                 .what = row->key.what,
                                 .of_signature = of_signature,
                                 .have = 1,
                                 .first_lacking = FMT_NO_RANK};
  out_rank_value_of(&added->values[FMT_RANK_CALLS], row->calls, rank);
  out_rank_value_of(&added->values[FMT_RANK_OWN], out_ticks((double)row->own * nanoseconds), rank);
  out_rank_value_of(&added->values[FMT_RANK_CUMULATIVE], out_ticks((double)row->cumulative * nanoseconds), rank);
  return 0;
}

/* Calls of which the arguments are not known may be added to by signatures that lose theirs, whose ranks are not told
 * apart then: what it is over ranks is not known. */
static bool is_without_arguments(const struct out_profile *profile, uint32_t number)
{
  const struct out_signature *signature = out_profile_signature(profile, number);
  const struct out_layout *layout = out_profile_layout(profile, signature->layout);
  return signature->any && !signature->text && (!layout->entry || layout->entry->arg_count > 0);
}

/* The rows that a report of each rank's own recording has. */
static int take_rows(struct callsig_stats *stats, unsigned by, const bool *is_new)
{
  int result = callsig_stats_group(stats, by | CALLSIG_BY_PROCESS);
  if (result == 0)
    result = out_stats_build(stats);
  for (uint32_t i = 0; i < stats->rows.list.count && result == 0; i++) {
    const struct out_row *row = out_rows_at(&stats->rows, i);
    if (row->key.process != FMT_NONE && is_new[row->key.process] && row->key.what != FMT_NONE &&
        !(by & CALLSIG_BY_SIGNATURE && is_without_arguments(&stats->profile, row->key.what)))
      result = add_row(stats, row, by & CALLSIG_BY_SIGNATURE);
  }
  return result;
}

/* Says how many ranks could not become one with others. */
static void tell_staying(const struct out_profile *profile)
{
  uint32_t count = 0;
  bool *stays = calloc(profile->recordings.count + 1u, sizeof *stays);
  if (stays)
    out_fold_find_staying(profile, stays);
  for (uint32_t i = 0; stays && i < profile->recordings.count; i++)
    count += stays[i] && out_process_has_rank(profile, i);
  free(stays);
  if (count > 1)
    out_stats_message(
        "%u processes of ranks stay by themselves: they have stages, queues, events or a timeline, which are "
        "of one process each",
        count);
}

int callsig_stats_fold_ranks(struct callsig_stats *stats)
{
  const unsigned by = stats->by;
  int result = out_stats_not_empty(stats);
  if (result == 0)
    result = out_fold_processes(stats, OUT_FOLD_EACH_RANK);
  bool *is_new = result == 0 ? find_new(&stats->profile) : NULL;
  if (result == 0 && (!is_new || out_rescale(&stats->profile, is_new) < 0))
    result = out_stats_no_memory();
  out_stats_forget(stats);
  if (result == 0)
    result = take_rows(stats, CALLSIG_BY_FUNCTION, is_new);
  if (result == 0)
    result = take_rows(stats, CALLSIG_BY_FUNCTION | CALLSIG_BY_SIGNATURE, is_new);
  free(is_new);
  if (result == 0)
    result = callsig_stats_group(stats, by);
  if (result == 0)
    result = out_fold_processes(stats, OUT_FOLD_RANKS);
  bool is_bounded = false;
  if (result == 0 && out_bound_rank_rows(stats, OUT_RANK_ROWS_MOST, &is_bounded) < 0)
    result = out_stats_no_memory();
  if (result == 0 && is_bounded)
    result = out_fold_processes(stats, OUT_FOLD_COMMANDS);
  if (result == 0)
    tell_staying(&stats->profile);
  return result;
}
