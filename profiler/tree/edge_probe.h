/*
 * The short probe: the edge of a call that was not foretold, by its site's comparison and its registers alone.
 */
#ifndef CALLSIG_PROFILER_TREE_EDGE_PROBE_H
#define CALLSIG_PROFILER_TREE_EDGE_PROBE_H

#include <stdint.h>

#include "format/recording.h"
#include "profiler/base/compiler.h"
#include "profiler/stack/thread.h"
#include "profiler/tree/capture.h"
#include "profiler/tree/edge_places.h"
#include "profiler/tree/fast_compare.h"

/* Has later probes find this edge. Anywhere. */
void prof_edge_probe_note(const struct prof_thread *t, struct fmt_rec_edge *edge);

static inline uint64_t prof_probe_mix(uint64_t hash, uint64_t word)
{
  return (hash ^ word) * 0x9E3779B97F4A7C15u;
}

/* Where an edge of this hash lies. Only the high bits of a product are well mixed. */
static inline struct fmt_rec_edge **prof_probe_place(const struct prof_thread *t, uint64_t hash)
{
  return prof_edge_place(&t->probes, &t->probes_mask, hash >> (64 - 3 - PROF_PROBE_BITS));
}

static inline uint64_t prof_probe_begin(const struct fmt_rec_variant *from, const struct prof_fast_compare *compare)
{
  return prof_probe_mix((uintptr_t)from, (uintptr_t)compare);
}

static inline uint64_t prof_probe_extend(const struct prof_fast_compare_op *op, uint64_t value)
{
  int64_t high = (int64_t)(value << op->shift);
  return op->flags & FMT_OPF_SIGNED ? (uint64_t)(high >> op->shift) : (uint64_t)high >> op->shift;
}

/* The edge at this place, if it is one of `from` that was made for this comparison. */
static inline struct fmt_rec_edge *prof_probe_look(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                                   const struct prof_fast_compare *compare, uint64_t hash)
{
  struct fmt_rec_edge *edge = *prof_probe_place(t, hash);
  return edge && edge->from == (uintptr_t)from && edge->site_info == (uintptr_t)compare &&
                 edge->site == compare->site->pc
             ? edge
             : NULL;
}

static inline const uint64_t *prof_probe_words(const struct fmt_rec_edge *edge, const struct prof_fast_compare *compare)
{
  return (const uint64_t *)((uintptr_t)edge + compare->words);
}

/* prof_edge_probe() of a comparison with any ops. Anywhere. */
struct fmt_rec_edge *prof_edge_probe_any(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                         struct prof_fast_compare *compare, const struct prof_registers *registers);

/* The edge that the hooks would call from `from`, had it been foretold: made for this comparison, with the words that
 * its ops compare as these registers have them. NULL when there is none at hand: the generic path finds out. Opens and
 * changes nothing, so the edge's mode is still to be held against the thread's. Anywhere. */
static inline struct fmt_rec_edge *prof_edge_probe(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                                   struct prof_fast_compare *compare,
                                                   const struct prof_registers *registers)
{
  uint64_t words[PROF_PROBE_OPS], hash = prof_probe_begin(from, compare);
  uint32_t count = compare->count;
  if (PROF_UNLIKELY(!compare->registers))
    return prof_edge_probe_any(t, from, compare, registers);
  for (uint32_t i = 0; i < count; i++) {
    const struct prof_fast_compare_op *op = &compare->ops[i];
    words[i] = prof_probe_extend(op, registers->general[op->reg] + (uint64_t)(int64_t)op->offset);
    hash = prof_probe_mix(hash, words[i]);
  }
  struct fmt_rec_edge *edge = prof_probe_look(t, from, compare, hash);
  const uint64_t *expected = prof_probe_words(edge, compare);
  for (uint32_t i = 0; edge && i < count; i++)
    if (words[i] != expected[i])
      return NULL;
  return edge;
}

#endif
