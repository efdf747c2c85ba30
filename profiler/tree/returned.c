/*
 * The edges of calls by what they returned.
 *
 * A call is opened before its value is known, in an edge whose signature has it as lost. When it ends, it counts in an
 * edge of the same caller, site and context, whose signature has the value: a sibling, which no entry ever finds and
 * from which nothing is called. What the call called stays below the first one.
 */
#include "profiler/tree/returned.h"

#include "format/index.h"
#include "profiler/base/signature.h"
#include "profiler/module/site.h"
#include "profiler/tree/capture.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/fast_compare.h"
#include "profiler/tree/tree.h"

/* The low bytes of a word, as a value of the type. */
static uint64_t extend(uint64_t word, const struct fmt_index_type *type)
{
  if (type->size == 0 || type->size >= 8)
    return word;
  const unsigned shift = 64 - 8 * type->size;
  return type->is_signed ? (uint64_t)((int64_t)(word << shift) >> shift) : word << shift >> shift;
}

/* The arg's word; there is one unless its kind is FMT_ARG_TYPE. */
static uint64_t word_of(const struct fmt_index *index, const struct fmt_index_arg *arg,
                        const struct prof_returned *returned)
{
  const struct fmt_index_type *type = &index->types[arg->type];
  switch (arg->kind) {
  case FMT_ARG_NULLNESS:
    return returned->general != 0;
  case FMT_ARG_FLOAT:
    return extend(returned->vector, type);
  case FMT_ARG_BUCKET_LOG2:
    return (uint64_t)fmt_bucket_log2(extend(returned->general, type), type->is_signed);
  case FMT_ARG_BUCKET_RANGE:
    return prof_capture_range(index->ranges + arg->aux, extend(returned->general, type), type->is_signed);
  default:
    return extend(returned->general, type);
  }
}

uint32_t prof_returned_words(const struct fmt_rec_edge *edge, const struct prof_returned *returned, uint64_t *words,
                             uint32_t capacity)
{
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  const struct fmt_index_function *function = compare->site->index_function;
  const struct fmt_index *index = &compare->site->module->index;
  const unsigned last = function->arg_count - 1u;
  const struct fmt_index_arg *arg = &index->args[function->first_arg + last];
  uint32_t count = edge->word_count - compare->call_site;
  if (edge->word_count + 1 > capacity)
    return 0;
  for (uint32_t i = 0; i < count; i++)
    words[i] = edge->words[i];
  prof_signature_set_state(words, last, FMT_STATE_READ);
  if (arg->kind != FMT_ARG_TYPE)
    words[count++] = word_of(index, arg, returned);
  count = prof_cardinality_widen(function, index, compare->function, words, count);
  if (compare->call_site)
    words[count++] = edge->words[edge->word_count - 1];
  return count;
}

struct fmt_rec_edge *prof_returned_find(const struct prof_tree *tree, const struct fmt_rec_edge *edge,
                                        const uint64_t *words, uint32_t count)
{
  const struct prof_site *site = prof_edge_fast_compare(edge)->site;
  return prof_edge_find(tree, (const struct fmt_rec_variant *)edge->from, prof_site_key(site), edge->function_address,
                        words, count);
}

struct fmt_rec_edge *prof_returned_edge(struct prof_tree *tree, const struct fmt_rec_edge *edge, uint64_t *words,
                                        uint32_t count)
{
  struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  const struct prof_site *site = compare->site;
  const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
  const uint64_t place = words[count - 1];
  count -= compare->call_site;
  if (!prof_cardinality_admit(tree, site->index_function, &site->module->index, compare->function, words, &count))
    return NULL;
  if (compare->call_site)
    words[count++] = place;
  struct fmt_rec_edge *known = prof_returned_find(tree, edge, words, count);
  if (known)
    return known;
  const struct prof_edge_key key = {.site = edge->site,
                                    .function_address = edge->function_address,
                                    .function = compare->function,
                                    .words = words,
                                    .word_count = count,
                                    .context = (struct fmt_rec_context *)to->context,
                                    .flags = (edge->flags & ~(uint32_t)FMT_EDGE_RETURNS) | FMT_EDGE_RETURNED,
                                    .compare = compare,
                                    .generic = true,
                                    .call_site = compare->call_site};
  return prof_edge_make(tree, (struct fmt_rec_variant *)edge->from, &key);
}
