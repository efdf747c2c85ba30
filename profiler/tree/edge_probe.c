/*
 * The short probe: a direct-mapped table of edges by caller, comparison and words, beside the one by caller and site.
 *
 * What is compared and how is what the assembly compares, op by op, so an edge that is found there is one that the fast
 * path would have taken. The words are read once, hashed as they are read, and held against the edge's.
 */
#include "profiler/tree/edge_probe.h"

#include "profiler/base/read_memory.h"
#include "profiler/tree/capture_arithmetic.h"
#include "profiler/tree/cardinality_limit.h"

#define PROBE_WORDS 32u /* of a signature with programs, on the program's stack; a longer one goes the generic path */

/* The word that an op has the call pass: `value` is its register plus the offset. */
static uint64_t word_of(const struct prof_fast_compare_op *op, uint64_t value)
{
  switch (op->kind) {
  case PROF_COMPARE_REG:
    return prof_probe_extend(op, value);
  case PROF_COMPARE_REG_NULL:
    return value != 0;
  case PROF_COMPARE_FRAME8:
    return prof_frame_load(value, 8);
  case PROF_COMPARE_FRAME4:
    return prof_probe_extend(op, prof_frame_load(value, 4));
  case PROF_COMPARE_FRAME2:
    return prof_probe_extend(op, prof_frame_load(value, 2));
  case PROF_COMPARE_FRAME1:
    return prof_probe_extend(op, prof_frame_load(value, 1));
  case PROF_COMPARE_FRAME_NULL:
    return prof_frame_load(value, 8) != 0;
  case PROF_COMPARE_LOG2:
    return (uint64_t)fmt_bucket_log2(prof_probe_extend(op, value), op->flags & FMT_OPF_SIGNED);
  default: /* PROF_COMPARE_SKIP: as good as any other word, since it is the same at each call */
    return 0;
  }
}

/* The word that a load has the call pass. */
static uint64_t loaded_word(const struct prof_fast_compare_op *op, uint64_t loaded)
{
  const uint64_t value = prof_probe_extend(op, loaded);
  return op->flags & PROF_COMPARE_BUCKET ? (uint64_t)fmt_bucket_log2(value, op->flags & FMT_OPF_SIGNED) : value;
}

/* Does the call return to where the comparison was made for? `op` and the place behind it are its first two. */
static bool returns_there(const struct prof_fast_compare_op *op, const struct prof_registers *registers)
{
  uint64_t expected;
  __builtin_memcpy(&expected, op + 1, sizeof expected);
  return prof_frame_load(registers->general[op->reg] + (uint64_t)(int64_t)op->offset, 8) == expected;
}

/* The edge of a call with all of these words, and none but them. */
static struct fmt_rec_edge *look_whole(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                       const struct prof_fast_compare *compare, const uint64_t *words, uint32_t count)
{
  uint64_t hash = prof_probe_begin(from, compare);
  for (uint32_t i = 0; i < count; i++)
    hash = prof_probe_mix(hash, words[i]);
  struct fmt_rec_edge *edge = prof_probe_look(t, from, compare, hash);
  if (!edge || edge->word_count != count)
    return NULL;
  for (uint32_t i = 0; i < count; i++)
    if (words[i] != edge->words[i])
      return NULL;
  return edge;
}

/* What the interpreter reads the call's args from, at the function's newest levels. */
static struct prof_capture capture_of(const struct prof_fast_compare *compare, const struct prof_registers *registers)
{
  return (struct prof_capture){.site = compare->site,
                               .registers = registers,
                               .levels = prof_function_levels(compare->function),
                               .cfa = prof_capture_cfa(compare->site, registers)};
}

/* Are the comparison's levels those that the interpreter would go by? */
static bool is_newest(const struct prof_fast_compare *compare)
{
  return compare->widened == (uint32_t)compare->function->widenings;
}

/* What of an op's word is hashed: it may be read or not, where it is the same for all calls. */
static uint64_t hashed_word(const struct prof_fast_compare_op *op, uint64_t word)
{
  return op->kind == PROF_COMPARE_SKIP ? 0 : word;
}

/* The edge of a call that passes these words, one for each of `count` ops that compares one. */
static struct fmt_rec_edge *look_told(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                      const struct prof_fast_compare *compare, const struct prof_fast_compare_op *ops,
                                      const uint64_t *words, uint32_t count)
{
  uint64_t hash = prof_probe_begin(from, compare);
  const uint64_t *word = words;
  for (uint32_t i = 0; i < count; i++)
    if (ops[i].kind != PROF_COMPARE_STEP)
      hash = prof_probe_mix(hash, hashed_word(&ops[i], *word++));
  struct fmt_rec_edge *edge = prof_probe_look(t, from, compare, hash);
  const uint64_t *expected = prof_probe_words(edge, compare);
  word = words;
  for (uint32_t i = 0; edge && i < count; i++) {
    if (ops[i].kind == PROF_COMPARE_STEP)
      continue;
    if (*word++ != *expected++ && ops[i].kind != PROF_COMPARE_SKIP)
      return NULL;
  }
  return edge;
}

/* A probe for a comparison that is fast, of a call that passes a pointer to what is not known to be there: where it is
 * not, words are missing, by which another edge is found. And of one with a text beside what an op does not read. */
static struct fmt_rec_edge *probe_whole(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                        const struct prof_fast_compare *compare, const struct prof_registers *registers)
{
  uint64_t words[PROBE_WORDS];
  uint32_t count;
  const struct prof_site *site = compare->site;
  if (!is_newest(compare) || site->uses_xmm || site->uses_entry)
    return NULL;
  const struct prof_capture what = capture_of(compare, registers);
  if (prof_capture_words(&what, words, PROBE_WORDS - compare->call_site, &count) < 0)
    return NULL;
  const struct prof_fast_compare_op *last = &compare->ops[compare->count - 1];
  if (compare->call_site)
    words[count++] = word_of(last, registers->general[last->reg] + (uint64_t)(int64_t)last->offset);
  const uint32_t states = prof_compare_state_words(compare);
  return count == states + compare->compared && !compare->texts
             ? look_told(t, from, compare, compare->ops, words + states, compare->count)
             : look_whole(t, from, compare, words, count);
}

/* A probe that has to run programs of args. Their levels are the function's newest, and the comparison's are to be the
 * same. */
static struct fmt_rec_edge *probe_programs(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                           struct prof_fast_compare *compare, const struct prof_registers *registers)
{
  uint64_t words[PROBE_WORDS];
  uint32_t count = prof_compare_state_words(compare);
  if (!is_newest(compare) || count > PROBE_WORDS)
    return NULL;
  const struct prof_capture what = capture_of(compare, registers);
  for (uint32_t i = 0; i < count; i++)
    words[i] = prof_compare_states(compare)[i];
  for (uint32_t i = 0; i < compare->probed; i++) {
    const struct prof_fast_compare_op *op = &compare->ops[i];
    if (compare->texts && (op->kind == PROF_COMPARE_LOAD || op->kind == PROF_COMPARE_SKIP))
      return probe_whole(t, from, compare, registers);
    if (op->kind == PROF_COMPARE_STEP)
      continue;
    if (op->kind == PROF_COMPARE_PROGRAM || op->kind == PROF_COMPARE_TEXT) {
      if (prof_capture_arg(&what, (uint32_t)op->offset, words, PROBE_WORDS, &count) < 0)
        return NULL;
    } else if (count < PROBE_WORDS) {
      words[count++] = word_of(op, registers->general[op->reg] + (uint64_t)(int64_t)op->offset);
    } else {
      return NULL;
    }
  }
  return look_whole(t, from, compare, words, count);
}

struct fmt_rec_edge *prof_edge_probe_any(const struct prof_thread *t, const struct fmt_rec_variant *from,
                                         struct prof_fast_compare *compare, const struct prof_registers *registers)
{
  uint64_t words[PROF_PROBE_OPS], *word = words, behind = 0;
  const struct prof_fast_compare_op *op = compare->ops;
  uint32_t count = compare->probed;
  if (!count)
    return NULL;
  if (!compare->fast || compare->texts)
    return probe_programs(t, from, compare, registers);
  if (op->kind == PROF_COMPARE_RETURN) {
    if (!returns_there(op, registers))
      return NULL;
    op += 2;
    count -= 2;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t base = op[i].flags & PROF_COMPARE_BEHIND ? behind : registers->general[op[i].reg];
    const uint64_t value = base + (uint64_t)(int64_t)op[i].offset;
    const bool loads = op[i].kind == PROF_COMPARE_LOAD || op[i].kind == PROF_COMPARE_STEP;
    if (loads && !prof_read_known(&behind, value, 8 - op[i].shift / 8u))
      return probe_whole(t, from, compare, registers);
    if (op[i].kind != PROF_COMPARE_STEP)
      *word++ = loads ? loaded_word(&op[i], behind) : word_of(&op[i], value);
  }
  return look_told(t, from, compare, op, words, count);
}

void prof_edge_probe_note(const struct prof_thread *t, struct fmt_rec_edge *edge)
{
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  if (!compare || !compare->probed)
    return;
  /* One that the comparison does not tell from others is never looked for, unless by all of its words. */
  const bool by_ops = compare->fast && !compare->texts, is_told = by_ops && !(edge->flags & FMT_EDGE_GENERIC);
  if (by_ops && !compare->loads && !is_told)
    return;
  uint64_t hash = prof_probe_begin((const struct fmt_rec_variant *)edge->from, compare);
  if (!is_told) {
    for (uint32_t i = 0; i < edge->word_count; i++)
      hash = prof_probe_mix(hash, edge->words[i]);
    *prof_probe_place(t, hash) = edge;
    return;
  }
  const struct prof_fast_compare_op *op = compare->ops, *end = op + compare->count;
  if (op->kind == PROF_COMPARE_RETURN)
    op += 2;
  const uint64_t *word = prof_probe_words(edge, compare);
  for (; op != end; op++)
    if (op->kind != PROF_COMPARE_STEP)
      hash = prof_probe_mix(hash, hashed_word(op, *word++));
  *prof_probe_place(t, hash) = edge;
}
