/* Says what recordings lack. */
#include "output/notes/loss_notes.h"

#include <errno.h>

#include "output/profile/process.h"

/* Recordings that each have a note of their own of the same loss. */
#define MOST_APART 2u

static const struct loss {
  uint32_t counter;
  const char *thing, *text, *of_one; /* `of_one`: what is said of one alone, where that is something else */
  bool is_missing;                   /* the rows lack it, or some of it: told before all else */
} losses[] = {
    {.counter = FMT_LOSS_NO_SPACE,
     .is_missing = true,
     .thing = "call",
     .text = "not recorded: the recording could not grow (disk full, out of reach, or its memory limit), or memory was "
             "refused"},
    {.counter = FMT_LOSS_NO_SLED,
     .is_missing = true,
     .thing = "call",
     .text = "not recorded: their module's signature index could not be read there (by another user, or it is gone)",
     .of_one = "not recorded: its module's signature index could not be read there (by another user, or it is gone)"},
    {.counter = FMT_LOSS_NESTED,
     .is_missing = true,
     .thing = "call",
     .text = "not recorded: made inside of the profiler's own slow path"},
    {.counter = FMT_LOSS_LATE,
     .is_missing = true,
     .thing = "call",
     .text = "not recorded: made after their thread had ended",
     .of_one = "not recorded: made after its thread had ended"},
    {.counter = FMT_LOSS_EXIT_UNMATCHED, .is_missing = true, .thing = "exit", .text = "without an entry, ignored"},
    {.counter = FMT_LOSS_UNWOUND,
     .thing = "call",
     .text = "ended without their exit hook (longjmp, exception, thread exit): counted, closed when noticed",
     .of_one = "ended without its exit hook (longjmp, exception, thread exit): counted, closed when noticed"},
    {.counter = FMT_LOSS_EDGES_MERGED,
     .thing = "call",
     .text = "counted without the caller's signature, to stay in bounds"},
    {.counter = FMT_LOSS_CONTEXTS_MERGED, .thing = "call", .text = "counted in merged contexts, to stay in bounds"},
    {.counter = FMT_LOSS_NO_INDEX, .thing = "call", .text = "of modules without a signature index: shown by address"},
    {.counter = FMT_LOSS_SIGNATURES_MERGED, .thing = "signature", .text = "merged into wider ones, to stay in bounds"},
    {.counter = FMT_LOSS_HISTOGRAM, .thing = "call", .text = "not in the percentiles: the recording was nearly full"},
    {.counter = FMT_LOSS_TIMELINE,
     .thing = "span",
     .text = "not in the timeline: their threads found no space, or were folded",
     .of_one = "not in the timeline: its thread found no space, or was folded"},
};

/* A loss over all recordings. */
struct sum {
  uint64_t all, most;
  uint32_t recordings;                                /* that have it */
  const struct out_recording_info *first, *with_most; /* in the order of all; the first one of equals */
};

static struct sum sum_of(const struct out_profile *profile, const uint32_t *order, uint32_t counter)
{
  struct sum sum = {0};
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, order[i]);
    const uint64_t lost = info->loss[counter];
    if (lost == 0)
      continue;
    sum.recordings++;
    sum.first = sum.first ? sum.first : info;
    sum.all = lost > UINT64_MAX - sum.all ? UINT64_MAX : sum.all + lost;
    if (lost > sum.most) {
      sum.most = lost;
      sum.with_most = info;
    }
  }
  return sum;
}

static void put_count(struct out_text *text, uint64_t number, const char *thing)
{
  out_text_printf(text, "%llu %s%s", (unsigned long long)number, thing, number == 1 ? "" : "s");
}

/* Nothing, where it is told of at another recording. */
static void put_loss(struct out_text *text, const struct out_profile *profile, const struct out_recording_info *info,
                     const struct loss *loss, const struct sum *sum)
{
  if (sum->recordings > MOST_APART) {
    if (sum->first != info)
      return;
    put_count(text, sum->all, loss->thing);
    out_text_printf(text, " of %u recordings %s; %llu of them in %s", sum->recordings, loss->text,
                    (unsigned long long)sum->most, out_process_source(profile, sum->with_most));
    return;
  }
  if (profile->recordings.count > 1)
    out_text_printf(text, "%s: ", out_process_source(profile, info));
  const uint64_t lost = info->loss[loss->counter];
  put_count(text, lost, loss->thing);
  out_text_printf(text, " %s", lost == 1 && loss->of_one ? loss->of_one : loss->text);
}

/* It found no place, and cannot tell how much that is. */
static void put_full(struct out_text *text, const struct out_profile *profile, const struct out_recording_info *info)
{
  if (!(info->flags & FMT_REC_FULL) || info->loss[FMT_LOSS_NO_SPACE] > 0)
    return;
  if (profile->recordings.count > 1)
    out_text_printf(text, "%s: ", out_process_source(profile, info));
  out_text_puts(
      text,
      "the recording could not grow (disk full, out of reach, or its memory limit): a module, or calls, may be missing "
      "from it");
}

static int give(struct out_text *text, out_note_fn note, void *data)
{
  int result = text->failed ? -ENOMEM : 0;
  if (result == 0 && text->length > 0)
    result = note(out_text_string(text), data);
  out_text_clear(text);
  return result;
}

/* The notes of what is missing, or of the rest. */
static int give_losses(const struct out_profile *profile, const uint32_t *order, uint32_t number, bool is_missing,
                       out_note_fn note, void *data)
{
  const struct out_recording_info *info = out_profile_recording(profile, order[number]);
  struct out_text text = {0};
  int result = 0;
  for (size_t i = 0; i < sizeof losses / sizeof losses[0] && result == 0; i++) {
    if (info->loss[losses[i].counter] == 0 || losses[i].is_missing != is_missing)
      continue;
    const struct sum sum = sum_of(profile, order, losses[i].counter);
    put_loss(&text, profile, info, &losses[i], &sum);
    result = give(&text, note, data);
  }
  if (result == 0 && is_missing) {
    put_full(&text, profile, info);
    result = give(&text, note, data);
  }
  out_text_free(&text);
  return result;
}

int out_missing_notes(const struct out_profile *profile, const uint32_t *order, uint32_t number, out_note_fn note,
                      void *data)
{
  return give_losses(profile, order, number, true, note, data);
}

int out_loss_notes(const struct out_profile *profile, const uint32_t *order, uint32_t number, out_note_fn note,
                   void *data)
{
  return give_losses(profile, order, number, false, note, data);
}
