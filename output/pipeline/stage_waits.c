/* Sums what tasks were found waiting for. */
#include "output/pipeline/stage_waits.h"

#include <math.h>

#define ENOUGH 5u /* looks that saw something wait */

static const struct {
  const char *text, *key;
} names[FMT_WAIT_KINDS] = {
    [FMT_WAIT_NONE] = {"runs", "runs"},
    [FMT_WAIT_LOCK] = {"waits for a lock", "lock"},
    [FMT_WAIT_CONDITION] = {"waits for a condition", "condition"},
    [FMT_WAIT_SLEEP] = {"sleeps", "sleep"},
    [FMT_WAIT_FILE] = {"waits to read or write", "file"},
    [FMT_WAIT_EVENT] = {"waits for an event", "event"},
    [FMT_WAIT_MEMORY] = {"waits for memory", "memory"},
    [FMT_WAIT_OTHER] = {"waits in a system call", "other"},
};

const char *out_wait_text(enum fmt_wait_kind kind)
{
  return names[kind].text;
}

const char *out_wait_key(enum fmt_wait_kind kind)
{
  return names[kind].key;
}

void out_waits_add(struct out_waits *waits, uint32_t kind, uint64_t looks)
{
  waits->looks += looks;
  waits->by_kind[kind] += looks;
}

bool out_waits_tell(const struct out_waits *waits)
{
  return waits->looks - waits->by_kind[FMT_WAIT_NONE] >= ENOUGH;
}

void out_waits_weigh(struct out_waits *waits, double running)
{
  const double seen = (double)waits->by_kind[FMT_WAIT_NONE], others = (double)waits->looks - seen;
  if (seen > 0 && others > 0 && running < 1)
    waits->running = running / (1 - running) * others / seen;
}

/* So many looks of this kind as a share of all. */
static double share_of(const struct out_waits *waits, uint64_t looks, double weight)
{
  const double seen = (double)waits->by_kind[FMT_WAIT_NONE], others = (double)waits->looks - seen;
  const double all = seen * waits->running + others;
  return all > 0 ? (double)looks * weight / all : 0;
}

double out_waits_share(const struct out_waits *waits, enum fmt_wait_kind kind)
{
  return share_of(waits, waits->by_kind[kind], kind == FMT_WAIT_NONE ? waits->running : 1);
}

enum fmt_wait_kind out_waits_most(const struct out_waits *waits, double least, double *share)
{
  enum fmt_wait_kind most = FMT_WAIT_LOCK;
  for (enum fmt_wait_kind kind = FMT_WAIT_LOCK; kind < FMT_WAIT_KINDS; kind++)
    if (waits->by_kind[kind] > waits->by_kind[most])
      most = kind;
  *share = out_waits_share(waits, most);
  return waits->looks > 0 && *share >= least ? most : FMT_WAIT_NONE;
}

struct out_waits out_stage_waits(const struct callsig_pipeline *pipeline, uint32_t stage)
{
  struct out_waits waits = {.running = 1};
  for (uint32_t i = 0; i < pipeline->waits.count; i++) {
    const struct out_stage_wait *wait = base_vector_at(&pipeline->waits, i);
    if (wait->stage == stage)
      out_waits_add(&waits, wait->kind, wait->looks);
  }
  return waits;
}

double out_stage_waits_lock(const struct callsig_pipeline *pipeline, uint32_t stage, const struct out_waits *waits)
{
  uint64_t most = 0;
  for (uint32_t i = 0; i < pipeline->waits.count; i++) {
    const struct out_stage_wait *wait = base_vector_at(&pipeline->waits, i);
    if (wait->stage == stage && wait->kind == FMT_WAIT_LOCK && wait->address && wait->looks > most)
      most = wait->looks;
  }
  return share_of(waits, most, 1);
}

double out_stage_waits_common(const struct callsig_pipeline *pipeline, uint32_t stage, uint32_t other)
{
  const uint64_t looks = out_stage_waits(pipeline, stage).looks, other_looks = out_stage_waits(pipeline, other).looks;
  double common = 0;
  for (uint32_t i = 0; i < pipeline->waits.count && looks > 0 && other_looks > 0; i++) {
    const struct out_stage_wait *wait = base_vector_at(&pipeline->waits, i);
    for (uint32_t j = 0; wait->stage == stage && wait->address && j < pipeline->waits.count; j++) {
      const struct out_stage_wait *there = base_vector_at(&pipeline->waits, j);
      if (there->stage == other && there->address == wait->address && there->kind == wait->kind)
        common = fmax(common, fmin((double)wait->looks / (double)looks, (double)there->looks / (double)other_looks));
    }
  }
  return common;
}
