/*
 * The edge of a call: its signature let in by the cardinality limit, and found or made in the tree.
 */
#include "profiler/tree/call.h"

#include "format/index.h"
#include "format/recording.h"
#include "profiler/arch/registers.h"
#include "profiler/tree/cardinality_limit.h"
#include "profiler/tree/edge_codes.h"
#include "profiler/tree/tree.h"

bool prof_tree_encode_cfa(const struct prof_site *site, uint32_t *cfa)
{
  if (site->cfa_kind == FMT_CFA_MEMORY || (site->cfa_register != PROF_FP && site->cfa_register != PROF_SP) ||
      site->cfa_offset % 8)
    return false;
  *cfa = (uint32_t)site->cfa_offset | (site->inlined ? 0u : PROF_CFA_STRICT) |
         (site->cfa_register == PROF_FP ? PROF_CFA_RBP : 0u);
  return true;
}

void prof_edge_settle(struct fmt_rec_edge *edge, const struct prof_site *site)
{
  if (edge->site == site->pc)
    return;
  __atomic_store_n(&edge->site, prof_site_word(site), __ATOMIC_SEQ_CST);
  /* A dlclose() that began meanwhile may have gone through the edges before. */
  if (edge->site == site->pc)
    __atomic_store_n(&edge->site, prof_site_word(site), __ATOMIC_SEQ_CST);
}

/* The same of an edge whose calls the code of its site may find. */
static void settle(struct fmt_rec_edge *edge, const struct prof_fast_compare *compare)
{
  const struct prof_site *site = compare->site;
  if (edge->site == site->pc)
    return;
  /* A sled is led to no code where its module was loaded anew. */
  if (compare->number && prof_process.upcalls.make_code)
    prof_process.upcalls.make_code(compare);
  prof_edge_settle(edge, site);
}

/* An edge is new. Code of its site that has taken no notice of whether a pointer is NULL does so from now on if the
 * edge shows that there is something to tell apart. */
static void note_nulls(const struct fmt_rec_edge *edge, struct prof_fast_compare *compare)
{
  if (!compare->number || edge->flags & FMT_EDGE_GENERIC)
    return;
  const uint32_t known = prof_fast_compare_nulls(compare);
  prof_fast_compare_note_nulls(compare, edge);
  if (prof_fast_compare_nulls(compare) != known)
    prof_process.upcalls.make_code(compare);
}

static struct fmt_rec_edge *edge_of(struct prof_tree *tree, struct fmt_rec_variant *from,
                                    struct prof_fast_compare *compare, uint64_t *words, uint32_t word_count,
                                    bool inherited)
{
  const struct prof_site *site = compare->site;
  struct prof_edge_key key = {.site = prof_site_key(site),
                              .function_address = site->function_address,
                              .function = compare->function,
                              .words = words,
                              .word_count = word_count,
                              .flags = (compare->call_site && site->inlined ? FMT_EDGE_INLINED : 0u) |
                                       (site->returns && compare->arguments ? FMT_EDGE_RETURNS : 0u),
                              .call_site = compare->call_site};
  const uint64_t place = key.call_site ? words[word_count - 1] : 0;
  key.word_count -= key.call_site;
  if (!compare->arguments)
    key.signature_flags = FMT_SIGNATURE_NONE;
  else if (site->index_function && !prof_cardinality_admit(tree, site->index_function, &site->module->index,
                                                           compare->function, words, &key.word_count))
    return NULL;
  if (key.call_site)
    words[key.word_count++] = place;
  if (inherited)
    prof_edge_key_inherit(&key);
  struct fmt_rec_edge *edge = prof_edge_find(tree, from, key.site, key.function_address, key.words, key.word_count);
  if (edge) {
    if (!inherited)
      settle(edge, compare);
    return edge;
  }
  /* The limit may have widened: then what is to be compared is another. */
  key.compare = prof_fast_compare_of(tree, site, compare->return_pc);
  if (!key.compare)
    return NULL;
  bool comparable = prof_compare_says_all(key.compare, key.words, key.word_count);
  key.generic = !prof_tree_encode_cfa(site, &key.cfa) || !comparable || inherited;
  /* The generic path alone notes what the end of such a call needs. */
  if (key.flags & FMT_EDGE_RETURNS) {
    key.generic = true;
    key.cfa = 0;
  }
  edge = prof_edge_make(tree, from, &key);
  if (edge && !inherited) {
    note_nulls(edge, key.compare);
    settle(edge, key.compare);
  }
  return edge;
}

struct fmt_rec_edge *prof_tree_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                    struct prof_fast_compare *compare, uint64_t *words, uint32_t word_count)
{
  return edge_of(tree, from, compare, words, word_count, false);
}

struct fmt_rec_edge *prof_tree_inherited_edge(struct prof_tree *tree, struct fmt_rec_variant *from,
                                              struct prof_fast_compare *compare, uint64_t *words, uint32_t word_count)
{
  return edge_of(tree, from, compare, words, word_count, true);
}
